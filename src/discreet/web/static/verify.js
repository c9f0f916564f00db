// The page "verify": a release, as a zip or a folder, checked from its files alone.

import { Failure, ask, upload } from "./api.js";
import { byId, bytes, figure, fill, make, number } from "./dom.js";
import { chooser, dropRegion } from "./drop.js";
import * as state from "./state.js";
import { worker } from "./work.js";

const PRIVATE = "DO-NOT-RELEASE"; // not part of a release, and not sent

const run = worker(byId("verify-work"));

function begin() {
  state.follow();
  dropRegion(byId("drop"), take);
  chooser(byId("choose-zip"), byId("zip"), take);
  chooser(byId("choose-folder"), byId("folder"), take);
}

async function take(files) {
  byId("banner").hidden = true;
  byId("details").hidden = true;
  const isZip = files.length === 1 && /\.zip$/i.test(files[0].path);
  const found = await run(isZip ? (work) => verifyZip(files[0], work) : (work) => verifyFolder(files, work));
  if (found) show(found);
}

async function verifyZip({ file }, work) {
  const { upload: sent } = await upload(file, { signal: work.signal, told: heard(work, file.name) });
  return ask("verify", { upload: sent, fingerprint: expected() }, work);
}

async function verifyFolder(files, work) {
  const names = plain(files);
  if (!names.some(([name]) => name === "release.json"))
    throw new Failure("There is no release.json in it; choose a release folder, or the zip of one.");
  const sent = {};
  for (const [name, file] of names) {
    sent[name] = (await upload(file, { signal: work.signal, told: heard(work, name), name })).upload;
  }
  return ask("verify", { files: sent, fingerprint: expected() }, work);
}

/** Return the fingerprint that the publisher gave, as it was typed. */
const expected = () => byId("fingerprint").value.trim();

/** Return the files that lie in the folder itself, by name. */
function plain(files) {
  const depth = Math.min(...files.map(({ path }) => path.split("/").length));
  return files
    .filter(({ path }) => path.split("/").length === depth && !path.includes(PRIVATE))
    .map(({ file, path }) => [path.split("/").at(-1), file]);
}

const heard =
  ({ told }, name) =>
  (done, all) =>
    told({ stage: `sending ${name}, ${bytes(all)}`, done: all ? done / all : null });

function show(found) {
  const word = found.is_good ? "GOOD" : "NOT GOOD";
  byId("banner").hidden = false;
  byId("banner").dataset.verdict = word;
  const sentence = found.is_good
    ? "Its counts are consistent and reveal no small group."
    : "Do not trust this release: something in it is wrong.";
  fill(
    byId("verified"),
    make("span", { class: "sign", "aria-hidden": "true" }, found.is_good ? "✓" : "✕"),
    make("div", {}, make("p", { class: "word" }, word), make("p", { class: "sentence" }, sentence)),
  );
  showNumbers(found);
  list("faults", found.faults ?? [], "WITHHOLD", "✕");
  list("notes", found.notes ?? [], "REVIEW", "?");
  showOrigin(found);
  byId("details").hidden = false;
  byId("banner").scrollIntoView({ block: "nearest", behavior: "smooth" });
}

/** Show the fingerprint of a good release, what it proves, and what was not checked. */
function showOrigin({ is_good: good, digest, matches, beside }) {
  byId("digest-section").hidden = !good;
  const whose = matches
    ? "It is the one that you gave: these are the numbers of whoever gave it to you."
    : "Not checked: whose numbers these are. They are the publisher's if the publisher's fingerprint is the same.";
  const older = beside.length
    ? ` Not checked: what they reveal together with the ${number(beside.length)} older releases that they were made beside; discreet verify --beside does.`
    : "";
  byId("digest-help").textContent = `The SHA-256 of release.json. ${whose}${older}`;
  byId("digest").textContent = digest ?? "";
}

function showNumbers({ itemsets, min_support: least, n, k, tops, smallest }) {
  const known = [
    [itemsets, "itemsets are listed"],
    [least, n === null ? "rows: the minimum group size" : `of ${number(n ?? 0)} rows: the minimum group size`],
    [k, "is k: the smallest group that anyone may learn about"],
    [smallest, `rows in the smallest derivable group (${number(tops ?? 0)} maximal itemsets checked)`],
  ];
  fill(
    byId("numbers"),
    ...known
      .filter(([value]) => value !== null && value !== undefined)
      .map(([value, words]) => figure(number(value), words)),
  );
}

function list(name, sentences, verdict, sign) {
  byId(`${name}-section`).hidden = !sentences.length;
  const line = (text) =>
    make("li", { class: verdict }, make("span", { class: "dot", "aria-hidden": "true" }, sign), make("p", {}, text));
  fill(byId(name), ...sentences.map(line));
}

begin();
