// The page "verify": a release checked from its files alone, what that proves and what not, and a receipt of it.

import { ask } from "./api.js";
import { byId, counted, debounced, figure, fill, inFours, label, make, number, sentence } from "./dom.js";
import { arrive, arrived, chooser, dropRegion, receive } from "./drop.js";
import * as state from "./state.js";
import { markStale } from "./verdict.js";
import { worker } from "./work.js";

const PAGE = "verify"; // what this tab keeps of it
const PAUSE = 200; // milliseconds without a change of the fingerprint before it is compared
const DIGITS = 64;
const TYPING = 4; // characters of a fingerprint that somebody may have mistyped
const OTHER = "This is not the publisher's release, or the fingerprint was mistyped. Do not use these files. Ask the publisher.";
const typed = (many) =>
  `This is not the publisher's release, or you mistyped: ${counted(many, "character")} of the fingerprint differ${many === 1 ? "s" : ""}. Read it again.`;
const ON_PAPER = 6; // faults on a receipt, so that it is one page

const run = worker(byId("verify-work"));
const runTake = worker(byId("verify-work"));
const runOlder = worker(byId("older-work"));
let release = null; // what is checked: an upload or files by their names, and the name of its file or folder
let beside = []; // older releases that were added to it

function begin() {
  dropRegion(byId("drop"), take);
  chooser(byId("choose-zip"), byId("zip"), take);
  chooser(byId("choose-folder"), byId("folder"), take);
  dropRegion(byId("older-section"), addOlder);
  chooser(byId("choose-older"), byId("older"), addOlder);
  chooser(byId("choose-older-folder"), byId("older-folder"), addOlder);
  const field = byId("fingerprint");
  field.value = state.recall("fingerprint", PAGE) ?? "";
  const later = debounced(check, PAUSE);
  field.addEventListener("input", () => {
    state.remember({ fingerprint: field.value }, PAGE);
    setReady(false);
    later();
  });
  byId("print").addEventListener("click", () => print());
  addEventListener("beforeprint", () => byId("receipt-time")?.replaceChildren(moment()));
  const came = arrived();
  if (came) open(came);
  else open(state.recall("release", PAGE), state.recall("beside", PAGE) ?? []);
}

/** Take what was dropped or chosen; what is no release is led to its page. */
async function take(files) {
  setReady(false);
  const found = await runTake((work) => receive(files, work));
  if (found?.holds === "release") open(found.release);
  else if (found) arrive(files, byId("verify-work"));
}

function open(given, older = []) {
  if (!given) return;
  [release, beside] = [given, older];
  state.remember({ release, beside }, PAGE);
  fill(byId("came").firstElementChild, label(release.file));
  byId("came").hidden = false;
  byId("drop-help").hidden = true;
  byId("drop").classList.add("small");
  const card = byId("fingerprint-card"); // asked for next; who types into it already goes on, so it is not moved then
  if (card.previousElementSibling === byId("drop"))
    if (card.contains(document.activeElement)) card.after(byId("drop"));
    else byId("drop").before(card);
  byId("choose-zip").classList.remove("main");
  byId("details").hidden = true; // it is about the release before
  if (!byId("banner").hidden) say("", "…", "CHECKING", "This release is being checked.");
  byId("drop-title").textContent = "Drop another release here";
  check();
}

/** Check the release with the fingerprint and the older releases that there are. */
async function check() {
  const { wrong } = fingerprint();
  byId("fingerprint").setAttribute("aria-invalid", String(Boolean(wrong)));
  byId("fingerprint-wrong").hidden = !wrong;
  byId("fingerprint-wrong").firstElementChild.textContent = wrong;
  if (!release) return;
  setReady(false);
  byId("details").hidden = Boolean(wrong);
  if (wrong) return say("", "!", "NOT CHECKED", `${wrong} Correct it, or leave the field empty.`);
  const found = await run((work) => verify(beside, work));
  if (found) show(found);
}

function verify(older, work) {
  const { upload, files } = release;
  const asked = upload ? { upload } : { files };
  return ask("verify", { ...asked, fingerprint: fingerprint().digits || null, beside: older }, work);
}

/** Return the fingerprint that was entered, without blanks and capitals; and what is wrong with it, in words. */
function fingerprint() {
  const digits = byId("fingerprint").value.replace(/\s/g, "").toLowerCase();
  if (!digits || /^[0-9a-f]{64}$/.test(digits)) return { digits, wrong: "" };
  const others = [...new Set(digits.replace(/[0-9a-f]/g, ""))].slice(0, 5).join(" ");
  const wrong = others
    ? `A fingerprint has digits and letters from a to f alone; this has ${others} as well.`
    : `A fingerprint has ${DIGITS} digits and letters; this has ${number(digits.length)}.`;
  return { digits, wrong };
}

/** Add an older release, if it is one that the release was made beside. */
async function addOlder(files) {
  const opened = release;
  const more = await runOlder(async (work) => {
    const { release: one } = await receive(files, work);
    const all = [...beside, one.upload ?? one.files];
    await verify(all, work);
    return all;
  });
  if (more && release === opened) open(release, more);
}

function setReady(isReady) {
  if (!isReady) run.drop();
  markStale(!isReady, ["verified", "details"]);
  byId("print").disabled = !isReady;
  byId("receipt").hidden = !isReady;
}

