// What a reader could work out: all findings, of whatever kind, in one list, by kind and by what they are about.

import { byId, capital, counted, debounced, fill, itemset, label, make, number } from "./dom.js";
import { showPages } from "./pages.js";
import * as state from "./state.js";
import { markStale, parts, steps } from "./verdict.js";
import { limits, noun } from "./words.js";
import { asking, worker } from "./work.js";

const LIMIT = 25; // findings on a page
const CHIPS = 12;
const PARTS = ["findings-told", "findings-part"]; // what belongs to old settings until the new list is here

/** Return a function that lists the findings of an audit. */
export function findingsList() {
  const run = worker(byId("findings-work"));
  const panel = explanation();
  let args = null;
  let asked = { search: state.recall("search") ?? "", kind: "", offset: 0 };
  byId("search").value = asked.search;

  async function list() {
    panel.close();
    const found = await run(asking("findings", { ...args, ...asked, limit: LIMIT }));
    if (!found) return;
    markStale(false, PARTS);
    showLines(found, (number) => panel.open(number, args));
    showKinds(found, asked.kind, (kind) => ask({ kind: kind === asked.kind ? "" : kind }));
    showCauses(found, asked.search, (name) => search(name === asked.search ? "" : name));
    const { offset } = asked;
    const place = { offset, shown: found.findings.length, total: found.matching, size: LIMIT };
    showPages(byId("findings-pages"), place, (to) => ask({ offset: to }));
  }

  function ask(changes) {
    asked = { ...asked, offset: 0, ...changes };
    state.remember({ search: asked.search || null });
    return list();
  }

  function search(text) {
    byId("search").value = text;
    return ask({ search: text });
  }

  byId("search").addEventListener(
    "input",
    debounced(() => ask({ search: byId("search").value }), 150),
  );
  byId("findings").addEventListener("keydown", walk);

  return function show(now, { findings }) {
    args = now;
    asked = { ...asked, kind: "", offset: 0 };
    byId("findings-part").hidden = !findings;
    markStale(true, PARTS);
    return list();
  };
}

function showLines({ findings, total, found, matching }, open) {
  fill(byId("findings").tBodies[0], ...findings.map((finding) => lineOf(finding, open)));
  byId("findings").hidden = !findings.length;
  byId("findings").tHead.rows[0].cells[1].textContent = capital(noun());
  byId("findings-told").textContent =
    (matching === total ? counted(total, "finding") : `${number(matching)} of ${counted(total, "finding")}`) +
    (found > total ? `, the worst of ${number(found)}` : "");
  byId("no-findings").hidden = findings.length > 0;
  byId("no-findings").textContent = total
    ? "No finding has all of these words."
    : `Nothing: no difference of these counts reveals fewer than k ${noun()}.`;
}

function lineOf({ number: id, kind, title, has, lacks, conditions, low, high }, open) {
  const who = conditions.length
    ? make("span", { class: "itemset" }, ...conditions.map((text) => make("span", { class: "item" }, label(text))))
    : itemset(has, lacks);
  const button = make(
    "button",
    { type: "button", class: "open", "data-number": id, "aria-expanded": "false", click: () => open(id) },
    who,
    kind === "channel" ? null : make("span", { class: "kind" }, title),
  );
  return make("tr", {}, make("td", {}, button), make("td", { class: "right" }, limits(low, high)));
}

function showKinds({ kinds }, chosen, choose) {
  const chip = ({ kind, title, total }) =>
    make(
      "button",
      { type: "button", class: "chip", "aria-pressed": String(kind === chosen), click: () => choose(kind) },
      `${number(total)} ${title}`,
    );
  fill(byId("kinds"), ...(kinds.length > 1 || chosen ? kinds.map(chip) : []));
}

