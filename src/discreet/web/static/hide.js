// The page "hide": combinations, one goal for all of them, every way to reach it, and the outcome of the chosen one.

import { byId, counted, figure, fill, itemset, make, number, part, right, sentence } from "./dom.js";
import { normal, shareOf } from "./numbers.js";
import { opened } from "./page.js";
import { combinations, pick } from "./picker.js";
import { usual } from "./settings.js";
import * as state from "./state.js";
import { markStale } from "./verdict.js";
import { countRows } from "./words.js";
import { asking, worker } from "./work.js";

const SECONDS = 3; // for the method that searches
const HALF = 50;
const PRIVATE = "DO-NOT-RELEASE.zip";
const STALE = "The entries have changed since. What is below belongs to the earlier ones: correct the entries if need be, and compare the ways again.";
const READY = "All ways to reach the goal are tried; then you choose one.";
const NO_SHARE = "Write a number above 0 and below 100, such as 50 or 12.5.";
const NO_SUPPORT = "Write a share such as 5% or 0.05, or a number of rows such as 813.";

const runCompare = worker(byId("compare-work"));
const runHide = worker(byId("hide-work"));

let facts = null;

async function begin() {
  facts = await opened({ needed: ["rows"] });
  if (!facts) return;
  const kept = state.recall("goal") ?? {};
  byId(kept.goal ?? "nobody").checked = true;
  byId("below-field").value = kept.below ?? state.get("k") ?? Math.min(100, facts.n);
  byId("part-field").value = kept.part ?? HALF;
  byId("least").value = kept.least ?? state.get("min_support") ?? usual(facts);
  for (const goal of ["below", "part"]) {
    byId(`${goal}-field`).addEventListener("input", () => (byId(goal).checked = true));
  }
  byId("hide").addEventListener("input", (event) => {
    if (event.target.closest(".picking")) return;
    keep();
    refresh();
  });
  byId("hide").addEventListener("submit", (event) => {
    event.preventDefault();
    if (!byId("go").disabled) hide(asked(entries()));
  });
  await pick(facts, refresh);
}

const goal = () => document.querySelector("[name=goal]:checked").value;

function keep() {
  const [below, share, least] = ["below-field", "part-field", "least"].map((id) => byId(id).value);
  state.remember({ goal: { goal: goal(), below, part: share, least } });
}

/** Return the entries as the server reads them; null for one that is wrong. */
function entries() {
  const [below, share, least] = ["below-field", "part-field", "least"].map((id) => normal(byId(id).value) ?? "");
  const percentage = /^(\d{1,3}(?:\.\d{0,20})?|\.\d{1,20})\s*%?$/.exec(share)?.[1];
  return {
    below: /^\d{1,15}$/.test(below) && below >= 1 && below <= facts.n ? Number(below) : null,
    share: percentage > 0 && percentage < 100 ? percentage : null,
    least: shareOf(least, facts.n) === null ? null : least,
  };
}

/** Return what the server is asked for, or null if something is missing or wrong. */
function asked({ below, share, least }) {
  const goals = { nobody: { disclosure: "0" }, below: below && { below }, part: share && { disclosure: `${share}%` } };
  const [sensitive, chosen] = [combinations(), goals[goal()]];
  if (!sensitive.length || !chosen || !least) return null;
  return { data: facts.data, sensitive, ...chosen, min_support: least, seconds: SECONDS };
}

/** Show what is wrong, what the goals say, and whether the results belong to the entries. */
function refresh() {
  const found = entries();
  const { below, share, least } = found;
  tellWrong("below-field", goal() === "below" && !below, `Write a whole number from 1 to ${number(facts.n)}.`);
  tellWrong("part-field", goal() === "part" && !share, NO_SHARE);
  tellWrong("least", !least, NO_SUPPORT);
  byId("below-words").textContent = below ? number(below) : "so many";
  byId("part-words").textContent = !share ? "Part" : Number(share) === HALF ? "Half" : `${number(share)}%`;
  // Floats are near enough for a hint: the server counts exactly.
  const rows = least && Math.ceil(Number((shareOf(least, facts.n) * facts.n).toFixed(6)));
  byId("least-told").textContent = least ? `${number(rows)} of ${countRows(facts.n)}.` : "";
  const now = asked(found);
  byId("go").disabled = !now;
  const missing = combinations().length ? "Correct what is marked first." : "Choose an item first.";
  byId("go-help").textContent = now ? READY : missing;
  compareWith(JSON.stringify(now));
}

function tellWrong(id, isWrong, words) {
  byId(id).setAttribute("aria-invalid", String(isWrong));
  tell(`${id}-wrong`, isWrong ? words : "");
}

/** Show words unless they are there: what is written again is read aloud again. */
function tell(id, words) {
  if (byId(id).textContent !== words) byId(id).textContent = words;
}

function compareWith(key) {
  for (const id of ["compared", "hidden"]) markStale(byId(id).dataset.key !== key, [id]);
  const isOld = !byId("compared").hidden && byId("compared").dataset.key !== key;
  byId("changed").hidden = !isOld;
  tell("changed", isOld ? STALE : "");
}

