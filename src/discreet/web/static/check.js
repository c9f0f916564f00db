// The step "check": the verdict with the worst finding, settings, all findings, what would be published, and charts.

import { draw } from "./charts.js";
import { byId, counted, download, figure, fill, make, number, part } from "./dom.js";
import { showFacts } from "./facts.js";
import { findingsList } from "./findings.js";
import { opened } from "./page.js";
import { publishedList } from "./published.js";
import { asArguments, settings } from "./settings.js";
import * as state from "./state.js";
import { keepProven, keepRelease, keepVerdict, provenWith, sayProven, showSteps } from "./steps.js";
import { stronger } from "./stronger.js";
import { tradeoff } from "./tradeoff.js";
import { markReady, showChecks, showFailed, showLooking, showNone, showStopped, showVerdict, showWord, tellTested } from "./verdict.js";
import { noun } from "./words.js";
import { asking, worker } from "./work.js";

const STALE = ["verdict", "decisive", "advice", "results"];
const CHECKING = "checking…";
const [WIDE, LETTER, GAP] = [430, 6.6, 4]; // pixels of a chart, of a letter below it, and between names

const run = worker(byId("audit-work"), { stopped, failed: showFailed });
const runReport = worker(byId("report-work"));
let facts = null;

async function begin() {
  facts = await opened();
  if (!facts) return;
  const isRows = facts.holds === "rows";
  for (const [id, isShown] of [
    ["tradeoff-section", isRows],
    ["sizes-section", isRows || facts.holds === "patterns"],
    ["stronger-section", ["rows", "patterns", "rules"].includes(facts.holds)],
  ])
    byId(id).hidden = !isShown;
  const views = {
    findings: findingsList(),
    published: publishedList(facts),
    stronger: stronger(showProven),
    tradeoff: isRows ? tradeoff(facts, (text) => controls.setMinSupport(text)) : null,
  };
  const follow = (now, since) => audit(asArguments(facts, now), since, views, controls);
  const controls = settings(facts, { changed: follow, touched });
  byId("report").addEventListener("click", () => report(asArguments(facts, controls.now)));
  showFacts(byId("facts-body"), facts);
  follow(controls.now, performance.now());
}

/** Make the verdict look stale at once; if a setting is wrong, say so, and disable what depends on it. */
function touched(fault) {
  run.drop();
  setReady(false);
  showSteps({ instead: fault ? "wrong entry" : CHECKING });
  if (!fault) return;
  byId("use").hidden = true;
  showNone("No verdict", "Correct the setting that is marked.", "!");
  byId("results").hidden = true;
}

/** Ask for the verdict on the present settings, and show it; the old one is stale meanwhile. */
async function audit(args, since, views, controls) {
  state.put({ min_support: args.min_support, k: args.k, policy: args.policy, max_length: args.max_length });
  setReady(false);
  showSteps({ instead: CHECKING });
  if (!byId("banner").dataset.verdict) showLooking();
  const found = await run(asking("audit", { ...args, noun: state.recall("noun") }));
  byId("results").hidden = !found || Boolean(found.nothing);
  if (!found) {
    keepVerdict(null, args);
    return showSteps({ instead: "no verdict" });
  }
  showVerdict(found, (performance.now() - since) / 1000);
  showNext(found, args);
  showOther(found, controls);
  setReady(true);
  if (found.nothing) return;
  showNumbers(found);
  showChecks(found);
  const proven = provenWith(args);
  if (proven) showProven(proven);
  views.findings(args, found);
  views.published(args);
  views.stronger(args);
  showSizes(found);
  views.tradeoff?.(args, found);
}

/** Show that there is no verdict since work on it was stopped. */
function stopped(again) {
  showStopped(again);
  showSteps({ instead: "stopped" });
}

/** Show what to do next: hand it over, fix it, or, where that is not possible here, what else. */
function showNext({ verdict, nothing }, args) {
  const isReady = verdict === "RELEASE" && !nothing;
  keepVerdict(nothing ? null : verdict, args);
  if (nothing) showSteps({ instead: "empty" });
  if (isReady && facts.is_repaired && !state.recall("release"))
    keepRelease({ what: "as it is", options: { ...args, method: "best" }, asked: args });
  const link = byId("next-step");
  link.hidden = Boolean(nothing) || (!isReady && !facts.is_repaired);
  link.textContent = isReady ? "Hand it over" : "Fix it";
  link.setAttribute("href", state.address(isReady ? "/handover" : "/fix"));
}

