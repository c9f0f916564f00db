// Settings: minimum support and k, each as a slider and a field, the policy, and what is left out.

import { byId, debounced, fill, label, make, number, percent } from "./dom.js";
import { chooser, receive } from "./drop.js";
import { normal, shareOf, whole } from "./numbers.js";
import * as state from "./state.js";
import { noun } from "./words.js";
import { worker } from "./work.js";

const DECADE = 90; // steps of the slider from one power of ten to the next: 1.0, 1.1 … 9.9
const PAUSE = 120; // milliseconds without a change before one counts
const WRONG_SUPPORT = "Write a share such as 5% or 0.05, or a number such as 813.";
const WRONG_K = "Write a whole number from 1 on.";
const WRONG_LENGTH = "Write a whole number from 1 on, or nothing.";
const SETTINGS = {
  rows: ["min_support", "max_length", "older"],
  patterns: ["max_length", "older"],
  tables: ["older"],
}; // those that mean something to each kind of data, beside k and the policy

/** Return the arguments that the settings stand for. */
export const asArguments = ({ data }, now) => ({
  data,
  min_support: now.min_support,
  k: Number(now.k),
  policy: now.policy,
  max_length: now.max_length,
  leave_out: now.leave_out,
  older: now.older?.map((one) => one.upload ?? one.files),
  grown: now.older ? now.grown : null,
});

/** Begin to follow the settings: ``touched`` hears of each change at once, with what is wrong; ``changed`` gets them after
 * a burst of changes, and when its first one was made, unless something is wrong. */
export function settings(facts, { changed, touched = () => {} }) {
  const used = SETTINGS[facts.holds] ?? [];
  for (const part of document.querySelectorAll("[data-setting]")) part.hidden = !used.includes(part.dataset.setting);
  const now = {
    k: state.get("k") ?? "10",
    policy: state.get("policy"),
    min_support: used.includes("min_support") ? (state.get("min_support") ?? usual(facts)) : null,
    max_length: used.includes("max_length") ? state.get("max_length") : null,
    leave_out: used.includes("max_length") ? state.recall("leave_out") : null,
    older: used.includes("older") ? state.recall("older") : null,
    grown: state.recall("grown"),
  };
  const set = setter(now, changed, touched);
  const support = minSupport(facts, now, set);
  policies(now, set, groupSize(now, set));
  longest(now, set);
  leaveOut(now, set);
  olderReleases(now, set);
  return { now, setMinSupport: (text) => support(text) };
}

/** Return a function that changes settings, or says that a field is wrong, and tells of it at once and after a pause. */
function setter(now, changed, touched) {
  byId("settings").addEventListener("submit", (event) => event.preventDefault());
  const wrong = new Map();
  let since = 0;
  const later = debounced(() => {
    const moment = since;
    since = 0;
    if (!wrong.size) changed({ ...now }, moment);
  }, PAUSE);
  return (field, changes, fault = null) => {
    field.setAttribute("aria-invalid", String(fault !== null));
    if (fault === null) wrong.delete(field.id);
    else wrong.set(field.id, fault);
    if (fault === null) Object.assign(now, changes);
    since ||= performance.now();
    touched([...wrong.values()][0] ?? null);
    later();
  };
}

/** Return a minimum support to begin with: higher for long rows, which have far more itemsets. */
export function usual({ n, entries }) {
  const length = n ? entries / n : 0;
  const share = length <= 12 ? 0.05 : length <= 25 ? 0.2 : 0.7;
  return `${percentAt(stepOf(100 * Math.max(share, Math.min(10 / Math.max(1, n), 0.5))))}%`;
}

