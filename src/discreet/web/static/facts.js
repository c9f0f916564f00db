// Facts of the data: numbers of rows and items, row lengths, and the commonest items.

import { figure, fill, label, make, number, part, sentence } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";
const BARS = 40;

/** Show the facts of the data. */
export function showFacts(place, facts) {
  if (facts.holds !== "rows") return showOther(place, facts);
  const { n, items, entries, lengths, commonest = [] } = facts;
  const numbers = [
    figure(number(n), "rows"),
    figure(number(items), "different items"),
    figure(n ? number(Number((entries / n).toPrecision(3))) : "0", "items in a row, on average"),
    figure(part(entries, n * Math.max(1, items)), "of all row–item pairs are filled"),
  ];
  fill(
    place,
    readingOf(facts),
    make(
      "div",
      { class: "data-facts" },
      make("div", { class: "numbers" }, ...numbers),
      histogram(lengths),
      common(commonest, n),
    ),
  );
}

/** Return how the data was read, as a sentence. */
function readingOf({ reading }) {
  return reading ? make("p", { class: "reading" }, sentence(reading.text)) : null;
}

function showOther(place, { n, size, reading }) {
  const rows = n === null || n === undefined ? null : figure(number(n), "rows it was made from");
  fill(place, readingOf({ reading }), make("div", { class: "numbers" }, figure(size, "in the file"), rows ?? ""));
}

/** Return row lengths as bars, with the same numbers as a table. */
function histogram(lengths) {
  const bars = binned(lengths?.histogram ?? []);
  const most = Math.max(1, ...bars.map((bar) => bar.rows));
  const svg = document.createElementNS(SVG, "svg");
  const told = lengths
    ? `${number(lengths.smallest)} to ${number(lengths.largest)} items, half of the rows have at most ${number(lengths.median)}`
    : "";
  for (const [name, value] of Object.entries({
    viewBox: `0 0 ${Math.max(1, bars.length)} 100`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": `Row lengths: ${told}`,
  }))
    svg.setAttribute(name, value);
  bars.forEach((bar, at) => {
    const height = bar.rows ? Math.max(1, (100 * bar.rows) / most) : 0;
    const rect = document.createElementNS(SVG, "rect");
    for (const [name, value] of Object.entries({ x: at + 0.08, y: 100 - height, width: 0.84, height }))
      rect.setAttribute(name, value);
    svg.append(rect);
  });
  return make(
    "figure",
    { class: "row-lengths" },
    make("figcaption", {}, "Row lengths"),
    svg,
    make(
      "div",
      { class: "scale", "aria-hidden": "true" },
      make("span", {}, bars[0]?.name ?? ""),
      make("span", {}, "items in a row"),
      make("span", {}, bars.at(-1)?.name ?? ""),
    ),
    make("p", { class: "help" }, `${told}.`),
    make("details", {}, make("summary", {}, "The numbers as a table"), lengthTable(bars)),
  );
}

/** Return at most BARS bars, each for a range of lengths. */
function binned(pairs) {
  if (!pairs.length) return [];
  const [first, last] = [pairs[0][0], pairs.at(-1)[0]];
  const step = Math.ceil((last - first + 1) / BARS);
  const bars = Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, at) => ({
    from: first + at * step,
    rows: 0,
  }));
  for (const [length, rows] of pairs) bars[Math.floor((length - first) / step)].rows += rows;
  return bars.map(({ from, rows }) => ({
    rows,
    name: step === 1 ? number(from) : `${number(from)}–${number(from + step - 1)}`,
  }));
}

function lengthTable(bars) {
  const lines = bars.map(({ name, rows }) =>
    make("tr", {}, make("th", { scope: "row" }, name), make("td", { class: "right" }, number(rows))),
  );
  return make(
    "table",
    { class: "lines" },
    make(
      "thead",
      {},
      make(
        "tr",
        {},
        make("th", { scope: "col" }, "Items in a row"),
        make("th", { scope: "col", class: "right" }, "Rows"),
      ),
    ),
    make("tbody", {}, ...lines),
  );
}

function common(commonest, n) {
  const most = Math.max(1, ...commonest.map(({ support }) => support));
  const lines = commonest.map(({ item, support }) => {
    const bar = make("i", { "aria-hidden": "true" });
    bar.style.width = `${(100 * support) / most}%`;
    return make(
      "li",
      {},
      label(item, "bdi", { class: "cut", title: item }),
      bar,
      make("span", { class: "quiet", title: part(support, n) }, number(support)),
    );
  });
  return make(
    "figure",
    {},
    make("figcaption", {}, "The commonest items, and their numbers of rows"),
    make("ol", { class: "commonest" }, ...lines),
  );
}
