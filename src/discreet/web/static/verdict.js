// The verdict: its banner with the decisive finding, and the checks that it comes from.

import { byId, fill, make, number, picture } from "./dom.js";
import { tryAgain } from "./work.js";

const SIGNS = { RELEASE: "✓", REVIEW: "?", WITHHOLD: "✕" };
const NOTHING = "Nothing to publish";
const UNTESTED = "Not checked here"; // so begins the warning that a stronger reader may find more

/** Show the verdict in its banner, with the worst finding. */
export function showVerdict(found, seconds) {
  const { nothing, decisive, advice, guarantee, verdict } = found;
  showWord(nothing ? "NOTHING" : verdict, nothing ? NOTHING : verdict, nothing ? nothing.sentence : found.sentence, "–");
  byId("verdict").dataset.seconds = seconds.toFixed(3);
  fill(byId("decisive"), ...(decisive ? parts(decisive) : [])).hidden = !decisive || Boolean(nothing);
  byId("advice").textContent = nothing ? "" : (advice ?? guarantee ?? "");
}

/** Return the parts of a finding: its dots, its sentence, and the subtraction as three numbers. */
export function parts({ words, numbers, svg, sum }) {
  const term = ({ value, words: told }, at) =>
    make(
      "div",
      { class: at === 2 ? "term few" : "term" },
      at ? make("span", { class: "operator" }, at === 1 ? "−" : "=") : null,
      make("strong", {}, number(value)),
      make("span", {}, told),
    );
  return [
    svg ? picture(svg) : null,
    make(
      "div",
      { class: "decisive-words" },
      make("p", { class: "finding" }, words),
      numbers.length ? make("div", { class: "subtraction" }, ...numbers.map(term)) : null,
      numbers.length || !sum ? null : make("p", { class: "help" }, ...steps(sum)),
    ),
  ].filter(Boolean);
}

/** Return the steps of a sum, a line for each; the last one is about the count itself. */
export const steps = (sum) => sum.split("; ").map((step) => make("bdi", { class: "step" }, step));

/** Show a word and a sentence in the banner; without a verdict, it has no colour. */
export function showWord(verdict, word, sentence, sign = "!") {
  if (verdict) byId("banner").dataset.verdict = verdict;
  else delete byId("banner").dataset.verdict;
  fill(
    byId("verdict"),
    make("span", { class: "sign", "aria-hidden": "true" }, SIGNS[verdict] ?? sign),
    make("div", {}, make("p", { class: "word" }, word), make("p", { class: "sentence" }, sentence)),
  );
}

/** Show in the banner that there is no verdict. */
export function showNone(word, sentence, sign) {
  showWord(null, word, sentence, sign);
  byId("decisive").hidden = true;
  byId("advice").textContent = "";
  byId("verdict").classList.remove("stale");
}

/** Show in the banner that a verdict is waited for. */
export const showLooking = () => showNone("…", "Looking at the data.", "…");

/** Show that work on the verdict was stopped, with a button to try again. */
export function showStopped(again) {
  showNone("Stopped", "There is no verdict on these settings.", "■");
  fill(
    byId("audit-work"),
    tryAgain(() => {
      showLooking();
      again();
    }),
  );
}

/** Remove the verdict; the error is shown as usual. */
export function showFailed() {
  showNone("No verdict", "It could not be computed. Change a setting, or load the page again.", "!");
  return false;
}

/** Mark the verdict, and what else belongs to it, as that of the present settings or as stale. */
export function markReady(isReady, ids) {
  byId("verdict").dataset.ready = String(isReady);
  markStale(!isReady, ids);
}

/** Make parts of the page look stale; nothing in them can be used meanwhile, but the focus stays where it is. */
export function markStale(isStale, ids) {
  for (const node of ids.map(byId)) {
    node.classList.toggle("stale", isStale);
    node.inert = isStale && !node.contains(document.activeElement);
  }
}

/** Show the checks, and what else a reader must know. */
export function showChecks({ checks, warnings = [] }) {
  const line = ({ name, verdict, sentence }) =>
    make(
      "li",
      { class: verdict },
      make("span", { class: "dot", "aria-hidden": "true" }, SIGNS[verdict] ?? "?"),
      make(
        "div",
        {},
        make("strong", {}, name),
        make("span", { class: "unseen" }, `: ${verdict}. `),
        make("p", {}, sentence),
      ),
    );
  fill(byId("checks"), ...checks.map(line));
  const note = (warning) => make("p", { class: "note", "data-untested": warning.startsWith(UNTESTED) }, warning);
  fill(byId("warnings"), ...warnings.map(note));
}

/** Show what a stronger reader found instead of the warning that none was tried. */
export function tellTested(words) {
  const note = byId("warnings").querySelector("[data-untested]");
  if (note) note.textContent = words;
}
