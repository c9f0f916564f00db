// The step "fix": remedies as cards, the best first; the release of the chosen one, before and after.

import { draw } from "./charts.js";
import { tableOf } from "./counts.js";
import { byId, capital, counted, fill, itemset, listSome, make, number, right, sentence } from "./dom.js";
import { opened } from "./page.js";
import { asArguments, settings } from "./settings.js";
import * as state from "./state.js";
import { keepRelease, keepVerdict, showSteps } from "./steps.js";
import { markReady, markStale, showWord } from "./verdict.js";
import { asking, tryAgain, worker } from "./work.js";

const FIRST = 9; // cards before somebody asks for all
const SHOWN = 9; // changes
const UNCHANGED = "publish it as it is"; // the remedy that does nothing
const CARDS = ["advised", "remedies"]; // what stays while the release of another card is made

const runAdvise = worker(byId("advise-work"), endings(byId("advise-work"), { instead: "no verdict" }));
const runBlock = worker(byId("block-work"), endings(byId("block-work"), {}));

let args = null; // the settings, and what every remedy must keep to
let asked = null; // the settings alone, as on the step Check
let facts = null;

async function begin() {
  facts = await opened({ needed: ["rows", "tables"] });
  if (!facts) return;
  const isRows = facts.holds === "rows";
  byId("demands").hidden = !isRows;
  const demands = state.recall("demands") ?? {};
  byId("keep-n").checked = Boolean(demands.keep_n);
  byId("against").value = demands.against ?? "";
  byId("seconds").value = demands.seconds ?? "";
  const follow = (now) => advise(asArguments(facts, now));
  const controls = settings(facts, { changed: follow, touched });
  byId("demands").addEventListener("change", () => {
    state.remember({
      demands: {
        keep_n: byId("keep-n").checked || null,
        against: byId("against").value || null,
        seconds: Number(byId("seconds").value) || null,
      },
    });
    follow(controls.now);
  });
  follow(controls.now);
}

/** Return what to show if work in ``place`` is stopped or fails: that there is no release. */
function endings(place, told) {
  const end = (word, sign) => {
    showWord(null, word, "There is no release with these settings.", sign);
    showSteps(told);
  };
  const stopped = (again) => {
    end("Stopped", "■");
    fill(
      place,
      tryAgain(() => {
        showWord(null, "…", "Trying what could be done.", "…");
        again();
      }),
    );
  };
  return { stopped, failed: () => void end("No release", "!") };
}

/** Make everything look stale at once; a wrong setting disables what depends on it. */
function touched(fault) {
  for (const run of [runAdvise, runBlock]) run.drop();
  setReady(false);
  showSteps({ instead: fault ? "wrong entry" : "checking…" });
  if (!fault) return;
  byId("advice").textContent = "";
  showWord(null, "No release", "Correct the setting that is marked.");
}

/** Try what could be done, and show the release of what was chosen before, or of what is recommended. */
async function advise(now) {
  asked = now;
  const demands = facts.holds === "rows" ? (state.recall("demands") ?? {}) : {};
  args = { ...now, ...demands };
  state.put({ min_support: now.min_support, k: now.k, policy: now.policy, max_length: now.max_length });
  runBlock.drop();
  setReady(false);
  const found = await runAdvise(asking("advise", args));
  if (!found) return;
  keepVerdict(found.verdict, asked);
  byId("advised").textContent = found.recommendation;
  const before = state.recall("release");
  const isSame = (card) => JSON.stringify(card.options) === JSON.stringify(before?.card);
  const chosen = found.cards.find((card) => isSame(card) && card.verdict === "RELEASE") ?? found.cards[found.best];
  showCards(found, chosen);
  markStale(false, CARDS);
  byId("next-step").hidden = !chosen;
  if (chosen) return choose(chosen);
  byId("result").hidden = true;
  keepRelease(null);
  byId("advice").textContent = "";
  showWord("WITHHOLD", "No safe release", found.recommendation);
}

function showCards({ cards, best }, chosen) {
  const every = cards.map((card, at) => cardOf(card, at === best, card === chosen));
  listSome(byId("remedies"), byId("more-remedies"), every, Math.max(FIRST, cards.indexOf(chosen) + 1));
}

