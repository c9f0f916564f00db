// The steps in the head of every page, each with its state: file, verdict, remedy, release.

import { counted, label, make } from "./dom.js";
import * as state from "./state.js";

const NEEDED = { RELEASE: "no need", REVIEW: "look at it", WITHHOLD: "needed" };

/** Show the state of each step for the data of the address; ``instead`` is told where there is no verdict on the settings. */
export function showSteps({ instead = null } = {}) {
  if (!state.get("data")) return;
  const verdict = instead ? null : state.recall("verdict");
  const release = instead ? null : state.recall("release");
  tell("check", instead ?? verdict ?? "not yet", verdict);
  const needed = state.recall("is_repaired") === false ? "not here" : (NEEDED[verdict] ?? "");
  tell("fix", release && verdict !== "RELEASE" ? "made safe" : needed, release ? "RELEASE" : null);
  tell("handover", release ? "ready" : "", release ? "RELEASE" : null);
}

/** Keep a verdict (null: none yet) with its settings, and forget the release of other ones. */
export function keepVerdict(verdict, asked) {
  const release = state.recall("release");
  const isSame = JSON.stringify(release?.asked) === JSON.stringify(asked);
  state.remember({ verdict, asked, release: isSame ? release : null });
  showSteps();
}

/** Keep what a stronger reader proved with some settings; null if nothing. */
export const keepProven = (proven) => state.remember({ proven });

/** Return what a stronger reader proved with these settings; null if none was tried, or nothing was proven. */
export function provenWith(asked) {
  const proven = state.recall("proven");
  return proven && JSON.stringify(proven.asked) === JSON.stringify(asked) ? proven : null;
}

/** Return what is said instead of a verdict of RELEASE if a stronger reader proved something. */
export const sayProven = ({ total }) =>
  `Differences of these counts reveal no small group, but a stronger reader works out ${counted(total, "group")}.`;

/** Keep what was chosen to be handed over, in words and as options for the server. */
export function keepRelease(release) {
  state.remember({ release });
  showSteps();
}

/** Show which file is loaded, and how much it holds. */
export function tellFile(file, size) {
  const place = find("load");
  place.replaceChildren(label(file), ...(size ? [make("span", { class: "size" }, ` · ${size}`)] : []));
}

function tell(step, words, verdict) {
  const place = find(step);
  place.textContent = words;
  place.closest("a").dataset.verdict = verdict ?? "";
}

const find = (step) => document.querySelector(`[data-step=${step}] .step-state`);
