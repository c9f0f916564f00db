// What could be done: what causes the findings, and every remedy that was tried, the best first.

import { byId, fill, label, listSome, make, number, percent, right, sentence } from "./dom.js";

const SHOWN = 5; // causes

/** Show the advice; ``take`` gets a remedy that somebody chose. */
export function showAdvice(found, take) {
  byId("advised").textContent = found.recommendation;
  showCauses(found);
  fill(
    byId("remedies").tBodies[0],
    ...found.remedies.map((one, at) => remedyLine(one, at === found.best, () => take(one))),
  );
  byId("advice").hidden = false;
}

/** Return the method that a remedy is, as the comparison names it; or null if it does more. */
export function methodOf({ options: { method, merge, ...more } }) {
  return Object.keys(more).length ? null : `${method}${merge ? ", merged" : ""}`;
}

/** Return a name for a remedy that no other line has. */
export const nameOf = (one) => methodOf(one) ?? one.what;

/** Return what a remedy keeps of all that was asked for, in a sentence; nothing if it is a method. */
export function describe(one) {
  if (methodOf(one)) return "";
  const kept = `${number(one.kept)} of ${number(one.distortion.itemsets)} itemsets that were asked for are kept`;
  return `${sentence(`${one.what}: ${kept}`)} The numbers below compare with what remains to be published.`;
}

function showCauses({ items, attributes }) {
  const [causes, noun] = attributes.length ? [attributes, "columns"] : [items, "items"];
  const place = byId("causes");
  place.hidden = !causes.length;
  const total = causes.reduce((sum, { share }) => sum + share, 0);
  const many = Math.round(total);
  place.querySelector("caption").textContent =
    `The ${noun} that ${number(many)} ${many === 1 ? "finding is" : "findings are"} about`;
  const lines = causes.map(({ name, findings, share }) =>
    make("tr", {}, make("th", { scope: "row" }, label(name)), right(number(findings)), right(percent(share / total))),
  );
  listSome(place.querySelector("tbody"), byId("more-causes"), lines, SHOWN);
}

function remedyLine(one, isBest, take) {
  const head = make(
    "th",
    { scope: "row" },
    make("strong", {}, sentence(one.what).slice(0, -1)),
    isBest ? make("span", { class: "badge" }, "recommended") : null,
    one.left_out ? make("p", { class: "help" }, `Left out: ${one.left_out}`) : null,
  );
  const line = make("tr", { "data-name": nameOf(one) }, head);
  if (one.left_out) line.append(make("td", { colspan: 7, class: "quiet" }, "–"));
  else line.append(...[one.verdict, ...numbersOf(one)].map(right), make("td", { class: "right" }, buttonFor(one, take)));
  return line;
}

const numbersOf = ({ kept, costs, distortion, rows_touched: touched }) => [
  `${number(kept)} of ${number(distortion.itemsets)}`,
  number(costs.n_after),
  percent(costs.items.largest),
  percent(distortion.average),
  number(touched),
];

function buttonFor({ what, verdict }, take) {
  if (verdict !== "RELEASE") return "";
  return make(
    "button",
    { type: "button", class: "button small", "aria-label": `Do this: ${what}`, click: take },
    "Do this",
  );
}
