// Settings: minimum support and k, each as a slider and a field, the longest itemsets, what is left out, and the policy.

import { byId, debounced, number, percent } from "./dom.js";
import * as state from "./state.js";

const DECADE = 90; // steps of the slider from one power of ten to the next: 1.0, 1.1 … 9.9
const FEW = 100; // rows, of which k = 10 would be too large a part
const PAUSE = 120; // milliseconds without a change before one counts
const WRONG = "Write a share such as 5% or 0.05, or a number of rows such as 813.";

/** Return the arguments that the settings stand for. */
export const asArguments = ({ data }, now) => ({
  data,
  min_support: now.min_support,
  k: Number(now.k),
  policy: now.policy,
  max_length: now.max_length,
  leave_out: now.leave_out,
});

/** Begin to follow the settings: ``touched`` hears of each change at once, ``changed`` gets them after a burst of changes,
 * and when its first one was made. */
export function settings(facts, changed, touched = () => {}) {
  const now = {
    min_support: state.get("min_support") ?? usual(facts),
    k: state.get("k") ?? (facts.n < FEW ? "3" : "10"),
    policy: state.get("policy"),
    max_length: state.get("max_length"),
    leave_out: state.leftOut(facts.data),
  };
  const set = setter(now, changed, touched);
  const support = minSupport(facts, now, set);
  const k = groupSize(now, set);
  policies(now, set, k);
  longest(now, set);
  leaveOut(facts, now, set);
  return { now, setMinSupport: (text) => support(text) };
}

/** Begin to follow k and the policy alone, as ``settings`` does; return them. */
export function thresholds(changed, touched = () => {}) {
  const now = { k: state.get("k") ?? "10", policy: state.get("policy") };
  const set = setter(now, changed, touched);
  policies(now, set, groupSize(now, set));
  return now;
}

/** Return a function that changes settings, and tells of it at once and after a burst of changes. */
function setter(now, changed, touched) {
  byId("settings").addEventListener("submit", (event) => event.preventDefault());
  let since = 0;
  const later = debounced(() => {
    const moment = since;
    since = 0;
    changed({ ...now }, moment);
  }, PAUSE);
  return (changes) => {
    Object.assign(now, changes);
    since ||= performance.now();
    touched();
    later();
  };
}

/** Return a minimum support to begin with: higher for long rows, which have far more itemsets. */
function usual({ n, entries }) {
  const length = n ? entries / n : 0;
  const share = length <= 12 ? 0.05 : length <= 25 ? 0.2 : 0.7;
  return `${percentAt(stepOf(100 * Math.max(share, Math.min(10 / Math.max(1, n), 0.5))))}%`;
}

/** Return the share that a text stands for, or null: 5%, 0.05 or a number of rows. */
export function shareOf(text, n) {
  const found = /^\s*(\d+(?:\.\d*)?|\.\d+)\s*(%?)\s*$/.exec(text);
  if (!found) return null;
  const value = Number(found[1]);
  const isShare = found[2] || found[1].includes(".");
  const share = found[2] ? value / 100 : isShare ? value : value / n;
  return share > 0 && share <= 1 ? share : null;
}

function minSupport({ n, is_patterns: fixed }, now, set) {
  const [slider, field, told] = [byId("min-support"), byId("min-support-field"), byId("min-support-told")];
  if (fixed) {
    byId("min-support-setting").hidden = true;
    now.min_support = null;
    return () => {};
  }
  slider.max = stepOf(100);
  slider.min = Math.min(stepOf(50), Math.max(0, stepOf(100 / Math.max(1, n))));
  const show = (text, moved = null) => {
    const share = shareOf(text, n);
    field.setAttribute("aria-invalid", share === null);
    if (moved !== field) field.value = text;
    if (share === null) {
      told.textContent = WRONG;
      return false;
    }
    // Floats are near enough for a hint: the server counts exactly.
    const rows = `${number(Math.ceil(Number((share * n).toFixed(6))))} of ${number(n)} rows`;
    if (moved !== slider) slider.value = stepOf(100 * share);
    fillTrack(slider);
    slider.setAttribute("aria-valuetext", `${percent(share)}, ${rows}`);
    told.textContent = `${rows}.`;
    return true;
  };
  const take = (text, moved) => show(text, moved) && set({ min_support: text.trim() });
  slider.addEventListener("input", () => take(`${percentAt(Number(slider.value))}%`, slider));
  field.addEventListener("input", () => take(field.value, field));
  show(now.min_support);
  return take;
}

/** Return the percentage at a step of the slider, of two digits: 0.1 at step 0, then 0.11 and so on, up to 100. */
const percentAt = (step) => Number(((10 + (step % DECADE)) * 10 ** (Math.floor(step / DECADE) - 2)).toPrecision(2));

/** Return the step of the slider that is nearest to a percentage. */
function stepOf(value) {
  const power = Math.floor(Math.log10(value) + 1e-9);
  return Math.round(DECADE * (power + 1) + 10 * (value / 10 ** power - 1));
}

function groupSize(now, set) {
  const [slider, field, told] = [byId("k"), byId("k-field"), byId("k-told")];
  const show = (k) => {
    slider.value = Math.min(100, k);
    fillTrack(slider);
    told.textContent = number(k);
  };
  const take = (k, writeField) => {
    const isRight = Number.isInteger(k) && k >= 1;
    field.setAttribute("aria-invalid", !isRight);
    if (!isRight) return;
    if (writeField) field.value = k;
    show(k);
    set({ k: String(k) });
  };
  slider.addEventListener("input", () => take(Number(slider.value), true));
  field.addEventListener("input", () => take(field.value === "" ? NaN : Number(field.value), false));
  field.value = now.k;
  show(Number(now.k) || 10);
  return take;
}

/** Follow the length at which lists are cut; empty for none. */
function longest(now, set) {
  const field = byId("max-length");
  field.value = now.max_length ?? "";
  field.addEventListener("input", () => {
    const isRight = /^\s*\d*\s*$/.test(field.value);
    field.setAttribute("aria-invalid", !isRight);
    if (isRight) set({ max_length: field.value.trim() || null });
  });
}

/** Follow the items that are left out: labels, so the address does not hold them. */
function leaveOut({ data }, now, set) {
  const field = byId("leave-out");
  field.value = (now.leave_out ?? []).join(", ");
  field.addEventListener("change", () => {
    const names = field.value
      .split(",")
      .map((name) => name.trim())
      .filter(Boolean);
    state.putLeftOut(data, names);
    set({ leave_out: names.length ? names : null });
  });
}

function policies(now, set, takeK) {
  const select = byId("policy");
  const show = () => {
    const { about, k } = select.selectedOptions[0]?.dataset ?? {};
    byId("policy-help").textContent = about || "Judged by this policy.";
    return Number(k) || 0;
  };
  select.value = now.policy ?? "";
  show();
  select.addEventListener("change", () => {
    const least = show();
    set({ policy: select.value || null });
    // With a policy, k may only be stricter.
    if (least > Number(now.k)) takeK(least, true);
  });
}

function fillTrack(slider) {
  const share = (slider.value - slider.min) / (slider.max - slider.min);
  slider.style.setProperty("--at", `${100 * share}%`);
}