function cardOf(card, isBest, isChosen) {
  const { what, method, verdict, facts: lines, left_out: why } = card;
  const title = sentence(what).slice(0, -1);
  const input = make("input", { type: "radio", name: "remedy", disabled: verdict !== "RELEASE", change: () => choose(card) });
  input.checked = isChosen;
  const rows = lines.flatMap(([name, text]) => [make("dt", {}, name), make("dd", {}, text)]);
  return make(
    "li",
    { "data-method": method },
    make(
      "label",
      { class: "choice remedy" },
      input,
      make(
        "span",
        {},
        make("strong", {}, title),
        isBest ? make("span", { class: "badge" }, "recommended") : null,
        why ? make("span", { class: "help" }, sentence(why)) : make("span", { class: "remedy-facts" }, ...asSpans(rows)),
        make("span", { class: "badge", "data-verdict": verdict }, verdict ?? "not possible"),
      ),
    ),
  );
}

const small = (text) => text.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());

// A label may hold no list: its pairs are spans.
const asSpans = (nodes) => nodes.map((node) => make("span", { class: node.localName }, ...node.childNodes));

/** Show the release of a remedy, and keep it for the step Hand over. */
async function choose({ what, options, verdict, kept, asked: wanted }) {
  setReady(false);
  markStale(false, CARDS);
  const found = await runBlock(asking("block", { ...args, ...options }));
  if (!found) return keepRelease(null);
  const isGood = found.verdict === "RELEASE" && verdict === "RELEASE";
  showWord(found.verdict, found.verdict, what === UNCHANGED ? found.sentence : `If you ${what}, ${small(found.sentence)}`);
  byId("advice").textContent = found.guarantee ?? found.advice ?? "";
  keepRelease(isGood ? { what, options: { ...args, ...options }, card: options, asked } : null);
  showBeforeAfter(found, wanted - kept);
  byId("result").hidden = false;
  setReady(true, isGood);
}

function showBeforeAfter(found, lost) {
  const isTables = Boolean(found.tables);
  for (const id of ["headlines", "changes", "figure-part"]) byId(id).hidden = isTables;
  byId("headlines").parentElement.hidden = isTables;
  byId("costs").hidden = !isTables;
  const column = (title, tables) => make("div", {}, make("h3", {}, title), ...tables.map(tableOf));
  fill(byId("tables"), ...(isTables ? [column("Before", found.before), column("After", found.tables)] : []));
  if (isTables) {
    fill(byId("costs"), ...found.costs.flatMap(([name, text]) => [make("dt", {}, name), make("dd", {}, text)]));
    return;
  }
  fill(byId("headlines").tBodies[0], ...found.headlines.map(changeLine));
  listSome(byId("changes").tBodies[0], byId("more-changes"), found.changes.map(changeLine), SHOWN);
  if (!found.changes.length)
    fill(byId("changes").tBodies[0], make("tr", {}, make("td", { colspan: 3, class: "quiet" }, "No count has changed.")));
  byId("changes-told").textContent = sayLost(found, lost);
  draw(byId("before-after"), found.before_after);
}

/** Return how many combinations are left out, and why the list has fewer lines; ``lost`` are those of the card. */
function sayLost({ distortion: { lost: listed }, left_out: lines }, lost) {
  const same = "combinations of exactly the same people are one line, as on Check.";
  const first = listed > lines ? `${counted(listed, "combination")} are left out, in ${counted(lines, "line")}: ${same}` : capital(same);
  return lost > listed ? `${first} ${number(lost - listed)} more are never looked at with this remedy, and not listed.` : first;
}

function changeLine({ items, before, after }) {
  const now = after === null ? "left out" : number(after);
  const cell = make("td", { class: `right${after === before ? "" : " changed"}` }, now);
  return make("tr", {}, make("td", {}, itemset(items)), right(number(before)), cell);
}

function setReady(isReady, isGood = false) {
  markReady(isReady, ["verdict", "advice", "released", ...CARDS]);
  byId("next-step").ariaDisabled = String(!(isReady && isGood));
}

byId("next-step").addEventListener("click", (event) => {
  if (byId("next-step").ariaDisabled === "true") event.preventDefault();
});

begin();
