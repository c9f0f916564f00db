// Combinations of items, picked from a list or written as text. This tab keeps them by the numbers of their items.

import { byId, counted, debounced, fill, label, make, number } from "./dom.js";
import * as state from "./state.js";
import { countRows } from "./words.js";
import { asking, worker } from "./work.js";

const PAGE = 50; // items of a list
const PAUSE = 150; // milliseconds without a keystroke before a search

const runItems = worker(byId("options-work"));
const runCount = worker(byId("combinations-work"));
const runText = worker(byId("text-work"), { failed: markText });

let data = null;
let changed = null;
let searched = { text: null, listed: null }; // the last search, and the promise of its items
let lines = [fresh()]; // the last one is being built

function fresh() {
  return { items: [], support: null };
}

/** Begin to follow what is picked; ``told`` hears of each change. */
export async function pick(facts, told) {
  [data, changed] = [facts.data, told];
  byId("search").addEventListener("input", debounced(search, PAUSE));
  byId("search").addEventListener("keydown", searchKey);
  byId("options").addEventListener("click", (event) => take(event.target.closest("[role=option]")));
  byId("options").addEventListener("keydown", optionKey);
  byId("more").addEventListener("click", () => list(byId("options").children.length));
  byId("another").addEventListener("click", (event) => {
    start(fresh());
    if (!event.detail) byId("search").focus(); // by keyboard: a telephone would show its own
  });
  byId("text").value = state.recall("text") ?? "";
  byId("written").open = Boolean(byId("text").value);
  byId("text").addEventListener("input", () => {
    state.remember({ text: byId("text").value });
    byId("text").removeAttribute("aria-invalid");
  });
  byId("add").addEventListener("click", addText);
  show();
  await restore(state.recall("combinations"));
  await search();
}

/** Return the combinations that have items, each as the numbers of these. */
export const combinations = () => lines.filter(({ items }) => items.length).map(numbers);

const numbers = ({ items }) => items.map((one) => one.number);

/** List the items that match the search, unless that is done or under way. */
function search() {
  const text = byId("search").value;
  if (text !== searched.text) {
    searched = { text };
    searched.listed = list(0);
  }
  return searched.listed;
}

async function list(offset) {
  const found = await runItems(asking("items", { data, search: searched.text, offset, limit: PAGE }));
  if (!found) return;
  const total = found.matching;
  const focused = offset ? byId("options").children.length : 0;
  if (!offset) fill(byId("options"));
  byId("options").append(...found.items.map(option));
  const [shown, all] = [byId("options").children.length, counted(total, "item")];
  byId("options-told").textContent = shown < total ? `${number(shown)} of ${all}` : total ? all : "No item matches.";
  byId("more").hidden = shown >= total;
  if (offset) focusOption(byId("options").children[focused]);
  markPicked();
}

function option({ number: code, item, support }) {
  const many = make("span", { class: "quiet" }, countRows(support));
  const node = make("li", { role: "option", tabindex: -1 }, label(item), " ", many);
  return Object.assign(node, { picked: { number: code, item } });
}

/** Go to the first item that matches, or take it; never one of the list before. */
async function searchKey(event) {
  if (event.key !== "ArrowDown" && event.key !== "Enter") return;
  event.preventDefault();
  await search();
  if (byId("search").value !== searched.text) return;
  const first = byId("options").firstElementChild;
  if (event.key === "ArrowDown") return focusOption(first);
  take(first);
  byId("search").select();
}

function optionKey(event) {
  const now = event.target.closest("[role=option]");
  const { firstElementChild: first, lastElementChild: last } = byId("options");
  const next = { ArrowDown: now?.nextElementSibling, ArrowUp: now?.previousElementSibling, Home: first, End: last };
  if (event.key === " " || event.key === "Enter") take(now);
  else if (event.key in next) focusOption(next[event.key]);
  else return;
  event.preventDefault();
}

function focusOption(chosen) {
  if (!chosen) return;
  for (const one of byId("options").children) one.tabIndex = one === chosen ? 0 : -1;
  chosen.focus();
}

/** Put an item into the combination that is being built, or take it out. */
function take(chosen) {
  if (!chosen) return;
  const line = lines.at(-1);
  if (numbers(line).includes(chosen.picked.number)) return drop(line, chosen.picked.number);
  line.items.push(chosen.picked);
  update();
}

function drop(line, code) {
  line.items = line.items.filter((one) => one.number !== code);
  if (!line.items.length && line !== lines.at(-1)) lines = lines.filter((one) => one !== line);
  update();
}

/** Go on with other combinations after those that have items; the last one is being built. */
function start(...more) {
  lines = [...lines.filter(({ items }) => items.length), ...more];
  update();
}

async function addText() {
  const found = await runText(asking("combinations", { data, sensitive: byId("text").value }));
  if (!found) return;
  byId("text").value = "";
  state.remember({ text: null });
  start(...found.combinations, fresh());
}

function markText(error) {
  if (error.status === 400) byId("text").setAttribute("aria-invalid", "true");
  return false;
}

/** Show the combinations of an earlier visit, if the data has their items. */
async function restore(known) {
  if (!known?.length) return;
  const found = await runCount(asking("combinations", { data, sensitive: known }));
  lines = [...(found?.combinations ?? []), fresh()];
  if (found) show();
}

/** Show and keep the combinations, and count their rows. */
async function update() {
  const known = combinations();
  state.remember({ combinations: known.length ? known : null });
  for (const line of lines) line.support = null;
  show();
  if (!known.length) return;
  const found = await runCount(asking("combinations", { data, sensitive: known }));
  if (!found) return;
  const filled = lines.filter(({ items }) => items.length);
  filled.forEach((line, at) => (line.support = found.combinations[at].support));
  for (const [at, place] of byId("combinations").querySelectorAll(".told").entries())
    place.textContent = howMany(filled[at]);
}

function show() {
  const isFocused = byId("combinations").contains(document.activeElement);
  fill(byId("combinations"), ...lines.map(showLine));
  if (isFocused) byId("combinations").focus();
  byId("another").disabled = !lines.at(-1).items.length;
  markPicked();
  changed();
}

const howMany = ({ support }) =>
  support === null ? "counting …" : support ? `in ${countRows(support)}` : "in no row";

function showLine(line) {
  const isLast = line === lines.at(-1);
  if (!line.items.length) return make("li", { class: "building quiet" }, "Choose items from the list.");
  const chip = ({ number: code, item }) =>
    make("button", { type: "button", class: "chip", click: () => drop(line, code) }, label(item), " ✕");
  const remove = () => {
    lines = lines.filter((one) => one !== line);
    if (isLast) lines.push(fresh());
    update();
  };
  return make(
    "li",
    { class: isLast ? "building" : null },
    make("span", { class: "chips" }, ...line.items.map(chip)),
    make("span", { class: "told" }, howMany(line)),
    make("button", { type: "button", class: "button small", click: remove }, "Remove"),
  );
}

function markPicked() {
  const picked = new Set(numbers(lines.at(-1)));
  const every = [...byId("options").children];
  for (const one of every) one.setAttribute("aria-selected", String(picked.has(one.picked.number)));
  if (every.length && !every.some((one) => one.tabIndex === 0)) every[0].tabIndex = 0;
}
