// The steps in the head of every page, each with its state: file, verdict, remedy, release.

import { label } from "./dom.js";
import * as state from "./state.js";

const NEEDED = { RELEASE: "not needed", REVIEW: "look at it", WITHHOLD: "needed" };

/** Show the state of each step for the data of the address; with wrong settings, nothing is known. */
export function showSteps({ isWrong = false } = {}) {
  if (!state.get("data")) return;
  const verdict = isWrong ? null : state.recall("verdict");
  const release = isWrong ? null : state.recall("release");
  tell("check", verdict ?? "not checked yet", verdict);
  const needed = state.recall("is_repaired") === false ? "not here" : (NEEDED[verdict] ?? "");
  tell("fix", release ? release.what : needed, release ? "RELEASE" : null);
  tell("handover", release ? "ready" : "", release ? "RELEASE" : null);
}

/** Keep a verdict (null: none yet) with its settings, and forget the release of other ones. */
export function keepVerdict(verdict, asked) {
  const release = state.recall("release");
  const isSame = JSON.stringify(release?.asked) === JSON.stringify(asked);
  state.remember({ verdict, asked, release: isSame ? release : null });
  showSteps();
}

/** Keep what was chosen to be handed over, in words and as options for the server. */
export function keepRelease(release) {
  state.remember({ release });
  showSteps();
}

/** Show which file is loaded, and how much it holds. */
export function tellFile(file, size) {
  const place = find("load");
  place.replaceChildren(label(file), size ? ` · ${size}` : "");
}

function tell(step, words, verdict) {
  const place = find(step);
  place.textContent = words;
  place.closest("a").dataset.verdict = verdict ?? "";
}

const find = (step) => document.querySelector(`[data-step=${step}] .step-state`);
