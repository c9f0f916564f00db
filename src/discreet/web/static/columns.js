// The columns of a table: which are used, why one was left out by itself, and how numbers are grouped.

import { fill, label, make } from "./dom.js";

/** Show columns in ``place``; ``changed`` gets the options that a change means. */
export function columnTable(place, changed) {
  const reasons = new Map(); // why columns were left out, by name: a later reading says only that it was asked for

  /** Return the options for the present state of the table; columns are named if the choice is not the usual one. */
  function options() {
    const lines = [...place.children].map((line) => {
      const [box, grouped] = line.querySelectorAll("input");
      const bins = grouped.value.trim();
      const name = line.dataset.column;
      const isUsed = box.checked || bins !== "";
      return { name, bins, isUsed, isUsual: box.disabled || isUsed === (!reasons.has(name) || bins !== "") };
    });
    const used = lines.filter(({ isUsed }) => isUsed).map(({ name }) => name);
    const bins = lines.filter(({ bins }) => bins).map(({ name, bins }) => `${name}=${bins}`);
    const columns = lines.every(({ isUsual }) => isUsual) ? { columns: null } : { columns: used, drop: null };
    return { ...columns, bins: bins.length ? bins : null };
  }

  place.addEventListener("change", ({ target }) => {
    const [box, grouped] = target.closest("tr").querySelectorAll("input");
    if (!box.checked && target === box) grouped.value = "";
    changed(options());
  });

  /** Show the columns of a reading; without one, the table stays as it was. */
  function show({ columns, reading, chosen }) {
    if (reading?.shape !== "table") return;
    for (const { column, why } of reading.left_out) if (why !== "asked") reasons.set(column, why);
    const bins = new Map((chosen.bins ?? []).map(split));
    const names = columns.map((name, at) => name.trim() || `column${at + 1}`);
    fill(place, ...names.map((name) => line(name, reading, bins.get(name) ?? "")));
  }

  function line(name, { columns, person }, bins) {
    const disabled = name === person;
    const why = disabled ? "the column of people" : reasons.has(name) ? `left out as ${reasons.get(name)}` : null;
    const box = make("input", { type: "checkbox", "aria-label": `Use ${name}`, disabled });
    box.checked = columns.includes(name);
    const grouped = { type: "text", value: bins, "aria-label": `Group the numbers of ${name}`, disabled };
    return make(
      "tr",
      { "data-column": name },
      make("td", {}, box),
      make("td", {}, label(name), why && !box.checked ? make("span", { class: "quiet" }, ` ${why}`) : null),
      make("td", {}, make("input", grouped)),
    );
  }

  return { show, forget: () => (reasons.clear(), fill(place)) };
}

/** Return the column and the bins of a text such as "age=10". */
function split(text) {
  const at = text.lastIndexOf("=");
  return [text.slice(0, at), text.slice(at + 1)];
}