/** Offer a minimum support that gives something, if nothing would be published. */
function showOther({ nothing }, controls) {
  const least = nothing?.min_support;
  byId("use").hidden = !least;
  byId("use").textContent = least ? `Use a minimum support of ${number(Number(least))}` : "";
  byId("use").onclick = () => controls.setMinSupport(least);
}

/** Show what a stronger reader proved: no RELEASE, and remedies that withstand this reader. */
function showProven(proven) {
  keepProven(proven);
  const who = byId("level").selectedOptions[0].textContent;
  tellTested(`A stronger reader was tested, who ${who}: ${counted(proven.total, "group")}.`);
  if (byId("banner").dataset.verdict !== "RELEASE") return;
  showWord("REVIEW", "REVIEW", sayProven(proven));
  showNext({ verdict: "REVIEW" }, proven.asked);
  keepRelease(null);
  const against = proven.level === "derive" ? "derive" : "linear";
  state.remember({ demands: { ...state.recall("demands"), against } });
  byId("advice").textContent = facts.is_repaired ? "The step Fix now looks for remedies that withstand this reader." : "";
}

function setReady(isReady) {
  markReady(isReady, STALE);
  byId("use").disabled = !isReady;
  byId("next-step").ariaDisabled = String(!isReady);
  byId("report").disabled = !isReady;
}

byId("next-step").addEventListener("click", (event) => {
  if (byId("next-step").ariaDisabled === "true") event.preventDefault();
});

function showNumbers({ itemsets, kind, max_length: length, findings, exposed, n, min_support: least, share, what }) {
  const smallest = exposed?.smallest?.[0]?.count;
  const [, many, rest] = /^([\d,]+) (.+)$/.exec(what) ?? [];
  fill(
    byId("numbers"),
    itemsets === undefined
      ? figure(many ?? "", `${rest ?? what}: this would be published`)
      : figure(number(itemsets), `${kind} ${itemsets === 1 ? "itemset" : "itemsets"}${atMost(length)} would be published`),
    least === undefined || least === null
      ? null
      : figure(number(least), `is the minimum support${share ? ` (${share} of ${number(n)})` : ""}`),
    figure(number(findings), findings === 1 ? "finding" : "findings"),
    exposed
      ? figure(
          number(exposed.rows),
          `${noun("rows")} exposed, ${part(exposed.rows, n)} of all`,
        )
      : null,
    smallest ? figure(number(smallest), "in the smallest group that can be singled out") : null,
  );
}

const atMost = (length) => (length === null || length === undefined ? "" : ` of at most ${counted(length, "item")}`);

function showSizes({ cell_sizes: sizes }) {
  if (!sizes) return;
  if (sizes.lines.length) nameBars(draw(byId("sizes"), sizes), sizes.lines);
  else fill(byId("sizes"), make("p", { class: "nothing" }, "There are no groups to show."));
}

/** Name each bar by the least size of its groups; names that do not fit side by side stand upright. */
function nameBars(drawn, lines) {
  const names = lines.map(([name]) => name.split("–")[0]);
  const isTight = (name, at) => (LETTER * (name.length + (names[at + 1] ?? "").length)) / 2 + GAP > WIDE / names.length;
  const ticks = drawn.querySelector(".ticks");
  for (const tick of ticks.querySelectorAll("[dy='18']")) tick.remove();
  drawn.querySelector(".across").textContent = "rows in the group, at least";
  drawn.classList.toggle("crowded", names.some(isTight));
  names.forEach((name, at) => {
    const tick = document.createElementNS(ticks.namespaceURI, "text");
    for (const [key, value] of Object.entries({ class: "bar", x: `${(100 * (at + 0.5)) / names.length}%`, y: "100%", dy: 18 }))
      tick.setAttribute(key, value);
    tick.textContent = name;
    ticks.append(tick);
  });
}

async function report(args) {
  const found = await runReport(asking("report", args));
  if (found) download(found.files[0]);
}

begin();
