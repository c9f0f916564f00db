// Items in what people write: quoted where need be, and as chips that write them.

import { fill, label } from "./dom.js";

/** Return an item as queries and sensitive itemsets have it: in quotes unless it is one plain word. */
export function quoted(item) {
  const text = String(item);
  const isWord = /^[\p{L}\p{N}_.:=/%+#$-]+$/u.test(text) && !/^(and|or|not)$/i.test(text);
  return isWord ? text : `'${text.replace(/[\\']/g, "\\$&")}'`;
}

/** Show items as chips; ``write`` gets the one that was clicked, as it is to be written. */
export function itemChips(place, items, write) {
  fill(
    place,
    ...items.map((item) =>
      label(item, "button", { type: "button", class: "chip", dir: "auto", click: () => write(quoted(item)) }),
    ),
  );
}

/** Put text where the cursor of a field stands, after ``joiner`` unless that is at the beginning of a line. */
export function insert(field, text, joiner) {
  const [from, to] = [field.selectionStart, field.selectionEnd];
  const before = field.value.slice(0, from);
  const isFresh = /(^|\n|\(|[&|~,]\s*)\s*$/.test(before);
  field.setRangeText(isFresh ? text : `${joiner}${text}`, from, to, "end");
  field.focus();
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
