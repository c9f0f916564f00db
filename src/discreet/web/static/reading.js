// The form "How the file is read": the reading to confirm, choices where it is unclear, and options to change it.

import { columnTable } from "./columns.js";
import { byId, bytes, counted, debounced, fill, itemset, label, make, number, sentence } from "./dom.js";
import { normal } from "./numbers.js";
import * as state from "./state.js";
import { tellFile } from "./steps.js";
import { asking, worker } from "./work.js";

const USED = {
  baskets: ["empty_rows", "noun"],
  table: ["columns", "na", "person", "per", "header", "noun"],
  long: ["row", "item", "person", "per", "header", "noun"],
  onehot: ["row", "person", "per", "header", "noun"],
  lists: ["items", "row", "noun"],
  rows: ["noun"],
  patterns: ["n", "kind", "max_length", "format"],
  rules: ["n", "digits", "rounding", "listed_from", "min_confidence"],
  tree: ["n"],
  tables: ["masked", "counts", "totals", "round_to", "drop"],
}; // the fields of each shape of rows, and of each kind of file
const LAYOUT = ["separator", "encoding", "sheet"]; // fields of rows and tables
const TEXT = ["separator", "encoding", "header"]; // fields of text files alone
const SHEETS = ["excel", "ods"]; // formats with several sheets
const KEPT = ["separator", "encoding", "sheet"]; // by another shape
const LISTS = ["na", "totals", "masked", "drop"]; // fields with several values, separated by commas
const FLAGS = ["header", "empty_rows"];
const CHOOSE = ["", "choose one"];
const TITLES = {
  patterns: "A list of patterns",
  rules: "A list of rules",
  tree: "A decision tree",
  tables: "Tables of counts",
};

/** Open the form for an upload. ``loaded`` gets the data; ``left`` is called on leaving. */
export async function readingForm({ upload }, options, loaded, left) {
  const form = byId("reading");
  const runPreview = worker(byId("load-work"), { failed: showWrong });
  const runLoad = worker(byId("load-work"), { failed: showWrong });
  const columns = columnTable(byId("columns"), (changes) => preview({ ...asked, ...changes }));
  let seen = null;
  let asked = {}; // the options of the reading that is shown, or waited for
  let isEdited = false; // whether a field may differ from them

  async function preview(wanted) {
    asked = wanted;
    isEdited = false;
    byId("preview").setAttribute("aria-busy", "true");
    byId("load").disabled = true; // what is shown is no longer what was asked for
    const answer = await runPreview(asking("preview", { upload, ...wanted }));
    byId("preview").setAttribute("aria-busy", "false");
    if (!answer) return;
    asked = answer.confirm ?? answer.chosen;
    seen = { ...answer, choices: answer.choices.filter((choice) => !isAsked(choice, answer.chosen)) };
    show(seen, preview);
    columns.show(seen);
  }

  form.addEventListener("change", ({ target }) => {
    if (target.name === "shape") preview({ ...pick(asked, KEPT), holds: "rows", format: target.value });
    else if (target.id === "holds") preview({ holds: target.value });
    else if (target.id === "noun") return;
    else if (target.closest("[data-field]") && target.id) preview(changed(asked, target.id, valueOf(target)));
  });
  form.addEventListener("focusout", () => isEdited && preview(asked)); // a text that is as before has not changed
  form.addEventListener("input", ({ target }) => {
    if (target.type === "checkbox" || target.id === "noun") return;
    runPreview.drop();
    isEdited = true;
    byId("load").disabled = true; // until it was read again
  });
  byId("n").addEventListener(
    "input",
    debounced(() => preview(changed(asked, "n", valueOf(byId("n")))), 200),
  );
  byId("change").addEventListener("click", () => unfold(byId("how").hidden));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (byId("load").disabled) return;
    const facts = await runLoad(asking("read", { upload, ...seen.confirm }));
    if (!facts) return;
    state.remember({ noun: byId("noun").value.trim() || null }, facts.data);
    loaded(facts);
  });
  byId("another").addEventListener("click", () => {
    showForm(false);
    left();
  });
  showForm(true);
  await preview(options);
  if (seen) byId("reading-title").focus({ preventScroll: true });
}

/** Return whether the fields of the form ask for what a choice leaves out. */
const isAsked = ({ options }, { format }) => format === "long" && Object.values(options).includes(null);

