// Tables of counts as tables: what a reader learns stands beside a mark that is struck out, and leads to its sum.

import { label, make, number } from "./dom.js";
import { steps } from "./verdict.js";

const NARROW = 5; // columns of a table that leaves room for its sums beside it

/** Return a table with its sums: beside it if there is room, else below. */
export function tableOf({ title, head, lines, sums, note }) {
  const items = sums.map((sum) => make("li", { tabindex: "-1" }, ...steps(sum)));
  const heads = head.map((text, at) => {
    const isName = lines[0]?.[at]?.kind === "value";
    return label(text, "th", { scope: "col", class: isName ? null : "right" });
  });
  const body = lines.map((line) => make("tr", {}, ...line.map((field) => cellOf(field, items))));
  const table = make(
    "table",
    { class: "lines counts" },
    make("caption", {}, label(title)),
    make("thead", {}, make("tr", {}, ...heads)),
    make("tbody", {}, ...body),
  );
  const told = make("ol", { class: "sums", tabindex: "0", "aria-label": `Sums of ${title}` }, ...items);
  return make(
    "div",
    { class: `counted${sums.length && head.length <= NARROW ? " beside" : ""}` },
    make(
      "div",
      {},
      make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title }, table),
      note ? make("p", { class: "help" }, note) : null,
    ),
    sums.length ? told : null,
  );
}

function cellOf({ text, kind, found, learned, sum }, items) {
  if (kind === "value") return label(text, "th", { scope: "row" });
  const isHidden = kind === "masked" || kind === "missing";
  if (!found) return make("td", { class: isHidden ? "right quiet" : "right" }, text);
  return make(
    "td",
    { class: `right found ${found}` },
    isHidden ? make("s", {}, text) : null,
    make("span", { class: "unseen" }, `${found}: `),
    make("strong", {}, learned),
    sum
      ? make("button", { type: "button", class: "to-sum", "aria-label": `Sum ${sum}`, click: () => goTo(items[sum - 1]) }, number(sum))
      : null,
  );
}

// A link would write to the address, which is not for places on the page.
function goTo(item) {
  item.focus({ preventScroll: true });
  item.scrollIntoView({ block: "nearest", behavior: "smooth" });
}
