// The page "tables": a file of tables of counts, how it is read, the verdict, and the tables with what they give away.

import { Failure, upload } from "./api.js";
import { byId, bytes, counted, download, figure, fill, label, listSome, make, number, right, sentence } from "./dom.js";
import { chooser, dropRegion } from "./drop.js";
import { thresholds } from "./settings.js";
import * as state from "./state.js";
import { markReady, showChecks, showFailed, showNone, showStopped, showVerdict } from "./verdict.js";
import { asking, tellFailure, worker } from "./work.js";

const FIRST = 20; // findings that are listed before somebody asks for all of them
const NARROW = 5; // columns of a table that leaves room for its sums beside it
const FIELDS = { drop: "drop-columns", counts: "counts", totals: "totals", masked: "masked", round_to: "round_to", sheet: "sheet", separator: "separator", encoding: "encoding" };
const SEVERAL = ["drop", "totals", "masked"]; // options with several values, separated by commas
const EXAMPLE = "sex,smoker,n\nTotal,Total,180\nf,Total,90\nm,Total,90\nTotal,yes,50\nTotal,no,130\nf,yes,<11\nf,no,85\nm,yes,45\nm,no,45\n";

const runUpload = worker(byId("upload-work"));
const run = worker(byId("audit-work"), { stopped: showStopped, failed: showWrong });
let sent = null; // the id of the upload
let isChanged = false; // whether a field has changed since the last question
let latest = null; // the answer that is shown

const setReady = (isReady) => {
  markReady(isReady, ["verdict", "sentence", "marks-part", "found", "advice"]);
  byId("report").disabled = !isReady;
};
const now = thresholds(judge, () => setReady(false));

function begin() {
  state.follow();
  dropRegion(byId("drop"), take);
  chooser(byId("choose"), byId("file"), take);
  byId("example").addEventListener("click", () => take([{ file: new File([EXAMPLE], "smokers.csv") }]));
  byId("change").addEventListener("click", () => unfold(byId("how").hidden));
  byId("another").addEventListener("click", startAgain);
  byId("report").addEventListener("click", () => latest && download(latest.files[0]));
  const form = byId("reading");
  form.addEventListener("input", () => {
    isChanged = true;
    setReady(false); // what is shown is no longer what is asked for
  });
  for (const name of ["change", "focusout", "submit"])
    form.addEventListener(name, (event) => {
      if (name === "submit") event.preventDefault();
      if (isChanged) judge();
    });
  const { upload: waiting, file } = byId("drop").dataset;
  if (waiting) open({ upload: waiting, file });
  else if (state.get("upload"))
    tellFailure(byId("upload-work"), new Failure("This upload is gone: load the file again."));
}

async function take(files) {
  if (files.length !== 1) return tellFailure(byId("upload-work"), new Failure("Drop one file at a time."));
  const { file } = files[0];
  const facts = await runUpload(({ signal, told }) => {
    const heard = (done, all) =>
      told({ stage: `sending ${bytes(done)} of ${bytes(all)}`, done: all ? done / all : null });
    return upload(file, { signal, told: heard });
  });
  if (facts) open(facts);
}

/** Read an upload, and judge it. */
async function open({ upload: id, file }) {
  sent = id;
  latest = null;
  writeFields(remembered());
  fill(byId("reading-file"), label(file));
  byId("sentence").textContent = "";
  byId("marks-part").hidden = true;
  byId("found").hidden = true;
  byId("drop").hidden = true;
  byId("page").hidden = false;
  unfold(Object.keys(readFields()).length > 0);
  delete byId("banner").dataset.verdict;
  await judge();
  byId("reading-title").focus({ preventScroll: true });
}

function startAgain() {
  sent = null;
  state.put({ upload: null });
  byId("page").hidden = true;
  byId("drop").hidden = false;
  byId("choose").focus();
}

function unfold(isOpen) {
  byId("how").hidden = !isOpen;
  byId("change").setAttribute("aria-expanded", String(isOpen));
}

/** Ask for the verdict on the tables as the fields and settings say, and show it; the old one is stale meanwhile. */
async function judge(_ = null, since = performance.now()) {
  if (!sent) return;
  isChanged = false;
  const how = readFields();
  state.put({ upload: sent, k: now.k, policy: now.policy });
  remember(how);
  setReady(false);
  if (!byId("banner").dataset.verdict) showNone("…", "Looking at the tables.", "…");
  const found = await run(asking("tables", { upload: sent, k: Number(now.k), policy: now.policy, ...how }));
  if (!found) return;
  latest = found;
  showVerdict(found, (performance.now() - since) / 1000);
  showReading(found);
  showNumbers(found);
  showChecks(found);
  showTables(found);
  showFindings(found);
  byId("found").hidden = false;
  if (!isChanged) setReady(true);
}

/** Say that there is no verdict; the fields that may help are unfolded. */
function showWrong() {
  byId("found").hidden = !latest;
  unfold(true);
  return showFailed();
}

