// The trade-off: channels by minimum support, one curve per k; a ring marks the present settings.

import { byId, fill, make, number, part } from "./dom.js";
import { draw } from "./charts.js";
import { shareOf } from "./numbers.js";
import { asking, worker } from "./work.js";

const GRID = [0.1, 0.2, 0.5, 1, 2, 3, 5, 7, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90]; // percent
const MOST = 9; // minimum supports on the curve

/** Return a function that shows the curve for the present settings. ``use`` gets a minimum support that was clicked. */
export function tradeoff({ data, n }, use) {
  const run = worker(byId("tradeoff-work"));
  let curve = null;
  let present = null;
  let from = Infinity;
  let length = null;
  const show = () => curve && drawCurve(curve, present, n, use);
  return async function follow(args, found) {
    present = { k: args.k, x: (100 * found.min_support) / Math.max(1, n), channels: found.channels };
    show();
    const least = start(shareOf(args.min_support, n) ?? 0.05);
    const shape = JSON.stringify([args.max_length, args.leave_out]);
    if (curve && from <= least && length === shape && curve.ks.includes(args.k)) return;
    const { k, max_length, leave_out } = args;
    const asked = { data, min_supports: supports(least), k, max_length, leave_out };
    const answer = await run(asking("tradeoff", asked));
    if (!answer) return;
    [curve, from, length] = [answer, least, shape];
    show();
  };
}

/** Return the largest minimum support of the grid, in percent, that is not above the present one. */
const start = (share) => GRID.findLast((one) => one <= 100 * share + 1e-9) ?? GRID[0];

const supports = (least) =>
  GRID.filter((one) => one >= least)
    .slice(0, MOST)
    .map((one) => `${one}%`);

function drawCurve(curve, present, n, use) {
  const drawn = draw(byId("tradeoff"), curve.figure);
  for (const group of drawn.querySelectorAll("g[data-name]"))
    group.classList.toggle("strong", group.dataset.name === `k = ${number(present.k)}`);
  addRing(drawn.querySelector(".plot > svg"), present);
  drawn.addEventListener("click", ({ target }) => {
    const mark = target.closest("[data-value]");
    if (mark) use(`${mark.dataset.value}%`);
  });
  showSafe(curve, present, n, use);
}

/** Add a ring around the present settings, unless they are beyond the axes. */
function addRing(plot, { x, channels }) {
  const [left, bottom] = [x, Math.log10(1 + (channels ?? 0))].map((value, at) => {
    const [low, high] = plot.dataset["xy"[at]].split(" ").map(Number);
    return (100 * (value - low)) / (high - low);
  });
  if (left < 0 || left > 100) return;
  const make = (tag) => document.createElementNS(plot.namespaceURI, tag);
  const [ring, title] = [make("circle"), make("title")];
  const places = { class: "ring", cx: `${left}%`, cy: `${100 - bottom}%`, r: 9 };
  for (const [name, value] of Object.entries(places)) ring.setAttribute(name, value);
  title.textContent = `now: ${Number(x.toPrecision(3))}%\n${number(channels ?? 0)} channels`;
  ring.append(title);
  plot.append(ring);
}

/** Show the lowest minimum support without a channel. */
function showSafe({ safe = [] }, { k }, n, use) {
  const known = safe.find((one) => one.k === k);
  const place = byId("safe-from");
  if (!known) return fill(place);
  const least = known.min_support;
  if (least === null || least === undefined || least >= n)
    return fill(
      place,
      make("span", {}, `For k = ${number(k)}, there are findings at every minimum support below 100%.`),
    );
  const button = make(
    "button",
    { type: "button", class: "button small", click: () => use(String(least)) },
    `Use a minimum support of ${number(least)}`,
  );
  return fill(
    place,
    make(
      "span",
      {},
      `Lowest minimum support without a finding, for k = ${number(k)}: ${number(least)} rows (${part(least, n)}).`,
    ),
    button,
  );
}
