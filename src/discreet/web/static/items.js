// Items in text fields: quoted if need be, and as chips that insert them.

import { fill, label } from "./dom.js";

/** Return an item as queries and sensitive itemsets take it: in quotes unless it is a plain word. */
export function quoted(item) {
  const text = String(item);
  const isWord = /^[\p{L}\p{N}_.:=/%+#$-]+$/u.test(text) && !/^(and|or|not)$/i.test(text);
  return isWord ? text : `'${text.replace(/[\\']/g, "\\$&")}'`;
}

/** Show items as chips; ``write`` gets the clicked one, quoted if need be. */
export function itemChips(place, items, write) {
  fill(
    place,
    ...items.map((item) =>
      label(item, "button", { type: "button", class: "chip", dir: "auto", click: () => write(quoted(item)) }),
    ),
  );
}

/** Insert text at the cursor of a field, after ``joiner`` unless that is at the beginning of a line. */
export function insert(field, text, joiner) {
  const [from, to] = [field.selectionStart, field.selectionEnd];
  const before = field.value.slice(0, from);
  const isFresh = /(^|\n|\(|[&|~,]\s*)\s*$/.test(before);
  field.setRangeText(isFresh ? text : `${joiner}${text}`, from, to, "end");
  field.focus();
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
