// The step "hand over": the files of the release that was chosen, what is done with each, and its fingerprint.

import { byId, bytes, fill, inFours, make } from "./dom.js";
import { opened } from "./page.js";
import * as state from "./state.js";
import { provenWith, sayProven } from "./steps.js";
import { showWord } from "./verdict.js";
import { asking, worker } from "./work.js";

const FILES = {
  "release.zip": ["publish", "Download the release", "The numbers as JSON, CSV and Excel, a report for readers, and a certificate. Anyone who has it can verify it."],
  "report.html": ["publish", "Download the report", "A page for readers, to publish with it."],
  "summary.html": ["inside", "Download the summary to sign", "One page for the head of department, with a box for the decision."],
  "sacro.zip": ["inside", "Download the folder for output checkers", "SACRO-Viewer opens it."],
  "DO-NOT-RELEASE.zip": ["private", "Download what must stay private", "What was changed, for your records. It reveals what the release hides."],
};
const CHECKED = { "report.html": ["inside", "Download the report of the check", "The verdict, the findings and their sums. It contains the small counts it warns about."] };

const AS_IT_IS = "as it is"; // nothing was done
const run = worker(byId("handover-work"));

async function begin() {
  const facts = await opened();
  if (!facts) return;
  const release = state.recall("release");
  const { is_repaired: isRepaired } = facts;
  byId("back").hidden = false;
  if (isRepaired ? !release : !state.recall("verdict"))
    return showWord(null, "Not ready", "There is no safe release yet. Check the file first, and fix what is found.");
  const asked = isRepaired ? release.options : state.recall("asked");
  const found = await run(asking("handover", asked));
  if (!found) return showWord(null, "Not ready", "The files could not be written.");
  show(found, release ?? {}, isRepaired);
}

function show({ verdict, sentence, guarantee, fingerprint, command, files }, { what = "" } = {}, isRepaired) {
  const isPublic = isRepaired && files.some(({ name }) => name === "release.zip");
  const proven = verdict === "RELEASE" && !isRepaired ? provenWith(state.recall("asked")) : null;
  if (proven) showWord("REVIEW", "REVIEW", sayProven(proven));
  else showWord(verdict, verdict, sentence);
  byId("done").textContent = isPublic && what && what !== AS_IT_IS ? `The remedy was to ${what}.` : "";
  byId("advice").textContent = guarantee ?? "";
  byId("back").hidden = isPublic;
  const kinds = isRepaired ? FILES : { ...FILES, ...CHECKED };
  for (const place of ["publish", "inside", "private"]) {
    const mine = files.filter(({ name }) => kinds[name]?.[0] === place);
    fill(byId(place), ...mine.map((file) => lineOf(file, kinds[file.name], place)));
    byId(`${place}-part`).hidden = !mine.length;
  }
  byId("fingerprint-part").hidden = !fingerprint;
  fill(byId("fingerprint"), ...inFours(fingerprint ?? ""));
  fill(byId("command"), ...inOptions(command ?? ""));
  byId("command-part").hidden = !command;
  copies(byId("copy-fingerprint"), fingerprint);
  copies(byId("copy-command"), command);
  byId("handed").hidden = false;
  byId("verdict").dataset.ready = "true";
}

/** Return a command as parts that are not torn apart: an option and its value are one. */
const inOptions = (command) => command.split(/ (?=--)/).flatMap((part, at) => [at ? " " : "", make("span", { class: "whole" }, part)]);

function lineOf({ name, url, bytes: size }, [, title, about], place) {
  const isMain = name === "release.zip";
  const link = make("a", { class: `button${isMain ? " main" : place === "private" ? " warn" : ""}`, href: url, download: name }, title);
  return make("li", {}, link, make("p", { class: "help" }, `${about} `, make("span", { class: "whole" }, `(${name}, ${bytes(size)})`)));
}

function copies(button, text) {
  const words = button.textContent;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = words), 2000);
  });
}

begin();
