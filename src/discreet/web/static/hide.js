// The page "hide": sensitive itemsets, a method and a disclosure; what is found afterwards, and what that cost.

import { byId, figure, fill, itemset, make, number, part, percent } from "./dom.js";
import { insert, itemChips } from "./items.js";
import { opened } from "./page.js";
import * as state from "./state.js";
import { asking, worker } from "./work.js";

const METHODS = {
  iga: "Sensitive itemsets that share items lose the same one. A good first choice.",
  minfia: "The rarest item of each sensitive itemset goes.",
  maxfia: "The commonest item of each sensitive itemset goes.",
  naive: "Every item of a sensitive itemset goes, but for one where a row would be left empty.",
  swa: "In each window of rows, the item goes that is commonest in it.",
  border: "The item goes whose loss does the least harm to other frequent itemsets.",
  exact: "The fewest other frequent itemsets are lost, by a binary program. May take long.",
};
const MEASURES = {
  hiding_failure: ["Hiding failure", "of the frequent itemsets with something sensitive in them are still found"],
  misses_cost: ["Misses cost", "of the other frequent itemsets are no longer found"],
  dissimilarity: ["Dissimilarity", "of all items in all rows were removed"],
  artifactual: ["Artifactual", "of the itemsets found now were not there before"],
};
const COLUMNS = { hiding_failure: "Hiding failure", misses_cost: "Misses cost", dissimilarity: "Dissimilarity" };

const run = worker(byId("hide-work"), { failed: marked });
const runCompare = worker(byId("compare-work"));

async function begin() {
  const facts = await opened({ rowsNeeded: true });
  if (!facts) return;
  fill(byId("method"), ...Object.keys(METHODS).map((name) => make("option", { value: name }, name)));
  byId("sensitive").value = state.text();
  byId("method").value = METHODS[state.get("method")] ? state.get("method") : "iga";
  byId("disclosure").value = state.get("disclosure") ?? "0";
  byId("min-support").value = state.get("min_support") ?? "5%";
  tellMethod();
  itemChips(
    byId("item-chips"),
    (facts.commonest ?? []).map(({ item }) => item),
    (text) => insert(byId("sensitive"), text, ", "),
  );
  byId("method").addEventListener("change", tellMethod);
  byId("hide").addEventListener("input", keep);
  byId("hide").addEventListener("submit", (event) => {
    event.preventDefault();
    hide(facts);
  });
  byId("compare").addEventListener("click", () => compare(facts));
}

function tellMethod() {
  byId("method-help").textContent = METHODS[byId("method").value];
}

function keep() {
  state.put({
    method: byId("method").value,
    disclosure: byId("disclosure").value,
    min_support: byId("min-support").value,
  });
  state.putText(byId("sensitive").value);
  byId("sensitive").removeAttribute("aria-invalid");
}

/** Mark the field when what stands in it is wrong; the sentence is told as ever. */
function marked(error) {
  if (error.status === 400) byId("sensitive").setAttribute("aria-invalid", "true");
  return false;
}

async function hide({ data }) {
  keep();
  const words = {
    disclosure: byId("disclosure").value.trim(),
    method: byId("method").value,
    min_support: byId("min-support").value.trim(),
  };
  byId("hidden").classList.add("stale");
  const found = await run(asking("hide", { data, sensitive: byId("sensitive").value, ...words }));
  byId("hidden").classList.remove("stale");
  if (!found) return;
  showHidden(found);
  byId("hidden").hidden = false;
  byId("hidden-title").focus({ preventScroll: true });
  byId("hidden").scrollIntoView({ block: "start", behavior: "smooth" });
}

function showHidden(found) {
  const { sensitive, rows_touched: touched, items_removed: removed, rows, entries, measures } = found;
  const line = ({ items, before, after }) =>
    make("tr", {}, make("td", {}, itemset(items)), right(number(before)), right(number(after)));
  fill(byId("found").tBodies[0], ...sensitive.map(line));
  const many =
    sensitive.length === 1 ? "The sensitive itemset is" : `All ${number(sensitive.length)} sensitive itemsets are`;
  byId("hidden-told").textContent = `${many} hidden by "${found.method}": found in no more rows than you allowed.`;
  fill(
    byId("measures"),
    figure(number(touched), `rows touched, ${part(touched, rows)} of all`),
    figure(number(removed), `items removed${entries ? `, ${part(removed, entries)} of all` : ""}`),
    ...Object.entries(MEASURES)
      .filter(([name]) => measures && name in measures)
      .map(([name, words]) => figure(percent(measures[name]), ...words)),
    found.left_out ? make("p", { class: "help" }, found.left_out) : null,
  );
  showFiles(found.files ?? []);
}

const right = (text) => make("td", { class: "right" }, text);

function showFiles(files) {
  const one = (file) => {
    const isPrivate = file.name.startsWith("DO-NOT-RELEASE");
    const link = make(
      "a",
      { class: `button ${isPrivate ? "warn" : "main"}`, href: file.url, download: file.name },
      isPrivate ? "Download what must stay private" : "Download hidden data",
    );
    const help = isPrivate
      ? "Which items were removed where. It gives away what was hidden."
      : "The rows, in the format that they came in.";
    return make("div", {}, link, make("p", { class: "help" }, help));
  };
  fill(byId("downloads"), ...files.map(one));
}

async function compare({ data }) {
  keep();
  byId("compared").hidden = false;
  byId("methods").classList.add("stale");
  byId("compared").scrollIntoView({ block: "nearest", behavior: "smooth" });
  const words = { disclosures: [byId("disclosure").value.trim()], min_support: byId("min-support").value.trim() };
  const found = await runCompare(asking("compare_hiding", { data, sensitive: byId("sensitive").value, ...words }));
  if (!found) return;
  byId("methods").classList.remove("stale");
  byId("recommendation").textContent = found.recommendation;
  showCompared(found);
}

function showCompared({ lines, best }) {
  const heads = ["Method", ...Object.values(COLUMNS), "Rows touched", "Items removed", "Seconds"];
  fill(
    byId("methods").tHead,
    make("tr", {}, ...heads.map((name, at) => make("th", { scope: "col", class: at ? "right" : null }, name))),
  );
  const line = (one, at) => {
    const measured = one.measures?.[0];
    const values = Object.keys(COLUMNS).map((name) => (measured ? percent(measured[name]) : "–"));
    const name = [make("strong", {}, one.method), at === best ? make("span", { class: "badge" }, "recommended") : null];
    const use = make(
      "button",
      { type: "button", class: "button small", "aria-label": `Use ${one.method}`, click: () => useMethod(one.method) },
      "Use",
    );
    const help = make("p", { class: "help" }, one.left_out ? `Left out: ${one.left_out}` : METHODS[one.method]);
    const counts = [one.rows_touched, one.items_removed].map((value) => (value === null ? "–" : number(value)));
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, ...name.filter(Boolean), " ", one.left_out ? "" : use, help),
      ...[...values, ...counts, one.seconds.toFixed(2)].map(right),
    );
  };
  fill(byId("methods").tBodies[0], ...lines.map(line));
}

function useMethod(name) {
  byId("method").value = name;
  tellMethod();
  byId("hide").requestSubmit();
}

begin();
