// Work in a place of the page: progress with a button to stop it, or an error.

import { ask, Failure, Stopped } from "./api.js";
import { fill, make, number, sentence } from "./dom.js";

const PATIENCE = 300; // milliseconds before progress is shown: what is quicker would only flicker
const SPOKEN = 5000; // milliseconds between what a screen reader is told

const NEVER = new Promise(() => {});

/** Return a function that does one thing at a time in ``place``: what is begun later ends what was begun before.
 *
 * It resolves to the answer, or to null if it failed, which is told in ``place``, unless ``failed`` takes it. What was
 * stopped can be tried again; ``stopped`` gets how, unless that is told in ``place``. What was overtaken, or dropped
 * because the answer would belong to old settings, never resolves.
 */
export function worker(place, { failed = null, stopped = null } = {}) {
  let current = null;
  const tell = stopped ?? ((again) => tellStopped(place, again));
  const begin = (next) => {
    current?.abort();
    current = next;
    fill(place);
  };
  async function run(action) {
    const own = new AbortController();
    begin(own);
    const progress = progressIn(place, () => own.abort());
    try {
      const answer = await action({ signal: own.signal, told: progress.told });
      if (own !== current) return NEVER;
      fill(place);
      return answer;
    } catch (error) {
      if (own !== current) return NEVER;
      fill(place);
      // The caller waits until somebody tries again.
      if (error instanceof Stopped) return new Promise((resolve) => tell(() => resolve(run(action))));
      if (!failed?.(error)) tellFailure(place, error);
      return null;
    } finally {
      progress.end();
      if (own === current) current = null;
    }
  }
  return Object.assign(run, { drop: () => begin(null) });
}

/** Return an action that sends a request. */
export const asking = (verb, args) => (work) => ask(verb, args, work);

/** Show an error. */
export function tellFailure(place, error) {
  if (!(error instanceof Failure)) console.error(error);
  const words = error instanceof Failure ? error.message : "Something went wrong on this page; load it again.";
  fill(place, make("p", { class: "alert", role: "alert" }, make("span", {}, sentence(words))));
}

function tellStopped(place, again) {
  fill(place, make("p", { class: "alert calm", role: "alert" }, make("span", {}, "Stopped."), tryAgain(again)));
}

/** Return a button that tries again what was stopped. */
export const tryAgain = (again) => make("button", { type: "button", class: "button small", click: again }, "Try again");

/** Show progress in ``place`` if it takes long; return functions to update and to end it. */
function progressIn(place, stop) {
  const bar = make("progress", { max: 1, "aria-label": "Progress" });
  const words = make("span", { class: "told" }, "working");
  const spoken = make("span", { class: "unseen", role: "status" });
  const button = make("button", { type: "button", class: "button small", click: stop }, "Stop");
  const shown = make("div", { class: "progress" }, bar, words, button, spoken);
  const timer = setTimeout(() => fill(place, shown), PATIENCE);
  let last = 0;
  const told = (facts) => {
    if (facts.done === null || facts.done === undefined) bar.removeAttribute("value");
    else bar.value = Math.min(1, Math.max(0, facts.done));
    words.textContent = howFar(facts);
    if (Date.now() - last > SPOKEN) {
      last = Date.now();
      spoken.textContent = words.textContent;
    }
  };
  const end = () => {
    clearTimeout(timer);
    shown.remove();
  };
  return { told, end };
}

/** Return the progress in words, such as "mining: 12,345 found, about 3 s left". */
function howFar({ stage, found, seconds_left: left }) {
  const parts = [];
  if (found) parts.push(`${number(found)} found`);
  if (left !== null && left !== undefined) parts.push(`about ${number(Math.max(1, Math.round(left)))} s left`);
  const head = stage || "working";
  return parts.length ? `${head}: ${parts.join(", ")}` : head;
}
