// Every page with data: what is loaded, or that nothing is.

import { byId, label, make, fill, number } from "./dom.js";
import * as state from "./state.js";
import { asking, worker } from "./work.js";

/** Return the facts of the data that the address names, or null, and then say on the page what is missing. */
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

/** Show in the head of the page which data it speaks of. */
export function showData({ file, n }) {
  const size = n === null || n === undefined ? "" : `${number(n)} rows`;
  fill(
    byId("data-chip"),
    label(file, "bdi", { class: "cut", title: file }),
    make("span", { class: "quiet" }, size),
  ).hidden = false;
}
