// The page "query": a formula over items, and the rows for which it holds.

import { byId, counted, fill, make, number, part, sentence } from "./dom.js";
import { insert, itemChips, quoted } from "./items.js";
import { opened } from "./page.js";
import * as state from "./state.js";
import { countRows } from "./words.js";
import { asking, worker } from "./work.js";

const LIMIT = 100; // row numbers shown

const run = worker(byId("query-work"), { failed: showError });

async function begin() {
  const facts = await opened({ needed: ["rows"] });
  if (!facts) return;
  const items = (facts.commonest ?? []).map(({ item }) => item);
  if (items.length < facts.items)
    byId("items-title").textContent = `The ${number(items.length)} commonest of ${counted(facts.items, "item")}`;
  const field = byId("query");
  field.value = state.recall("query") ?? "";
  itemChips(byId("item-chips"), items, (text) => insert(field, text, " & "));
  const chip = (text) =>
    make(
      "button",
      { type: "button", class: "chip code", dir: "auto", title: text, click: () => write(text, facts) },
      text,
    );
  fill(byId("examples"), ...examples(items.map(quoted)).map(chip));
  byId("ask").addEventListener("submit", (event) => {
    event.preventDefault();
    answer(facts);
  });
  if (field.value) answer(facts);
  else field.focus();
}

function examples([one, two, three]) {
  if (!two) return one ? [one, `~${one}`] : [];
  return [`${one} & ${two}`, `${one} & ~${two}`, ...(three ? [`${three} & ~(${one} | ${two})`] : [])];
}

function write(text, facts) {
  byId("query").value = text;
  answer(facts);
}

async function answer({ data }) {
  const text = byId("query").value;
  state.remember({ query: text });
  fill(byId("query-alert"));
  byId("query").removeAttribute("aria-invalid");
  byId("answer").classList.add("stale");
  const found = await run(asking("query", { data, query: text, offset: 0, limit: LIMIT }));
  byId("answer").classList.remove("stale");
  if (!found) return;
  byId("answer").hidden = false;
  showAnswer(found);
}

function showAnswer({ count, n, plan, query, rows, unknown = [] }) {
  const least = Number(state.get("k")) || 10;
  fill(
    byId("count"),
    make(
      "div",
      { class: "numbers" },
      make(
        "div",
        { class: "figure" },
        make("strong", {}, countRows(count)),
        make("span", {}, `of ${number(n)}, ${part(count, n)}`),
      ),
    ),
  );
  const isSmall = count > 0 && count < least;
  byId("small").hidden = !isSmall;
  byId("small").textContent = isSmall
    ? `Fewer than ${number(least)}: do not publish this count, nor two counts with this difference.`
    : "";
  const hints = unknown.length
    ? [
        make("dt", {}, "No row has"),
        make("dd", {}, `${counted(unknown.length, "item")} of this query; check the spelling.`),
      ]
    : [];
  fill(
    byId("understood"),
    make("dt", {}, "Asked"),
    make("dd", {}, make("code", { class: "wrap", dir: "auto" }, query)),
    ...hints,
  );
  byId("plan").textContent = plan;
  fill(byId("rows"), ...rows.map((row) => make("li", {}, String(row))));
  byId("rows-title").hidden = !rows.length;
  byId("rows-more").textContent = count > rows.length ? `and ${number(count - rows.length)} more` : "";
}

/** Show the error in a query, and a caret below its place. */
function showError(error) {
  const { caret } = error.facts ?? {};
  byId("answer").hidden = true;
  byId("query").setAttribute("aria-invalid", "true");
  const lines = caret ? make("pre", { class: "caret" }, `${byId("query").value}\n${" ".repeat(caret - 1)}^`) : null;
  fill(byId("query-alert"), make("div", { class: "alert" }, make("span", {}, sentence(error.message)), lines ?? ""));
  byId("query").focus();
  if (caret) byId("query").setSelectionRange(caret - 1, caret - 1);
  return true;
}

begin();