/** Show the form, or the choice of a file. */
function showForm(isShown) {
  byId("reading").hidden = !isShown;
  for (const id of ["hero", "drop-region", "samples", "loaded-part"]) byId(id).hidden = isShown;
  if (!isShown) byId("loaded-part").hidden = !byId("loaded").children.length;
}

function unfold(isOpen) {
  byId("how").hidden = !isOpen;
  byId("change").setAttribute("aria-expanded", String(isOpen));
}

const pick = (options, names) =>
  Object.fromEntries(names.filter((name) => name in options).map((name) => [name, options[name]]));

const shapeOf = ({ holds, reading, chosen }) =>
  holds !== "rows" ? holds : (reading?.shape ?? (chosen.format in USED ? chosen.format : "rows"));

function valueOf({ id, value }) {
  if (id === "n") return normal(value) ?? (value.trim() || null);
  if (LISTS.includes(id)) return value.split(",").map((text) => text.trim()).filter(Boolean);
  return FLAGS.includes(id) ? (value ? value === "true" : null) : value.trim() || (id === "separator" ? value : null) || null;
}

/** Return options with another value; those that it makes obsolete are left out. */
function changed(options, name, value) {
  const isLayout = KEPT.includes(name) || name === "header"; // columns may have other names then
  const kept = name === "format" ? pick(options, ["holds"]) : isLayout ? pick(options, ["holds", "format", ...KEPT]) : options;
  const next = { ...kept, [name]: Array.isArray(value) && !value.length ? null : value };
  return name === "person" && !value ? { ...next, per: null } : next;
}

function show(seen, preview) {
  const isUnclear = seen.choices.length > 0;
  fill(byId("reading-file"), label(seen.file));
  tellFile(seen.file, "to be confirmed");
  byId("reading-bytes").textContent = bytes(seen.bytes);
  byId("reading-title").textContent = isUnclear
    ? "How is this file meant?"
    : (TITLES[seen.holds] ?? "How the file is read");
  byId("sentence").textContent = isUnclear ? sentence(seen.error) : seen.reading ? sentence(seen.reading.text) : "";
  byId("sentence").hidden = !byId("sentence").textContent;
  showChoices(seen, preview);
  showDoubts(seen, preview);
  showFields(seen);
  showMarks(seen, preview);
  fill(byId("raw"), ...seen.lines.map((line) => make("span", { class: "raw-line" }, line || " ")));
  byId("raw").parentElement.hidden = !seen.lines.length;
  byId("read-title").textContent = `${whichOf(seen)}, as they are understood`;
  byId("read-id").textContent = seen.holds === "rows" ? "Row" : "Number";
  showRows(seen.rows);
  showError(isUnclear ? null : seen.error);
  byId("preview").firstElementChild.hidden = !seen.rows.length;
  byId("load").hidden = isUnclear;
  byId("load").disabled = !seen.confirm;
  if (seen.error && !isUnclear) unfold(true);
}

const LISTED = { patterns: "itemset", rules: "rule", tree: "leaf" };

/** Return which rows, itemsets, rules or leaves are shown: a list need not be in the order of its file. */
function whichOf({ holds, rows, total }) {
  if (!total) return "The first rows";
  const all = holds === "tree" && total > 1 ? `${number(total)} leaves` : counted(total, LISTED[holds]);
  return rows.length < total ? `${number(rows.length)} of ${all}` : `All ${all}`;
}

/** Show the marks in tables of counts with what each was taken for; a click lets that be changed. */
function showMarks({ marks, columns, holds }, preview) {
  byId("marks-part").hidden = !marks.length;
  if (holds === "tables") fill(byId("count-columns"), ...columns.map((name) => make("option", { value: name })));
  const button = ({ mark, low, high, cells }) => {
    const meaning = high !== null ? `${number(low)} to ${number(high)}` : low ? `${number(low)} or more` : "any count";
    return make(
      "button",
      { type: "button", class: "chip", click: () => changeMark(mark, `${low}..${high ?? ""}`) },
      make("strong", {}, label(mark || "blank")),
      ` means ${meaning}, ${counted(cells, "cell")}`,
    );
  };
  fill(byId("marks"), ...marks.map(button));
}

/** Write what a mark means to the field for it, to be changed there. */
function changeMark(mark, limits) {
  const field = byId("masked");
  const others = valueOf(field).filter((rule) => rule.slice(0, rule.lastIndexOf("=")).trim() !== mark);
  field.value = [...others, `${mark}=${limits}`].join(", ");
  unfold(true);
  field.focus();
  field.setSelectionRange(field.value.length - limits.length, field.value.length);
}