/** Return the options that the fields say; empty ones are left out. */
function readFields() {
  const values = Object.entries(FIELDS).map(([name, id]) => {
    const text = name === "separator" ? byId(id).value : byId(id).value.trim();
    const parts = text.split(",").map((part) => part.trim()).filter(Boolean);
    return [name, SEVERAL.includes(name) ? (parts.length ? parts : null) : text || null];
  });
  return Object.fromEntries(values.filter(([, value]) => value !== null));
}

function writeFields(how) {
  for (const [name, id] of Object.entries(FIELDS)) byId(id).value = [how[name] ?? ""].flat().join(", ");
}

// Marks, words and names of columns are from the file, so they stay in this tab and out of the address.
const remember = (how) => sessionStorage.setItem(`tables ${sent}`, JSON.stringify(how));

function remembered() {
  try {
    return JSON.parse(sessionStorage.getItem(`tables ${sent}`) ?? "{}");
  } catch {
    return {};
  }
}

function showReading({ reading, marks, columns }) {
  byId("sentence").textContent = reading ? sentence(reading.text) : "";
  fill(byId("count-columns"), ...columns.map((name) => make("option", { value: name })));
  fill(byId("marks"), ...marks.map(markButton));
  byId("marks-part").hidden = !marks.length;
}

/** Return a mark with what it was taken for, as a button that lets it be changed. */
function markButton({ mark, low, high, cells }) {
  const meaning = high !== null ? `${number(low)} to ${number(high)}` : low ? `${number(low)} or more` : "any count";
  return make(
    "button",
    { type: "button", class: "chip", click: () => changeMark(mark, `${low}..${high ?? ""}`) },
    make("strong", {}, label(mark || "blank")),
    ` means ${meaning}, ${counted(cells, "cell")}`,
  );
}

/** Write what a mark means to the field for it, to be changed there. */
function changeMark(mark, limits) {
  const field = byId("masked");
  const others = (readFields().masked ?? []).filter((rule) => rule.slice(0, rule.lastIndexOf("=")).trim() !== mark);
  field.value = [...others, `${mark}=${limits}`].join(", ");
  unfold(true);
  field.focus();
  field.setSelectionRange(field.value.length - limits.length, field.value.length);
}

function showNumbers({ total_tables: many, cells, masked, total_findings: total, findings, k }) {
  const hidden = findings.filter(({ kind }) => kind !== "shown");
  fill(
    byId("numbers"),
    figure(number(many), many === 1 ? "table" : "tables"),
    figure(number(cells), "cells"),
    figure(number(masked), masked === 1 ? "cell is masked" : "cells are masked"),
    figure(number(total), `${total === 1 ? "count" : "counts"} below ${number(k)} that a reader learns`),
    hidden.length ? figure(people(hidden[0]), "in the smallest group that can be worked out") : null,
  );
}

const limits = ({ low, high }) => (low === high ? number(low) : `${number(low)} to ${number(high)}`);

const people = ({ low, high }) => `${limits({ low, high })} ${high === 1 ? "person" : "people"}`;

function showTables({ tables, total_tables: total }) {
  byId("tables-told").textContent =
    tables.length < total ? `${number(tables.length)} of ${number(total)}, those with findings first` : "";
  const marked = tables.filter(({ lines }) => lines.flat().some(({ found }) => found));
  const shown = marked.length ? marked : tables.slice(0, 1);
  const others = tables.filter((table) => !shown.includes(table));
  const kept = `${counted(others.length, "table")} ${marked.length ? "without findings" : "more"}`;
  const rest = others.length ? make("details", {}, make("summary", {}, kept), ...others.map(tableOf)) : null;
  fill(byId("tables"), ...shown.map(tableOf), rest);
}

/** Return a table with its sums: beside it if there is room, else below. */
function tableOf({ title, head, lines, sums, note }) {
  const items = sums.map((sum) => make("li", { tabindex: "-1" }, ...stepsOf(sum)));
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

/** Return a field of a table: what a reader learns of it stands beside a mark that is struck out. */
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
    sum ? make("button", { type: "button", class: "to-sum", "aria-label": `Sum ${sum}`, click: () => goTo(items[sum - 1]) }, number(sum)) : null,
  );
}

/** Return the steps of a sum, a line for each; the last one is about the count itself. */
const stepsOf = (sum) => sum.split("; ").map((step) => make("bdi", { class: "step" }, step));

// A link would write to the address, which is not for places on the page.
function goTo(item) {
  item.focus({ preventScroll: true });
  item.scrollIntoView({ block: "nearest", behavior: "smooth" });
}

function showFindings({ findings, total_findings: total }) {
  byId("findings-told").textContent =
    findings.length < total ? `the first ${number(findings.length)} of ${number(total)}` : total ? number(total) : "";
  byId("no-findings").hidden = total > 0;
  byId("findings").hidden = !total;
  const line = (one) =>
    make(
      "tr",
      {},
      make("td", {}, one.kind),
      make("td", {}, label(one.who), one.sum ? make("p", { class: "help" }, ...stepsOf(one.sum)) : null),
      right(limits(one)),
    );
  listSome(byId("findings").tBodies[0], byId("more-findings"), findings.map(line), FIRST);
}

begin();
