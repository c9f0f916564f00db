// The page "block": what could be done, the methods side by side, and the effect of what was chosen.

import { describe, methodOf, nameOf, showAdvice } from "./advice.js";
import { bytes, byId, figure, fill, itemset, listSome, make, number, percent, right, sentence } from "./dom.js";
import { draw } from "./charts.js";
import { opened } from "./page.js";
import { asArguments, settings } from "./settings.js";
import * as state from "./state.js";
import { asking, worker } from "./work.js";

const SHOWN = 12;

const runAdvise = worker(byId("advise-work"));
const runCompare = worker(byId("compare-work"));
const runBlock = worker(byId("block-work"));
const BEST = { name: null, options: { method: "best" } };

let args = null;
let advised = null; // the recommended remedy
let marked = null; // the name of what is shown below
let chosen = null; // what somebody chose since the settings were changed: its name, its options, and what it does
let seconds = Number(state.get("seconds")) || 3;

async function begin() {
  const facts = await opened({ rowsNeeded: true });
  if (!facts) return;
  const follow = (now) => start(asArguments(facts, now));
  const controls = settings(facts, follow);
  byId("seconds").value = String(seconds);
  byId("seconds").addEventListener("change", () => {
    seconds = Number(byId("seconds").value);
    state.put({ seconds: seconds === 3 ? null : seconds });
    compare();
  });
  follow(controls.now);
}

/** Ask for advice, and for a comparison, which waits for it: long work is done one at a time. */
function start(now) {
  [args, advised, chosen] = [now, null, null];
  const { min_support, k, policy, max_length } = now;
  state.put({ min_support, k, policy, max_length });
  advise();
  compare();
}

async function advise() {
  for (const id of ["advised", "advice"]) byId(id).classList.add("stale");
  for (const button of byId("remedies").querySelectorAll("button")) button.disabled = true;
  const found = await runAdvise(asking("advise", args));
  if (!found) return;
  for (const id of ["advised", "advice"]) byId(id).classList.remove("stale");
  advised = found.best === null ? null : asChoice(found.remedies[found.best]);
  showAdvice(found, (one) => {
    choose(asChoice(one));
    byId("result").scrollIntoView();
    byId("result").focus({ preventScroll: true });
  });
  markChosen(marked);
}

const asChoice = (one) => ({ name: nameOf(one), options: one.options, done: describe(one), isMethod: Boolean(methodOf(one)) });

/** Compare the methods; then show what was chosen before, or what is recommended. */
async function compare() {
  for (const id of ["methods", "released", "recommendation"]) byId(id).classList.add("stale");
  const found = await runCompare(asking("compare", { ...args, seconds }));
  if (!found) return;
  byId("methods").classList.remove("stale");
  byId("recommendation").classList.remove("stale");
  byId("recommendation").textContent = found.recommendation;
  showMethods(found);
  const before = found.methods.find((one) => !one.left_out && one.name === state.get("method"));
  const choice = chosen ?? (before ? asMethod(before) : advised?.isMethod === false ? advised : BEST);
  markChosen(choice.name ?? found.best);
  // Of the methods, unless one was chosen, ask for the best: the public files do not say which one that is.
  block(choice);
}

const asMethod = ({ name, method, merge }) => ({ name, options: { method, merge }, isMethod: true });

function showMethods({ methods, best }) {
  const most = Math.max(...methods.map((one) => one.average ?? 0)) || 1;
  fill(byId("methods").tBodies[0], ...methods.map((one) => methodLine(one, one.name === best, most)));
}

function methodLine(one, isBest, most) {
  const radio = make("input", {
    type: "radio",
    name: "method",
    value: one.name,
    disabled: Boolean(one.left_out),
    change: () => choose(asMethod(one)),
  });
  const name = make(
    "span",
    {},
    make("strong", {}, one.name),
    isBest ? make("span", { class: "badge" }, "recommended") : null,
  );
  const help = make(
    "span",
    { class: "help" },
    one.left_out ? `Left out: ${one.left_out}` : sentence(one.how),
  );
  const head = make("th", { scope: "row" }, make("label", {}, radio, name, help));
  if (one.left_out)
    return make(
      "tr",
      { "data-name": one.name },
      head,
      make("td", { colspan: 7, class: "quiet" }, "–"),
      right(one.seconds.toFixed(2)),
    );
  const values = [
    number(one.lost),
    percent(one.item),
    points(one.share),
    number(one.suppressed),
    number(one.added),
    one.verdict,
    one.seconds.toFixed(2),
  ];
  return make("tr", { "data-name": one.name }, head, make("td", {}, bar(one.average, most)), ...values.map(right));
}

