// The panel "What this reveals": a channel in words, as a picture and as a sum.

import { byId, counted, fill, itemset, label, make, number, picture } from "./dom.js";
import * as state from "./state.js";
import { asking, worker } from "./work.js";

/** Return functions to open and close the panel; ``filter`` gets an item that was clicked. */
export function explanation({ filter }) {
  const run = worker(byId("explain-work"));
  const panel = byId("explain");
  let shown = null;

  async function open(id, args, { focus = true } = {}) {
    shown = id;
    mark(id);
    panel.hidden = false;
    byId("browser").dataset.open = "";
    state.put({ channel: id });
    byId("explain-body").setAttribute("aria-busy", "true");
    const found = await run(asking("explain", { ...args, number: id }));
    byId("explain-body").setAttribute("aria-busy", "false");
    fill(byId("explain-body"), ...(found ? parts(found, filter) : []));
    if (focus) reveal(panel);
  }

  function close({ back = false } = {}) {
    if (panel.hidden) return;
    panel.hidden = true;
    delete byId("browser").dataset.open;
    state.put({ channel: null });
    mark(null);
    // By its number: the lines may have been replaced meanwhile.
    if (back) byId("channels").querySelector(`[data-number="${shown}"]`)?.focus();
  }

  byId("explain-close").addEventListener("click", () => close({ back: true }));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !panel.hidden) close({ back: true });
  });
  return { open, close };
}

/** Scroll to the panel and focus it. */
function reveal(panel) {
  panel.focus({ preventScroll: true });
  const { top, bottom } = panel.getBoundingClientRect();
  if (top < 0 || top > innerHeight - 120 || (bottom > innerHeight && top > innerHeight / 2))
    panel.scrollIntoView({ block: "start", behavior: "smooth" });
}

function mark(id) {
  for (const button of byId("channels").querySelectorAll(".open")) {
    const isOpen = button.dataset.number === String(id);
    button.setAttribute("aria-expanded", String(isOpen));
    button.closest("tr").toggleAttribute("data-open", isOpen);
  }
}

/** Return the parts of the panel. */
function parts({ size, total, words, svg, sum, terms, more, rows, base, lacked }, filter) {
  const exposed =
    rows === null || rows === undefined
      ? null
      : make("p", {}, make("strong", {}, counted(rows, "row")), ` of the data ${rows === 1 ? "is" : "are"} behind it.`);
  return [
    make("p", { class: "count" }, size),
    make("p", {}, words),
    exposed,
    svg ? make("div", { class: "picture" }, picture(svg)) : null,
    termTable(terms ?? [], { count: total, more, sum }),
    filters(itemsOf(terms, base, lacked), filter),
  ];
}

function termTable(terms, { count, more, sum }) {
  if (!terms.length) return null;
  const line = ({ times, items, support }) =>
    make(
      "tr",
      {},
      make("td", { class: "right" }, sign(times)),
      make("td", {}, itemset(items)),
      make("td", { class: "right" }, number(support)),
    );
  return make(
    "table",
    { class: "lines fixed terms" },
    make("caption", {}, "The sum: ", make("bdi", { class: "sum" }, sum)),
    make(
      "thead",
      {},
      make(
        "tr",
        {},
        ...["", "Itemset", "Rows"].map((name, at) =>
          name ? make("th", { scope: "col", class: at === 2 ? "right" : null }, name) : make("td"),
        ),
      ),
    ),
    make(
      "tbody",
      {},
      ...terms.map(line),
      more
        ? null
        : make(
            "tr",
            {},
            make("td", { class: "right" }, "="),
            make("td", {}, "left over"),
            make("td", { class: "right" }, make("strong", {}, number(count))),
          ),
    ),
    more ? make("tfoot", {}, make("tr", {}, make("td", { colspan: 3, class: "help" }, "… and further terms"))) : null,
  );
}

function sign(times) {
  const many = Math.abs(times) === 1 ? "" : ` ${number(Math.abs(times))} ×`;
  return `${times < 0 ? "−" : "+"}${many}`;
}

const itemsOf = (terms, base = [], lacked = []) => [
  ...new Set([...base, ...lacked, ...(terms ?? []).flatMap((term) => term.items)]),
];

function filters(items, filter) {
  if (!items.length) return null;
  const chips = items.map((item) =>
    label(item, "button", { type: "button", class: "chip", dir: "auto", click: () => filter(String(item)) }),
  );
  return make("div", {}, make("p", { class: "help" }, "Only channels with"), make("div", { class: "chips" }, ...chips));
}
