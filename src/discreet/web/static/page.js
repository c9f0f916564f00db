// Every page with data: show what is loaded, or that nothing is.

import { byId, label, make, fill, number } from "./dom.js";
import * as state from "./state.js";
import { asking, worker } from "./work.js";

/** Return the facts of the data in the address; if there is none, say so on the page and return null. */
export async function opened({ rowsNeeded = false } = {}) {
  state.follow();
  const data = state.get("data");
  if (!data) return nothing();
  const place = make("div", { class: "work" });
  byId("empty").before(place);
  const facts = await worker(place, { failed: () => void nothing() })(asking("read", { data }));
  if (!facts) return null;
  showData(facts);
  if (rowsNeeded && facts.is_patterns) return nothing("This needs rows");
  byId("page").hidden = false;
  return { ...facts, data };
}

function nothing(title = "No data yet") {
  byId("empty").hidden = false;
  byId("empty").querySelector("h2").textContent = title;
  return null;
}

/** Show the name and size of the data in the head of the page. */
export function showData({ file, n }) {
  const size = n === null || n === undefined ? "" : `${number(n)} rows`;
  fill(
    byId("data-chip"),
    label(file, "bdi", { class: "cut", title: file }),
    make("span", { class: "quiet" }, size),
  ).hidden = false;
}
