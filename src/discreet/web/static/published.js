// What would be published: a list to search, sort and download; tables as tables, marked where a count follows.

import { byId, counted, debounced, download, fill, itemset, label, make, number } from "./dom.js";
import { showPages } from "./pages.js";
import * as state from "./state.js";
import { tableOf } from "./counts.js";
import { markStale } from "./verdict.js";
import { asking, worker } from "./work.js";

const LIMIT = 15; // lines on a page
const PARTS = ["published-told", "published", "published-pages"]; // what belongs to old settings until the new list is here

/** Return a function that lists what would be published. */
export function publishedList({ holds }) {
  const run = worker(byId("published-work"));
  const isTables = holds === "tables";
  const isSorted = holds === "rows" || holds === "patterns";
  let args = null;
  let asked = { search: state.recall("published_search") ?? "", sort: "most", offset: 0 };
  byId("published-search").value = asked.search;
  byId("published-tools").hidden = isTables;
  byId("published-sort").closest(".field").hidden = !isSorted;
  byId("published-save").hidden = !isSorted;
  byId("published-help").hidden = holds !== "rows";

  async function list() {
    const found = await run(asking("published", { ...args, ...asked, limit: LIMIT }));
    if (!found) return;
    markStale(false, PARTS);
    if (found.tables) return showTables(found);
    const { total, matching, lines } = found;
    byId("published-told").textContent = matching === total ? counted(total, "line") : `${number(matching)} of ${number(total)}`;
    fill(byId("published"), matching ? listOf(found) : make("p", { class: "nothing" }, total ? "No line has all of these words." : "Nothing would be published with these settings."));
    const place = { offset: asked.offset, shown: lines.length, total: matching, size: LIMIT };
    showPages(byId("published-pages"), place, (to) => ask({ offset: to }));
  }

  function ask(changes) {
    asked = { ...asked, offset: 0, ...changes };
    state.remember({ published_search: asked.search || null });
    return list();
  }

  byId("published-search").addEventListener(
    "input",
    debounced(() => ask({ search: byId("published-search").value }), 150),
  );
  byId("published-sort").addEventListener("change", () => ask({ sort: byId("published-sort").value }));
  byId("published-save").addEventListener("click", async () => {
    const found = await run(asking("published", { ...args, save: true, limit: 1 }));
    if (found) download(found.files[0]);
  });
  return function show(now) {
    args = now;
    asked = { ...asked, offset: 0 };
    markStale(true, PARTS);
    return list();
  };
}

function listOf({ head, lines }) {
  const isNumber = (at) => lines.every((line) => typeof line[at] === "number" || /^[\d.,]+%?$/.test(line[at]));
  const numbers = head.map((_, at) => isNumber(at));
  const field = (value, at) => {
    const content = Array.isArray(value) ? itemset(value) : typeof value === "number" ? number(value) : label(value);
    return make("td", { class: numbers[at] ? "right" : null }, content);
  };
  return make(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-labelledby": "published-title" },
    make(
      "table",
      { class: "lines" },
      make("caption", { class: "unseen" }, "What would be published"),
      make("thead", {}, make("tr", {}, ...head.map((name, at) => make("th", { scope: "col", class: numbers[at] ? "right" : null }, name)))),
      make("tbody", {}, ...lines.map((line) => make("tr", {}, ...line.map(field)))),
    ),
  );
}

function showTables({ tables, total_tables: total }) {
  byId("published-told").textContent =
    tables.length < total ? `${number(tables.length)} of ${number(total)} tables, those with findings first` : "";
  const isMarked = tables.some(({ sums }) => sums.length);
  const help = make(
    "p",
    { class: "help" },
    "A marked cell can be worked out: the mark is struck out, and the number beside it is what a reader learns. Its footnote leads to the sum.",
  );
  fill(byId("published"), isMarked ? help : null, ...tables.map(tableOf));
}
