// The verdict: its banner, and the checks that it comes from.

import { byId, fill, make } from "./dom.js";

const SIGNS = { RELEASE: "✓", REVIEW: "?", WITHHOLD: "✕" };

/** Show the verdict in its banner, with what to do next. */
export function showVerdict(found, seconds) {
  const verdict = byId("verdict");
  byId("banner").dataset.verdict = found.verdict;
  verdict.dataset.seconds = seconds.toFixed(3);
  fill(
    verdict,
    make("span", { class: "sign", "aria-hidden": "true" }, SIGNS[found.verdict] ?? "?"),
    make(
      "div",
      {},
      make("p", { class: "word" }, found.verdict),
      make("p", { class: "reason" }, found.sentence),
      make("p", { class: "sentence" }, reason(found)),
    ),
  );
  byId("advice").textContent = found.advice ?? found.guarantee ?? "";
}

/** Return the sentences of the worst checks, or that of the last one if all were passed. */
function reason({ verdict, checks }) {
  const worst = checks.filter((check) => check.verdict === verdict);
  return verdict === "RELEASE" ? (worst.at(-1)?.sentence ?? "") : worst.map((check) => check.sentence).join(" ");
}

/** Show in the banner that there is no verdict. */
export function showNone(word, sentence, sign) {
  delete byId("banner").dataset.verdict;
  fill(
    byId("verdict"),
    make("span", { class: "sign", "aria-hidden": "true" }, sign),
    make("div", {}, make("p", { class: "word" }, word), make("p", { class: "sentence" }, sentence)),
  );
  byId("verdict").classList.remove("stale");
}

/** Show that work on the verdict was stopped, with a button to try again. */
export function showStopped(again) {
  showNone("Stopped", "There is no verdict on these settings.", "■");
  fill(byId("audit-work"), make("button", { type: "button", class: "button small", click: again }, "Try again"));
}

/** Remove the verdict; the error is shown as usual. */
export function showFailed() {
  showNone("No verdict", "It could not be computed.", "!");
  return false;
}

/** Mark the verdict, and what else belongs to it, as that of the present settings or as stale. */
export function markReady(isReady, ids) {
  byId("verdict").dataset.ready = String(isReady);
  for (const id of ids) byId(id).classList.toggle("stale", !isReady);
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
  fill(byId("warnings"), ...warnings.map((warning) => make("p", { class: "note" }, warning)));
}
