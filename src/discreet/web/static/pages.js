// Pages of a long list: buttons to turn them, and where one is.

import { fill, make, number } from "./dom.js";

/** Show where a page of a list is, with buttons that call ``turn`` with another offset. */
export function showPages(place, { offset, shown, total, size }, turn) {
  place.hidden = total <= size;
  const button = (text, to, isOff) =>
    make("button", { type: "button", class: "button", disabled: isOff, click: () => turn(to) }, text);
  fill(
    place,
    button("Previous", Math.max(0, offset - size), offset === 0),
    make("span", { class: "quiet" }, `${number(offset + 1)} to ${number(offset + shown)} of ${number(total)}`),
    button("Next", offset + size, offset + shown >= total),
  );
}