/** Show the ways in which a file may be read; one that leaves out a value unfolds the field for it. */
function showChoices({ choices, chosen }, preview) {
  const button = ({ meaning, detail, options }) =>
    make(
      "button",
      {
        type: "button",
        class: "choice pick",
        click: () => {
          const isOpen = Object.values(options).includes(null);
          if (isOpen) unfold(true);
          const format = isOpen && "row" in options ? { format: "long" } : {};
          preview({ ...chosen, ...options, ...format });
        },
      },
      make("strong", {}, sentence(meaning).slice(0, -1)),
      detail ? make("span", { class: "help" }, detail) : null,
    );
  fill(byId("choices"), ...choices.map(button)).hidden = !choices.length;
}

/** Show why a person must look at the reading, with what can be done about it. */
function showDoubts({ reading, confirm }, preview) {
  const doubts = reading?.doubts ?? [];
  const button = ({ text, options }) =>
    make("button", { type: "button", class: "button small", click: () => preview({ ...confirm, ...options }) }, text);
  const line = ({ text, remedies }) =>
    make(
      "li",
      { class: "note" },
      make("p", {}, `${text}.`),
      remedies.length ? make("p", { class: "actions" }, ...remedies.map(button)) : null,
    );
  fill(byId("doubts"), ...doubts.map(line)).hidden = !doubts.length;
}

function showFields(seen) {
  const form = byId("reading");
  const shape = shapeOf(seen);
  const known = { ...seen.chosen, ...seen.reading, ...seen.confirm };
  for (const input of form.elements.shape) {
    input.checked = input.value === shape;
    input.closest("label").hidden = !seen.shapes.includes(input.value);
  }
  byId("shapes").hidden = !seen.shapes.length;
  options(
    byId("holds"),
    seen.kinds.map(({ name, title }) => [name, title]),
    seen.holds,
  );
  const names = seen.columns.map((name) => [name, name]);
  options(byId("row"), [shape === "long" ? CHOOSE : ["", "none"], ...names], known.row);
  options(byId("item"), [CHOOSE, ...names], known.item);
  options(byId("items"), [CHOOSE, ...names], known.items);
  options(byId("person"), [["", "none: one row each"], ...names], known.person);
  options(
    byId("format"),
    seen.formats.map((name) => [name, name]),
    seen.format,
  );
  const used = [...(USED[shape] ?? []), ...(seen.holds === "rows" || seen.holds === "tables" ? LAYOUT : []), "format"];
  for (const field of form.querySelectorAll("[data-field]")) {
    const name = field.dataset.field;
    field.hidden = !(used.includes(name) && suits(name, seen)) || (name === "per" && !known.person);
    write(name, known[name]);
  }
}

/** Write a value to the field of an option, unless somebody writes there. */
function write(name, value) {
  const field = byId(name);
  if (!field || field === document.activeElement || name === "columns" || name === "noun") return;
  if (["row", "item", "items", "person", "format"].includes(name)) return; // written with their choices
  field.value = LISTS.includes(name) ? (value ?? []).join(", ") : FLAGS.includes(name) ? String(value ?? "") : (value ?? "");
}

/** Return whether files of a format have a field. */
function suits(name, { holds, format }) {
  if (holds !== "rows") return name !== "format" || holds === "patterns";
  if (SHEETS.includes(format)) return name === "header" || !TEXT.includes(name);
  return name !== "sheet" && (format === "csv" || !TEXT.includes(name));
}

function showRows(rows) {
  const line = ({ id, items, more }, at) =>
    make(
      "tr",
      {},
      make("td", {}, id === null || id === undefined ? number(at + 1) : label(id)),
      make(
        "td",
        {},
        items.length ? itemset(items) : make("span", { class: "quiet" }, "no items"),
        more ? make("span", { class: "quiet" }, ` and ${number(more)} more`) : null,
      ),
    );
  fill(byId("read"), ...rows.map(line));
}

function showError(error) {
  byId("reading-alert").hidden = !error;
  fill(byId("reading-alert"), make("span", {}, error ? sentence(error) : ""));
}

function showWrong(error) {
  showError(error.message);
  return true;
}

function options(select, pairs, value) {
  fill(select, ...pairs.map(([name, text]) => label(text, "option", { value: name })));
  select.value = value ?? "";
}
