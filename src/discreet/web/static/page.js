// Every page with data: show what is loaded, or that nothing is.

import { byId, make, number } from "./dom.js";
import * as state from "./state.js";
import { tellFile } from "./steps.js";
import { noun } from "./words.js";
import { asking, worker } from "./work.js";

/** Return the facts of the data in the address; if there is none, say so on the page and return null. */
export async function opened({ needed = null } = {}) {
  const data = state.get("data");
  if (!data) return nothing();
  const place = make("div", { class: "work" });
  byId("empty").before(place);
  const facts = await worker(place, { failed: () => void nothing() })(asking("read", { data }));
  if (!facts) return null;
  state.remember({ is_repaired: facts.is_repaired });
  tellFile(facts.file, facts.holds === "rows" ? `${number(facts.n)} ${noun("rows")}` : facts.size);
  if (needed && !needed.includes(facts.holds)) return nothing(`This needs ${needed.join(" or ")}`);
  byId("page").hidden = false;
  return { ...facts, data };
}

function nothing(title = "No data yet") {
  byId("empty").hidden = false;
  byId("empty").querySelector("h2").textContent = title;
  return null;
}

