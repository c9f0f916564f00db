// Charts: drawings by the server, each with a table of its numbers; tooltips.js shows those of a mark.

import "./tooltips.js";
import { fill, make, number, picture } from "./dom.js";

const MOST = 200; // lines of a table of numbers

/** Show a figure in a place, and return its drawing. */
export function draw(place, { caption, html, head, lines }) {
  const isOpen = place.querySelector("details")?.open ?? false;
  const drawn = picture(html);
  const table = make(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": `${caption}: the numbers` },
    tabulate(caption, head, lines),
    lines.length > MOST
      ? make("p", { class: "help" }, `The first ${number(MOST)} of ${number(lines.length)} lines.`)
      : null,
  );
  fill(place, drawn, make("details", { open: isOpen }, make("summary", {}, "The numbers as a table"), table));
  return drawn;
}

function tabulate(caption, head, lines) {
  const title = (name, at) => make("th", { scope: "col", class: at ? "right" : null }, name);
  return make(
    "table",
    { class: "lines" },
    make("caption", { class: "unseen" }, caption),
    make("thead", {}, make("tr", {}, ...head.map(title))),
    make("tbody", {}, ...lines.slice(0, MOST).map((line) => make("tr", {}, ...line.map(written)))),
  );
}

function written(value, at) {
  const text = typeof value === "number" ? number(Number(value.toPrecision(6))) : value;
  return at ? make("td", { class: "right" }, text) : make("th", { scope: "row" }, text);
}