/** Return the result: its tone, its sign, its word, and a sentence that claims no more than is proven. */
function resultOf({ is_good: good, matches, differing, unchecked }) {
  if (!good && matches === false)
    return ["NOT GOOD", "✕", "NOT GOOD", differing <= TYPING ? typed(differing) : OTHER];
  if (!good) return ["NOT GOOD", "✕", "NOT GOOD", "Do not trust this release: something in it is wrong."];
  const except = unchecked.length ? ` Not checked: ${unchecked.join(", ")} for readers.` : "";
  if (matches) return ["GOOD", "✓", "GOOD", `These are the publisher's numbers. They are consistent and safe.${except}`];
  return ["REVIEW", "?", "GOOD, BUT WHOSE?", "The files fit together, and no sum of their counts reveals a small group. Enter the publisher's fingerprint to prove whose they are."];
}

/** Show a result in the banner. */
function say(tone, sign, word, reason) {
  byId("banner").hidden = false;
  byId("banner").dataset.verdict = tone;
  fill(
    byId("verified"),
    make("span", { class: "sign", "aria-hidden": "true" }, sign),
    make("div", {}, make("p", { class: "word" }, word), make("p", { class: "reason" }, reason)),
  );
}

function show(found) {
  const [tone, sign, word, reason] = resultOf(found);
  say(tone, sign, word, reason);
  byId("details").hidden = false;
  list("faults", found.faults, "WITHHOLD", "✕");
  list("proven", found.proven, "RELEASE", "✓");
  list("not-proven", found.not_proven, "REVIEW", "?");
  list("notes", found.notes, "REVIEW", "!");
  byId("faults-section").hidden = !found.faults.length;
  byId("lists").hidden = !found.is_good;
  byId("notes-section").hidden = !found.notes.length;
  byId("digest-section").hidden = !found.is_good;
  fill(byId("digest"), ...inFours(found.digest ?? ""));
  showBoth(found.computed, fingerprint().digits);
  showOlder(found);
  showNumbers(found.is_good ? found : {});
  writeReceipt(found, word, reason);
  setReady(true);
  byId("banner").scrollIntoView({ block: "nearest", behavior: "smooth" });
}

function list(id, sentences, verdict, sign) {
  const line = (text) =>
    make(
      "li",
      { class: verdict },
      make("span", { class: "dot", "aria-hidden": "true" }, sign),
      make("p", {}, sentence(text)),
    );
  fill(byId(id), ...sentences.map(line));
}

/** Show the fingerprint of these files beside the one that was entered, if they differ. */
function showBoth(own, given) {
  const pairs = own ? { "You entered": inFours(given, own), "These files have": inFours(own, given) } : {};
  const line = ([name, digits]) => [make("dt", {}, name), make("dd", {}, make("code", { class: "wrap" }, ...digits))];
  fill(byId("fingerprints"), ...Object.entries(pairs).flatMap(line)).hidden = !own;
}

function showOlder({ is_good: good, beside: made, together }) {
  byId("older-section").hidden = !good || !made.length;
  const line = (digest) => {
    const told = together.includes(digest) ? "checked together" : "not added yet";
    return make("li", {}, make("code", { class: "wrap" }, digest), make("span", { class: "quiet" }, told));
  };
  fill(byId("digests"), ...made.map(line));
}

function showNumbers({ itemsets, min_support: least, n, k, smallest, tables }) {
  const known = [
    [itemsets, "itemsets are listed"],
    [least, n === null ? "rows: the minimum support" : `of ${number(n ?? 0)} rows: the minimum support`],
    [tables ? null : smallest, "rows in the smallest group that can be worked out"],
    [k, "is k: the smallest group that anyone may learn about"],
  ];
  fill(
    byId("numbers"),
    ...known
      .filter(([value]) => value !== null && value !== undefined)
      .map(([value, words]) => figure(number(value), words)),
  );
}

/** Write what was found on the sheet that is printed instead of the page. */
function writeReceipt(found, word, reason) {
  const { digits } = fingerprint();
  const theirs = make("span", {}, make("code", {}, digits), found.matches ? ", the same" : ", another one");
  const facts = [
    ["File", label(release.file)],
    ["Its fingerprint", found.digest ? make("code", {}, found.digest) : "none: it is not a good release"],
    ["The publisher's", digits ? theirs : "not given"],
    ["What it holds", whatOf(found)],
    ["Checked", make("span", { id: "receipt-time" }, moment())],
    ["Checked with", `discreet ${byId("receipt").dataset.version}, from the files alone`],
  ];
  const { faults } = found;
  const more = faults.length > ON_PAPER ? [`And ${number(faults.length - ON_PAPER)} more`] : [];
  const parts = {
    "What is wrong": [...faults.slice(0, ON_PAPER), ...more],
    Proven: found.proven,
    "Not proven": found.not_proven,
  };
  const lineOf = (text) => make("li", {}, sentence(text));
  fill(
    byId("receipt"),
    make("h1", {}, "Receipt of a verification"),
    make("dl", {}, ...facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])),
    make("p", { class: "word" }, word),
    make("p", {}, reason),
    ...Object.entries(parts)
      .filter(([, lines]) => lines.length)
      .flatMap(([title, lines]) => [make("h2", {}, title), make("ul", {}, ...lines.map(lineOf))]),
    make("p", { class: "signed" }, make("span", {}, "Name"), make("span", {}, "Signature")),
  );
}

function whatOf({ itemsets, tables, n, k }) {
  const what = tables || (itemsets === null ? "unknown" : `${number(itemsets)} itemsets of ${number(n)} rows`);
  return k === null ? what : `${what}; k = ${number(k)}`;
}

const moment = () => new Date().toLocaleString("en-GB", { dateStyle: "long", timeStyle: "long" });

begin();
