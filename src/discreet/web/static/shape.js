// The form "How is this file shaped?": choices, raw lines, and the rows as they would be read.

import { byId, bytes, debounced, fill, itemset, label, make, number, sentence } from "./dom.js";
import { asking, worker } from "./work.js";

const CHOICES = ["format", "separator", "row", "item", "items", "n", "kind"];
const USED = {
  baskets: ["separator"],
  long: ["separator", "row", "item"],
  onehot: ["separator", "row"],
  lists: ["items", "row"],
};

/** Return a function that opens the form for an upload. ``loaded`` gets the data; ``left`` is called on leaving. */
export function shapeForm(loaded, left) {
  const form = byId("shape");
  const runPreview = worker(byId("load-work"), { failed: showWrong });
  const runLoad = worker(byId("load-work"), { failed: showWrong });
  let upload = null;

  async function preview(choices = {}) {
    byId("preview").setAttribute("aria-busy", "true");
    const seen = await runPreview(asking("preview", { upload, ...choices }));
    byId("preview").setAttribute("aria-busy", "false");
    if (seen) show(seen);
    return seen;
  }

  async function open(sent) {
    upload = sent.upload;
    showForm(true);
    byId("read").replaceChildren();
    byId("raw").textContent = "";
    const seen = await preview();
    if (!seen) return;
    byId("shape-title").focus({ preventScroll: true });
    form.scrollIntoView({ block: "start", behavior: "smooth" });
  }

  form.addEventListener("change", (event) => event.target.id !== "n" && preview(chosen(event.target)));
  byId("n").addEventListener(
    "input",
    debounced(() => preview(chosen(byId("n"))), 200),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const facts = await runLoad(asking("read", { upload, ...chosen(null) }));
    if (facts) loaded(facts);
  });
  byId("another").addEventListener("click", () => {
    showForm(false);
    left();
  });
  return { open };
}

/** Show the form, or the choice of a file. */
function showForm(isShown) {
  byId("shape").hidden = !isShown;
  byId("drop").hidden = isShown;
  byId("samples").hidden = isShown;
}

/** Return the choices, without those that a changed format or shape makes obsolete. */
function chosen(changed) {
  const shape = byId("shape").elements.shape.value || null;
  if (changed?.id === "format") return { format: byId("format").value };
  const words = Object.fromEntries(CHOICES.map((name) => [name, byId(name).value || null]));
  if (changed?.name === "shape") return { format: words.format, shape, separator: words.separator };
  if (changed?.id === "separator") return { format: words.format, shape, separator: words.separator };
  const used = byId("n-field").hidden ? [...(USED[shape] ?? []), "format"] : ["format", "n", "kind"];
  return {
    shape: byId("n-field").hidden ? shape : null,
    ...Object.fromEntries(Object.entries(words).filter(([name]) => used.includes(name))),
  };
}

function show(seen) {
  const form = byId("shape");
  fill(byId("shape-file"), label(seen.file));
  byId("shape-bytes").textContent = bytes(seen.bytes);
  for (const input of form.elements.shape) {
    input.checked = input.value === seen.shape;
    input.disabled = !seen.shapes.includes(input.value);
  }
  byId("lists-choice").hidden = !seen.shapes.includes("lists");
  byId("shapes").hidden = Boolean(seen.patterns);
  for (const name of ["n", "kind"]) byId(`${name}-field`).hidden = !seen.patterns;
  byId("shape-title").textContent = seen.patterns ? "A list of patterns" : "How is this file shaped?";
  options(
    byId("format"),
    seen.formats.map((name) => [name, name]),
    seen.format,
  );
  const columns = (seen.columns ?? []).map((name) => [name, name]);
  options(byId("row"), seen.shape === "long" ? columns : [["", "none"], ...columns], seen.row ?? "");
  options(byId("item"), columns, seen.item ?? "");
  options(byId("items"), columns, seen.items ?? "");
  const isText = seen.format === "csv";
  byId("separator").value = isText ? (seen.separator ?? "") : "";
  const used = USED[seen.shape] ?? [];
  byId("separator-field").hidden = !isText || seen.patterns;
  for (const name of ["row", "item", "items"])
    byId(`${name}-field`).hidden = seen.patterns || !used.includes(name) || !columns.length;
  byId("raw").textContent = seen.lines.length ? seen.lines.join("\n") : "This format is not text.";
  showRows(seen);
}

function showRows({ rows, error }) {
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
  const alert = byId("shape-alert");
  alert.hidden = !error;
  fill(alert, make("span", {}, error ? sentence(error) : ""));
  byId("load").disabled = Boolean(error);
}

function showWrong(error) {
  const alert = byId("shape-alert");
  alert.hidden = false;
  fill(alert, make("span", {}, sentence(error.message)));
  return true;
}

function options(select, pairs, value) {
  fill(select, ...pairs.map(([name, text]) => label(text, "option", { value: name })));
  select.value = value;
}