const points = (share) => `${number(Number((100 * share).toPrecision(3)))} points`;

function bar(value, most) {
  const room = make("span", { class: "bar-room", "aria-hidden": "true" }, make("i"));
  room.firstChild.style.width = `${(100 * value) / most}%`;
  return make("div", { class: "bar" }, room, make("span", {}, percent(value)));
}

function choose(choice) {
  chosen = choice;
  // Other remedies may name labels, which the address must not hold.
  state.put({ method: choice.isMethod ? choice.name : null });
  markChosen(choice.name);
  block(choice);
}

function markChosen(name) {
  marked = name;
  for (const line of document.querySelectorAll("#methods tbody tr, #remedies tbody tr")) {
    const isChosen = line.dataset.name === name;
    line.toggleAttribute("data-chosen", isChosen);
    for (const radio of line.querySelectorAll("input")) radio.checked = isChosen;
  }
}

async function block({ options, done = "" }) {
  byId("released").classList.add("stale");
  const found = await runBlock(asking("block", { ...args, seconds, ...options }));
  if (!found) return;
  byId("released").classList.remove("stale");
  byId("released").hidden = false;
  showGuarantee(found);
  byId("done").textContent = done;
  showNumbers(found);
  showFiles(found.files ?? []);
  showChanges(found.changes ?? []);
  draw(byId("before-after"), found.before_after);
}

function showGuarantee({ verdict, guarantee, advice, files = [] }) {
  const place = byId("guarantee");
  place.dataset.verdict = guarantee ? verdict : "WITHHOLD";
  const isThere = files.some((file) => file.name === "release.zip");
  fill(
    place,
    make("strong", {}, `${verdict}. `),
    guarantee ?? advice ?? "",
    isThere ? "" : " There is no release to download.",
  );
}

function showNumbers({ distortion, costs, rows, listed }) {
  const worst = costs.worst_item ? `: ${costs.worst_item}` : "";
  fill(
    byId("numbers"),
    figure(`${number(costs.n_before)} → ${number(costs.n_after)}`, "rows (n), before and after"),
    figure(`${number(rows.suppressed)} / ${number(rows.added)}`, "rows left out / added"),
    figure(percent(costs.items.largest), "is the largest change of a single item's count"),
    figure(points(costs.shares.largest), `is the largest change of a share${worst}`),
    figure(number(listed), "itemsets are published"),
    figure(number(distortion.lost), `of ${number(distortion.itemsets)} itemsets are lost`),
    figure(percent(distortion.average), "average distortion"),
    figure(points(costs.confidences.largest), "is the largest change of a confidence"),
  );
}

function showFiles(files) {
  const links = {
    "release.zip": byId("release-zip"),
    "DO-NOT-RELEASE.zip": byId("private-zip"),
    "report.html": byId("report-file"),
  };
  for (const [name, link] of Object.entries(links)) {
    const file = files.find((one) => one.name === name);
    link.closest("div").hidden = !file;
    if (!file) continue;
    link.href = file.url;
    link.download = file.name;
    link.title = `${file.name}, ${bytes(file.bytes)}`;
  }
}

function showChanges(changes) {
  const line = ({ items, before, after }) =>
    make(
      "tr",
      {},
      make("td", {}, itemset(items)),
      right(number(before)),
      make("td", { class: "right" }, after === null ? "lost" : number(after)),
    );
  const body = byId("changes").tBodies[0];
  listSome(body, byId("more-changes"), changes.map(line), SHOWN);
  if (!changes.length)
    fill(body, make("tr", {}, make("td", { colspan: 3, class: "quiet" }, "No support has changed.")));
}

begin();
