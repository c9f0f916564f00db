// The channels: a table to search, sort and page through; each line opens its explanation.

import { byId, counted, debounced, fill, itemset, label, make, number } from "./dom.js";
import { explanation } from "./explain.js";
import * as state from "./state.js";
import { asking, worker } from "./work.js";

const LIMIT = 25; // channels on a page
const CHIPS = 12;
const SORTS = { "count-down": ["count", true] };

/** Return a function that shows the channels of an audit. */
export function browser() {
  const run = worker(byId("channels-work"));
  const explain = explanation({ filter: (item) => search(item) });
  let args = null;
  let offset = Number(state.get("offset")) || 0;

  async function list({ keep = false } = {}) {
    const table = byId("channels");
    table.setAttribute("aria-busy", "true");
    const [sort, descending] = SORTS[byId("sort").value] ?? [byId("sort").value, false];
    const words = { ...args, search: byId("search").value, sort, descending, offset, limit: LIMIT };
    const found = await run(asking("detect", words));
    table.setAttribute("aria-busy", "false");
    if (!found) return;
    if (offset && offset >= found.matching) return turn(0);
    showLines(found, explain, args);
    showPages(found, offset);
    showChips(found.items ?? [], search);
    if (!keep) explain.close();
    const open = Number(state.get("channel") ?? -1);
    if (keep && open >= 0) explain.open(open, args, { focus: false });
  }

  function turn(to) {
    offset = Math.max(0, to);
    state.put({ offset: offset || null, channel: null });
    return list();
  }

  function search(item) {
    const field = byId("search");
    field.value = field.value === wanted(item) ? "" : wanted(item);
    field.dispatchEvent(new Event("input"));
  }

  const later = debounced(() => {
    state.putText(byId("search").value);
    turn(0);
  }, 150);
  byId("search").value = state.text();
  byId("search").addEventListener("input", later);
  byId("sort").value = state.get("sort") ?? "worst";
  byId("sort").addEventListener("change", () => {
    state.put({ sort: byId("sort").value === "worst" ? null : byId("sort").value });
    turn(0);
  });
  byId("before").addEventListener("click", () => turn(offset - LIMIT));
  byId("after").addEventListener("click", () => turn(offset + LIMIT));
  byId("channels").addEventListener("keydown", walk);

  return function show(now) {
    const isFirst = args === null;
    args = now;
    if (!isFirst) offset = 0;
    if (!isFirst) state.put({ offset: null, channel: null });
    return list({ keep: isFirst });
  };
}

function showLines({ channels, total, matching }, explain, args) {
  const line = ({ number: id, text, base, lacked, count }) => {
    const open = make(
      "button",
      {
        type: "button",
        class: "open",
        "aria-label": `${text}: explain`,
        "data-number": id,
        click: () => explain.open(id, args),
      },
      itemset(base, lacked),
    );
    return make("tr", {}, make("td", {}, open), make("td", { class: "right" }, number(count)));
  };
  fill(byId("channels").tBodies[0], ...channels.map(line));
  byId("channels").hidden = !channels.length;
  byId("channels-told").textContent =
    matching === total ? counted(total, "channel") : `${number(matching)} of ${counted(total, "channel")}`;
  byId("no-channels").hidden = channels.length > 0;
  byId("no-channels").textContent = total
    ? "No channel has all of these items."
    : "There is no channel: no difference of these counts reveals fewer than k people.";
}

function showPages({ matching, channels }, offset) {
  byId("pages").hidden = matching <= LIMIT;
  byId("before").disabled = offset === 0;
  byId("after").disabled = offset + channels.length >= matching;
  byId("page-told").textContent = `${number(offset + 1)} to ${number(offset + channels.length)} of ${number(matching)}`;
}

function showChips(items, search) {
  const now = byId("search").value;
  const chip = (item) =>
    label(item, "button", {
      type: "button",
      class: "chip",
      dir: "auto",
      "aria-pressed": String(wanted(item) === now),
      click: () => search(item),
    });
  fill(byId("item-chips"), ...items.slice(0, CHIPS).map((item) => chip(String(item))));
  fill(byId("item-list"), ...items.map((item) => make("option", { value: String(item) })));
}

/** Return an item as a search word: in quotes if it has blanks. */
const wanted = (item) => (/\s/.test(item) && !/["',]/.test(item) ? `"${item}"` : item);

/** Move between lines with the arrow keys. */
function walk(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || !event.target.matches(".open")) return;
  const every = [...event.currentTarget.querySelectorAll(".open")];
  every[every.indexOf(event.target) + step]?.focus();
  event.preventDefault();
}