/** Run all methods for this goal; then show the outcome of the cheapest. */
async function hide(args) {
  byId("compared").dataset.key = JSON.stringify(args);
  byId("compared").hidden = false;
  byId("compare-done").hidden = true;
  byId("hidden").hidden = true;
  refresh();
  byId("compared-title").focus({ preventScroll: true });
  byId("compared").scrollIntoView({ block: "start", behavior: "smooth" });
  const found = await runCompare(asking("compare_hiding", args));
  if (!found) return;
  byId("compare-done").hidden = false;
  const which = `those that at least ${countRows(found.min_support)} have`;
  byId("compared-told").textContent = `All reach the same goal; the cheapest is first. Other combinations: ${which}.`;
  fill(byId("ways").tBodies[0], ...found.lines.map((line, at) => way(found, line, at === 0, args)));
  choose(found, found.lines[0], args);
}

function way(found, line, isFirst, args) {
  const radio = make("input", {
    type: "radio",
    name: "way",
    value: line.method,
    disabled: Boolean(line.left_out),
    change: () => choose(found, line, args),
  });
  const badge = isFirst ? make("span", { class: "badge" }, "recommended") : null;
  const words = make("span", {}, make("strong", {}, sentence(line.how)), " ", badge);
  const small = `method: ${line.method}${line.left_out ? `. Left out: ${line.left_out}` : ""}`;
  const head = make("label", {}, radio, words, make("span", { class: "help" }, small));
  return make("tr", { "data-method": line.method }, make("th", { scope: "row" }, head), ...costs(found, line));
}

function costs({ rows, entries: all }, { rows_touched: touched, items_removed: removed, measures }) {
  if (!measures) return ["–", "–", "–"].map(right);
  const { missed, legitimate } = measures;
  const cells = [
    [touched, part(touched, rows)],
    [removed, part(removed, all)],
    [missed, `of ${number(legitimate)}`],
  ];
  return cells.map(([value, words]) =>
    make("td", { class: "right" }, make("strong", {}, number(value)), make("span", { class: "help" }, words)),
  );
}

/** Run a line as it is shown. Its numbers are those of the run, also if a search that ran out of time found others. */
async function choose(found, line, args) {
  const body = byId("ways").tBodies[0];
  for (const row of body.rows) {
    const isChosen = row.dataset.method === line.method;
    row.toggleAttribute("data-chosen", isChosen);
    row.querySelector("input").checked = isChosen;
  }
  byId("hidden").hidden = false;
  byId("hidden").dataset.key = "";
  refresh();
  const done = await runHide(asking("hide", { ...args, method: line.method }));
  if (!done) return;
  body.querySelector("[data-chosen]").replaceChildren(
    body.querySelector("[data-chosen] th"),
    ...costs(found, done),
  );
  showOutcome(done, args);
  byId("hidden").dataset.key = JSON.stringify(args);
  refresh();
}

function showOutcome(done, args) {
  const isReached = done.sensitive.every(({ after, at_most: most }) => after <= most);
  byId("reached").dataset.verdict = isReached ? "RELEASE" : "WITHHOLD";
  const word = make("strong", {}, isReached ? "Goal reached: " : "Goal missed: ");
  fill(byId("reached"), word, sayGoal(done.sensitive.length, args));
  const line = ({ items, before, after, at_most: most }) => {
    const numbers = [number(before), number(after), `${number(most)} ${after <= most ? "✓" : "✕"}`];
    return make("tr", {}, make("td", {}, itemset(items)), ...numbers.map(right));
  };
  fill(byId("before-after").tBodies[0], ...done.sensitive.map(line));
  showCosts(done);
  showFiles(done.files);
  byId("outcome").hidden = false;
}

function sayGoal(many, { below, disclosure }) {
  const which = many === 1 ? "the combination" : `each of the ${number(many)} combinations`;
  if (below) return `${which} is in fewer than ${countRows(below)}.`;
  if (disclosure === "0") return `no row has ${many === 1 ? which : which.replace("each", "any")} any more.`;
  return `${which} is in at most ${disclosure} of the rows that had it.`;
}

function showCosts({ rows, entries: all, rows_touched: touched, items_removed: removed, measures, left_out: why }) {
  const { missed, legitimate, min_support: least } = measures ?? {};
  fill(
    byId("costs"),
    figure(number(touched), `of ${countRows(rows)} touched, ${part(touched, rows)}`),
    figure(number(removed), `of ${counted(all, "item")} removed, over all rows: ${part(removed, all)}`),
    measures ? figure(number(missed), `of ${counted(legitimate, "other combination")} lost`) : null,
  );
  const average = counted(Number((removed / touched).toPrecision(2)), "item");
  const same = `${number(rows - touched)} of ${countRows(rows)} stay as they were`;
  const changed = touched ? `${same}; the others lose ${average} on average.` : "Nothing had to be removed.";
  const looks = `Anyone who looks for combinations of at least ${countRows(least)}`;
  const found = `${looks} still finds ${number(legitimate - missed)} of ${number(legitimate)} others.`;
  byId("costs-told").textContent = `${changed} ${measures ? found : sentence(why ?? "")}`;
}

function showFiles(files) {
  for (const file of files) {
    const link = byId(file.name === PRIVATE ? "private" : "shared");
    link.href = file.url;
    link.download = file.name;
  }
  const { name } = files.find((file) => file.name !== PRIVATE);
  byId("shared-help").textContent = `${name}: the same rows in their own format, without the removed items.`;
}

begin();
