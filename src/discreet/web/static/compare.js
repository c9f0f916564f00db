// The page "compare": a newer release and an older one, judged together and each alone.

import { ask } from "./api.js";
import {
  byId,
  capital,
  counted,
  debounced,
  download,
  figure,
  fill,
  itemset,
  label,
  listSome,
  make,
  number,
  right,
} from "./dom.js";
import { chooser, dropRegion, receive } from "./drop.js";
import * as state from "./state.js";
import { markReady, showChecks, showVerdict } from "./verdict.js";
import { worker } from "./work.js";

const PAGE = "compare"; // what this tab keeps of it
const SIDES = ["newer", "older"];
const STORY = {
  newer: { is: "this-year", file: "This year's release of an invented clinic" },
  older: { is: "last-year", file: "Last year's release of an invented clinic" },
};
const PAUSE = 150; // milliseconds without a change before one counts
const FIRST = 25; // differences that are shown at once
const MAY = "This may be published: "; // what a verdict of RELEASE begins with

const run = worker(byId("compare-work"), { failed: showNothing });
const chosen = { newer: null, older: null }; // each has what it ``is`` for the server, and the name of its file
let asked = null; // what the verdict on the page is about
let report = null;

function begin() {
  for (const side of SIDES) {
    const runSide = worker(byId(`${side}-work`));
    const take = async (files) => {
      mark(false);
      const found = await runSide((work) => receive(files, work));
      if (found) choose({ [side]: { is: found.release.upload ?? found.release.files, file: found.release.file } });
    };
    dropRegion(byId(side), take);
    chooser(byId(`choose-${side}`), byId(`${side}-file`), take);
    chooser(byId(`choose-${side}-folder`), byId(`${side}-folder`), take);
  }
  byId("story").addEventListener("click", () => {
    byId("grown").checked = true;
    choose(STORY);
  });
  byId("settings").addEventListener("submit", (event) => event.preventDefault());
  const later = debounced(compare, PAUSE);
  for (const id of ["k", "grown"])
    byId(id).addEventListener("input", () => {
      mark(false);
      later();
    });
  byId("search").addEventListener("input", debounced(search, PAUSE));
  byId("report").addEventListener("click", () => download(report));
  byId("k").value = state.recall("k", PAGE) ?? state.get("k") ?? "10";
  byId("grown").checked = state.recall("grown", PAGE) ?? false;
  if (state.get("story")) byId("story").click();
  else choose(state.recall("chosen", PAGE) ?? {});
}

function choose(sides) {
  Object.assign(chosen, sides);
  state.remember({ chosen }, PAGE);
  for (const side of SIDES) {
    fill(byId(`${side}-came`).firstElementChild, chosen[side] ? label(chosen[side].file) : null);
    byId(`${side}-came`).hidden = !chosen[side];
    byId(`${side}-help`).hidden = Boolean(chosen[side]);
  }
  compare();
}

/** Compare the releases as soon as both are there. */
async function compare() {
  const k = Number(byId("k").value);
  const isRight = Number.isInteger(k) && k >= 1;
  byId("k").setAttribute("aria-invalid", String(!isRight));
  const grown = byId("grown").checked;
  state.remember({ k: byId("k").value, grown }, PAGE);
  if (!isRight || !chosen.newer || !chosen.older) return;
  mark(false);
  byId("search").value = "";
  asked = { newer: chosen.newer.is, older: chosen.older.is, k, grown };
  const found = await run((work) => ask("compare_releases", asked, work));
  if (found) show(found);
}

/** Mark what is shown as that of the present releases and settings, or as stale. */
function mark(isReady) {
  if (!isReady) run.drop();
  markReady(isReady, ["verdict", "decisive", "advice", "next", "compared"]);
  byId("report").disabled = !isReady;
}

/** Remove the verdict; the error is shown as usual. */
function showNothing() {
  byId("banner").hidden = byId("compared").hidden = true;
  return false;
}

function show(found) {
  const isFirst = byId("banner").hidden;
  byId("banner").hidden = byId("compared").hidden = false;
  report = found.files[0];
  showVerdict(found, found.seconds);
  showChecks(found);
  for (const side of SIDES) showAlone(side, found[side], found.verdict);
  showNumbers(found);
  showFindings(found);
  byId("next").hidden = !found.findings[0]?.base; // what to do about tables is told with their verdict
  byId("load-newer").hidden = byId("next").hidden;
  if (!byId("next").hidden) byId("advice").textContent = "";
  mark(true);
  if (isFirst) byId("banner").scrollIntoView({ block: "nearest", behavior: "smooth" });
}

/** Show the verdict on one release alone; a better one than that on both is no permission, and has no colour. */
function showAlone(side, { verdict, sentence, what }, together) {
  const place = byId(`${side}-alone`);
  const isBetter = verdict === "RELEASE" && together !== "RELEASE";
  place.dataset.verdict = isBetter ? "" : verdict;
  const [word, size] = place.querySelectorAll("span");
  word.textContent = isBetter ? "Alone it would pass." : verdict;
  size.textContent = `${chosen[side].file}, ${what}`;
  place.querySelector(".told").textContent = isBetter ? capital(sentence.replace(MAY, "")) : sentence;
}

function showNumbers({ total, k, same, rose, fell, only_newer: newer, only_older: older }) {
  fill(
    byId("numbers"),
    figure(number(total), `${total === 1 ? "group" : "groups"} of fewer than ${number(k)} people revealed`),
    figure(number(same), "counts are the same in both"),
    figure(number(rose), "counts rose"),
    figure(number(fell), "counts fell"),
    figure(number(newer), "are in the newer one alone"),
    figure(number(older), "are in the older one alone"),
  );
}

function showFindings({ findings, matching, total }) {
  const some = findings.length < matching ? `the first ${number(findings.length)} of ` : "";
  const found = matching === total ? "" : `${number(matching)} of `;
  byId("findings-told").textContent = `${some}${found}${counted(total, "difference")}${some ? ": search for others" : ""}`;
  byId("search-part").hidden = !total;
  byId("findings").hidden = !findings.length;
  byId("no-findings").hidden = findings.length > 0;
  byId("no-findings").textContent = total
    ? "No difference has all of these words."
    : "No difference reveals fewer than k people.";
  listSome(byId("findings").tBodies[0], byId("more-findings"), findings.map(lineOf), FIRST);
}

function lineOf({ text, base, lacked, before, now, low, high, sum }) {
  const who = base ? itemset(base, lacked.map((item) => [item])) : label(text);
  return make(
    "tr",
    {},
    make("td", {}, who, sum ? make("p", { class: "help" }, make("bdi", {}, sum)) : null),
    right(before === null ? "–" : number(before)),
    right(now === null ? "–" : number(now)),
    right(low < high ? `${number(low)} to ${number(high)}` : now === null ? number(low) : signed(low)),
  );
}

const signed = (count) => `${count < 0 ? "−" : "+"}${number(Math.abs(count))}`;

/** List the differences with the words of the search, which no address holds. */
async function search() {
  if (byId("verdict").dataset.ready !== "true") return;
  const found = await run((work) => ask("compare_releases", { ...asked, search: byId("search").value }, work));
  if (found) showFindings(found);
}

begin();