function minSupport({ n }, now, set) {
  const [slider, field, told] = [byId("min-support"), byId("min-support-field"), byId("min-support-told")];
  if (now.min_support === null) return () => {};
  slider.max = stepOf(100);
  slider.min = Math.min(stepOf(50), Math.max(0, stepOf(100 / Math.max(1, n))));
  const show = (text, moved = null) => {
    const share = shareOf(text, n);
    if (moved !== field) field.value = text;
    told.textContent = share === null ? WRONG_SUPPORT : "";
    told.classList.toggle("wrong", share === null);
    if (share === null) return false;
    // Floats are near enough for a hint: the server counts exactly.
    const rows = `${number(Math.ceil(Number((share * n).toFixed(6))))} of ${number(n)} ${noun("rows")}`;
    if (moved !== slider) slider.value = stepOf(100 * share);
    fillTrack(slider);
    slider.setAttribute("aria-valuetext", `${percent(share)}, ${rows}`);
    told.textContent = `${rows}.`;
    return true;
  };
  const take = (text, moved) =>
    show(text, moved) ? set(field, { min_support: normal(text) }) : set(field, {}, WRONG_SUPPORT);
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
  };
  const take = (text, { write = true } = {}) => {
    const k = whole(text, 1);
    told.textContent = k === null ? WRONG_K : "";
    told.classList.toggle("wrong", k === null);
    if (k === null) return set(field, {}, WRONG_K);
    if (write) field.value = k;
    show(k);
    set(field, { k: String(k) });
  };
  const takeOwn = (text, how) => {
    now.raised = null; // what somebody chose stays
    take(text, how);
  };
  slider.addEventListener("input", () => takeOwn(slider.value));
  field.addEventListener("input", () => takeOwn(field.value, { write: false }));
  field.value = now.k;
  show(Number(now.k) || 10);
  return take;
}

/** Follow the length at which lists are cut; empty for none. */
function longest(now, set) {
  const field = byId("max-length");
  const told = byId("max-length-help").textContent;
  field.value = now.max_length ?? "";
  field.addEventListener("input", () => {
    const length = field.value.trim() === "" ? 0 : whole(field.value, 1);
    byId("max-length-help").textContent = length === null ? WRONG_LENGTH : told;
    byId("max-length-help").classList.toggle("wrong", length === null);
    if (length === null) set(field, {}, WRONG_LENGTH);
    else set(field, { max_length: length ? String(length) : null });
  });
}

/** Follow the items that are left out: labels, so the address does not hold them. */
function leaveOut(now, set) {
  const field = byId("leave-out");
  field.value = (now.leave_out ?? []).join(", ");
  field.closest("details").open = Boolean(now.leave_out ?? now.max_length);
  field.addEventListener("input", () => {
    const names = field.value
      .split(",")
      .map((name) => name.trim())
      .filter(Boolean);
    state.remember({ leave_out: names.length ? names : null });
    set(field, { leave_out: names.length ? names : null });
  });
}

/** Follow the older releases that this one is judged together with. */
function olderReleases(now, set) {
  const [list, grown] = [byId("older"), byId("grown")];
  const run = worker(byId("older-work"));
  const show = () => {
    const line = (one, at) =>
      make(
        "li",
        {},
        label(one.file ?? "a release folder"),
        make("button", { type: "button", class: "button small", "data-at": at }, "Remove"),
      );
    fill(list, ...(now.older ?? []).map(line));
    grown.closest("label").hidden = !now.older;
  };
  const take = (older) => {
    const changes = { older: older.length ? older : null, grown: grown.checked || null };
    state.remember(changes);
    set(grown, changes);
    show();
  };
  grown.checked = Boolean(now.grown);
  list.closest("details").open = Boolean(now.older);
  grown.addEventListener("change", () => take(now.older ?? []));
  list.addEventListener("click", ({ target }) => {
    const at = target.closest("button")?.dataset.at;
    if (at !== undefined) take(now.older.filter((_, place) => place !== Number(at)));
  });
  chooser(byId("add-older"), byId("older-file"), async (files) => {
    const found = await run((work) => receive(files, work));
    if (found) take([...(now.older ?? []), found.release]);
  });
  show();
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
    const own = now.raised ?? Number(now.k); // before a policy raised it: the arrow keys pass by policies that nobody wants
    const k = Math.max(own, show()); // with a policy, k may only be stricter
    now.raised = k > own ? own : null;
    set(select, { policy: select.value || null });
    if (k !== Number(now.k)) takeK(String(k));
  });
}

function fillTrack(slider) {
  const share = (slider.value - slider.min) / (slider.max - slider.min);
  slider.style.setProperty("--at", `${100 * share}%`);
}
