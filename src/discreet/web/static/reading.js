// The form "How the file is read": the reading to confirm, choices where it is unclear, and options to change it.

import { columnTable } from "./columns.js";
import { byId, bytes, debounced, fill, itemset, label, make, number, sentence } from "./dom.js";
import { asking, worker } from "./work.js";

const USED = {
  baskets: ["empty_rows"],
  table: ["columns", "na", "person", "per", "header"],
  long: ["row", "item", "person", "per", "header"],
  onehot: ["row", "person", "per", "header"],
  lists: ["items", "row"],
}; // the fields of each shape
const TEXT = ["separator", "encoding", "header"]; // fields of text files alone
const SHEETS = ["excel", "ods"]; // formats with several sheets
const KEPT = ["separator", "encoding", "sheet"]; // by another shape
const CHOOSE = ["", "choose one"];

/** Return a function that opens the form for an upload. ``loaded`` gets the data; ``left`` is called on leaving. */
export function readingForm(loaded, left) {
  const form = byId("reading");
  const runPreview = worker(byId("load-work"), { failed: showWrong });
  const runLoad = worker(byId("load-work"), { failed: showWrong });
  const columns = columnTable(byId("columns"), (changes) => preview({ ...asked, ...changes }));
  let upload = null;
  let seen = null;
  let asked = {}; // the options of the reading that is shown, or waited for

  async function preview(options) {
    asked = options;
    byId("preview").setAttribute("aria-busy", "true");
    byId("load").disabled = true; // what is shown is no longer what was asked for
    const answer = await runPreview(asking("preview", { upload, ...options }));
    byId("preview").setAttribute("aria-busy", "false");
    if (!answer) return;
    asked = answer.confirm ?? answer.chosen;
    seen = { ...answer, choices: answer.choices.filter((choice) => !isAsked(choice, answer.chosen)) };
    show(seen, preview);
    if (seen.tables) offerTables(upload);
    columns.show(seen);
  }

  async function open(sent, options = {}) {
    upload = sent.upload;
    seen = null;
    columns.forget();
    showForm(true);
    unfold(false);
    byId("read").replaceChildren();
    byId("raw").textContent = "";
    await preview(options);
    if (!seen) return;
    byId("reading-title").focus({ preventScroll: true });
    form.scrollIntoView({ block: "start", behavior: "smooth" });
  }

  form.addEventListener("change", ({ target }) => {
    if (target.name === "shape") preview({ ...pick(asked, KEPT), format: target.value });
    else if (target.closest("[data-field]") && target.id) preview(changed(asked, target.id, valueOf(target)));
    else if (target.id === "kind") preview(changed(asked, "kind", target.value));
  });
  for (const name of ["n", "max_length"])
    byId(name).addEventListener(
      "input",
      debounced(() => preview(changed(asked, name, byId(name).value)), 200),
    );
  byId("change").addEventListener("click", () => unfold(byId("how").hidden));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (byId("load").disabled) return;
    const facts = await runLoad(asking("read", { upload, ...seen.confirm }));
    if (facts) loaded(facts);
  });
  byId("another").addEventListener("click", () => {
    showForm(false);
    left();
  });
  return { open };
}

/** Return whether the fields of the form ask for what a choice leaves out. */
const isAsked = ({ options }, { format }) => format === "long" && Object.values(options).includes(null);

/** Show the form, or the choice of a file. */
function showForm(isShown) {
  byId("reading").hidden = !isShown;
  for (const id of ["hero", "drop", "samples"]) byId(id).hidden = isShown;
  if (isShown) byId("facts").hidden = true;
}

function unfold(isOpen) {
  byId("how").hidden = !isOpen;
  byId("change").setAttribute("aria-expanded", String(isOpen));
}

const pick = (options, names) =>
  Object.fromEntries(names.filter((name) => name in options).map((name) => [name, options[name]]));

const shapeOf = ({ reading, chosen }) => reading?.shape ?? (chosen.format in USED ? chosen.format : null);

function valueOf({ id, value }) {
  if (id === "na") return value.split(",").map((text) => text.trim()).filter(Boolean);
  return id === "header" || id === "empty_rows" ? (value ? value === "true" : null) : value || null;
}

/** Return options with another value; those that it makes obsolete are left out. */
function changed(options, name, value) {
  const isLayout = KEPT.includes(name) || name === "header"; // columns may have other names then
  const kept = name === "format" ? {} : isLayout ? pick(options, ["format", ...KEPT]) : options;
  const next = { ...kept, [name]: Array.isArray(value) && !value.length ? null : value };
  return name === "person" && !value ? { ...next, per: null } : next;
}

function show(seen, preview) {
  const isUnclear = seen.choices.length > 0;
  fill(byId("reading-file"), label(seen.file));
  byId("reading-bytes").textContent = bytes(seen.bytes);
  byId("reading-title").textContent = isUnclear
    ? "How is this file meant?"
    : seen.patterns
      ? "A list of patterns"
      : "How the file is read";
  byId("sentence").textContent = isUnclear ? sentence(seen.error) : seen.reading ? sentence(seen.reading.text) : "";
  byId("sentence").hidden = !byId("sentence").textContent;
  showChoices(seen, preview);
  showDoubts(seen, preview);
  showFields(seen);
  byId("raw").textContent = seen.lines.join("\n");
  byId("raw").parentElement.hidden = !seen.lines.length;
  byId("read-title").textContent = `The first ${seen.patterns ? "itemsets" : "rows"}, as they are understood`;
  byId("read-id").textContent = seen.patterns ? "Support" : "Row";
  showRows(seen.rows);
  showError(isUnclear ? null : seen.error);
  byId("preview").firstElementChild.hidden = !seen.rows.length;
  byId("load").hidden = isUnclear;
  byId("load").disabled = !seen.confirm;
  byId("change").hidden = seen.patterns;
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
  byId("pattern-fields").hidden = !seen.patterns;
  const names = seen.columns.map((name) => [name, name]);
  options(byId("row"), [shape === "long" ? CHOOSE : ["", "none"], ...names], known.row);
  options(byId("item"), [CHOOSE, ...names], known.item);
  options(byId("items"), [CHOOSE, ...names], known.items);
  options(byId("person"), [["", "none: each row is another person"], ...names], known.person);
  options(
    byId("format"),
    seen.formats.map((name) => [name, name]),
    seen.format,
  );
  for (const name of ["separator", "encoding", "per"]) byId(name).value = known[name] ?? "";
  byId("header").value = String(known.header ?? "");
  byId("empty_rows").value = known.empty_rows ? "true" : "";
  byId("na").value = (known.na ?? []).join(", ");
  byId("sheet").value = known.sheet ?? "";
  const used = [...(USED[shape] ?? []), "separator", "encoding", "format", "sheet"];
  for (const field of form.querySelectorAll("[data-field]")) {
    const name = field.dataset.field;
    field.hidden = !(used.includes(name) && suits(name, seen.format)) || (name === "per" && !known.person);
  }
}

/** Return whether files of a format have a field. */
function suits(name, format) {
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

/** Lead to the page that judges tables of counts. */
function offerTables(upload) {
  byId("reading-title").textContent = "Tables of counts";
  const href = `/tables?upload=${encodeURIComponent(upload)}`;
  byId("reading-alert").append(make("a", { class: "button main", href }, "Open the page Tables"));
}

function showWrong(error) {
  showError(error.message);
  return true;
}

function options(select, pairs, value) {
  fill(select, ...pairs.map(([name, text]) => label(text, "option", { value: name })));
  select.value = value ?? "";
}