function showCauses({ causes, of_columns: ofColumns }, now, choose) {
  byId("causes-part").hidden = !causes.length;
  byId("causes-title").textContent = ofColumns ? "Columns they are about, with the number of findings" : "Items they are about, with the number of findings";
  const chip = ({ name, findings }) => {
    const text = wanted(name);
    return make(
      "button",
      { type: "button", class: "chip", "aria-pressed": String(text === now), click: () => choose(text) },
      label(name),
      " ",
      make("span", { class: "quiet" }, number(findings)),
    );
  };
  const chips = causes.map(chip);
  const rest = chips.splice(CHIPS);
  const more = make(
    "button",
    { type: "button", class: "chip", click: () => more.replaceWith(...rest) },
    `${number(rest.length)} more`,
  );
  fill(byId("causes"), ...chips, rest.length ? more : null);
}

/** Return an item as a search word: in quotes if it has blanks. */
const wanted = (item) => (/\s/.test(item) && !/["',]/.test(item) ? `"${item}"` : item);

/** Move between lines with the arrow keys. */
function walk(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const here = event.target.closest(".open");
  if (!step || !here) return;
  const every = [...event.currentTarget.querySelectorAll(".open")];
  every[every.indexOf(here) + step]?.focus();
  event.preventDefault();
}

/** Return functions to open and close the panel that explains a finding. */
function explanation() {
  const run = worker(byId("explain-work"));
  const panel = byId("explain");
  let shown = null;

  async function open(id, args) {
    shown = id;
    mark(id);
    panel.hidden = false;
    byId("browser").dataset.open = "";
    byId("explain-body").setAttribute("aria-busy", "true");
    const found = await run(asking("explain", { ...args, number: id, noun: state.recall("noun") }));
    byId("explain-body").setAttribute("aria-busy", "false");
    fill(byId("explain-body"), ...(found ? [...parts(found), termTable(found)] : []));
    reveal(panel);
  }

  function close({ back = false } = {}) {
    if (panel.hidden) return;
    panel.hidden = true;
    delete byId("browser").dataset.open;
    mark(null);
    // By its number: the lines may have been replaced meanwhile.
    if (back) byId("findings").querySelector(`[data-number="${shown}"]`)?.focus();
  }

  byId("explain-close").addEventListener("click", () => close({ back: true }));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !panel.hidden) close({ back: true });
  });
  return { open, close };
}

/** Scroll to the panel and focus it. */
function reveal(panel) {
  panel.focus({ preventScroll: true });
  const { top, bottom } = panel.getBoundingClientRect();
  if (top < 0 || top > innerHeight - 120 || (bottom > innerHeight && top > innerHeight / 2))
    panel.scrollIntoView({ block: "start", behavior: "smooth" });
}

function mark(id) {
  for (const button of byId("findings").querySelectorAll(".open")) {
    const isOpen = button.dataset.number === String(id);
    button.setAttribute("aria-expanded", String(isOpen));
    button.closest("tr").toggleAttribute("data-open", isOpen);
  }
}

/** Return the published counts that are added and subtracted. */
function termTable({ terms, low, high, more, sum, numbers }) {
  if (!terms.length) return numbers.length ? make("p", { class: "help" }, ...steps(sum)) : null;
  const line = ({ times, items, support }) =>
    make(
      "tr",
      {},
      make("td", { class: "right" }, sign(times)),
      make("td", {}, itemset(items)),
      make("td", { class: "right" }, number(support)),
    );
  const total = make(
    "tr",
    {},
    make("td", { class: "right" }, "="),
    make("td", {}, more ? "after further counts" : "left over"),
    make("td", { class: "right" }, make("strong", {}, limits(low, high))),
  );
  const heads = ["", "Combination", "Published"].map((name, at) =>
    name ? make("th", { scope: "col", class: at === 2 ? "right" : null }, name) : make("td"),
  );
  return make(
    "table",
    { class: "lines fixed terms" },
    make("caption", {}, "From the published counts"),
    make("thead", {}, make("tr", {}, ...heads)),
    make("tbody", {}, ...terms.map(line), total),
  );
}

function sign(times) {
  const many = Math.abs(times) === 1 ? "" : ` ${number(Math.abs(times))} ×`;
  return `${times < 0 ? "−" : "+"}${many}`;
}
