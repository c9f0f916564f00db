// The page "hide": sensitive itemsets, a method and a disclosure; what is still found, and the cost.

import { byId, figure, fill, itemset, make, number, part, percent, sentence } from "./dom.js";
import { insert, itemChips } from "./items.js";
import { opened } from "./page.js";
import * as state from "./state.js";
import { asking, worker } from "./work.js";

const MEASURES = {
  hiding_failure: ["Hiding failure", "of the frequent itemsets that contain a sensitive one are still found"],
  misses_cost: ["Misses cost", "of the other frequent itemsets are no longer found"],
  dissimilarity: ["Dissimilarity", "of all items in all rows were removed"],
  artifactual: ["Artifactual", "of the itemsets found now were not there before"],
};
const COLUMNS = ["hiding_failure", "misses_cost", "dissimilarity"];

const run = worker(byId("hide-work"), { failed: marked });
const runCompare = worker(byId("compare-work"));

async function begin() {
  const facts = await opened({ rowsNeeded: true });
  if (!facts) return;
  byId("sensitive").value = state.text();
  if (how(state.get("method"))) byId("method").value = state.get("method");
  byId("disclosure").value = state.get("disclosure") ?? "0";
  byId("min-support").value = state.get("min_support") ?? "5%";
  showMethod();
  itemChips(
    byId("item-chips"),
    (facts.commonest ?? []).map(({ item }) => item),
    (text) => insert(byId("sensitive"), text, ", "),
  );
  byId("method").addEventListener("change", showMethod);
  byId("hide").addEventListener("input", keep);
  byId("hide").addEventListener("submit", (event) => {
    event.preventDefault();
    hide(facts);
  });
  byId("compare").addEventListener("click", () => compare(facts));
}

function showMethod() {
  byId("method-help").textContent = how(byId("method").value);
}

/** Return what a method does, from the library's table; empty if there is no such method. */
function how(name) {
  const option = [...byId("method").options].find((one) => one.value === name);
  return option ? sentence(option.dataset.how) : "";
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

/** Mark the field if its content is wrong; the error is shown as usual. */
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
      ? "Which items were removed where. It reveals what was hidden."
      : "The rows, in their own format.";
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
  const heads = ["Method", ...COLUMNS.map((name) => MEASURES[name][0]), "Rows touched", "Items removed", "Seconds"];
  fill(
    byId("methods").tHead,
    make("tr", {}, ...heads.map((name, at) => make("th", { scope: "col", class: at ? "right" : null }, name))),
  );
  const line = (one, at) => {
    const measured = one.measures?.[0];
    const values = COLUMNS.map((name) => (measured ? percent(measured[name]) : "–"));
    const name = [make("strong", {}, one.method), at === best ? make("span", { class: "badge" }, "recommended") : null];
    const use = make(
      "button",
      { type: "button", class: "button small", "aria-label": `Use ${one.method}`, click: () => useMethod(one.method) },
      "Use",
    );
    const help = make("p", { class: "help" }, one.left_out ? `Left out: ${one.left_out}` : how(one.method));
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
  showMethod();
  byId("hide").requestSubmit();
}

begin();
