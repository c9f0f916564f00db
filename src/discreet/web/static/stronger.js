// "Test a stronger reader": an attacker is tried on what would be published; each finding is proven step by step.

import { byId, capital, counted, download, fill, itemset, make, number } from "./dom.js";
import { tellTested } from "./verdict.js";
import { countPeople, noun } from "./words.js";
import { asking, worker } from "./work.js";

const FIRST = 10; // findings that are listed before somebody asks for more
// Where a sum is broken into lines: before a sign, if a support follows, before the result, and around "and".
const SPLIT = /,? (?=[+−] (?:[\d,]+·)?(?:sup|n)[₀-₉]*[ (]|[=≥≤] [\d,/]+(?:,? and |,? bound|$)|and (?:sup|n |at )|bound it$)/;
const TERM = /^([+−])? ?([\d,]+·)?(?:sup\((.*)\)|n) ([\d,]+)$/s;

/** Return a function that gets the settings to test with; a result of others is removed. ``proved`` hears of findings. */
export function stronger(proved) {
  const run = worker(byId("attack-work"));
  let args = null;
  byId("attack").addEventListener("click", async () => {
    byId("attacked").hidden = true;
    const asked = args;
    const level = byId("level").value;
    const seconds = Number(byId("attack-seconds").value);
    if (level === "belief") {
      const believed = await run(asking("belief", { ...asked, seconds }));
      if (believed) fill(byId("attacked"), ...weigh(believed)).hidden = false;
      return;
    }
    const found = await run(asking("attack", { ...asked, level, seconds }));
    if (!found) return;
    fill(byId("attacked"), ...describe(found)).hidden = false;
    if (found.total) proved({ asked, level, total: found.total });
    else tellTested(`A stronger reader was tested. ${wordOf(found)}`);
  });
  return (now) => {
    run.drop();
    args = now;
    byId("attacked").hidden = true;
  };
}

/** Return what a reader who bets would name, with the prior, and that it is no proof. */
function weigh({ findings, prior, note, left_out: leftOut, k }) {
  const few = k > 2 ? `1 to ${number(k - 1)} ${noun()}` : countPeople(1, 1);
  const words = findings.length
    ? `A reader who bets would name these groups: with the probability that stands first, ${few} belong to each.`
    : `A reader who bets finds no group that is likely to have ${few}.`;
  const lines = findings.map(({ has, lacks, belief, expected }) =>
    make("li", {}, make("strong", {}, `${belief}: `), itemset(has, lacks), ` (${expected} expected)`),
  );
  return [
    make("p", { class: "guarantee", "data-verdict": "REVIEW", role: "status" }, `${words} ${note}`),
    make("ol", { class: "proofs" }, ...lines),
    make("p", { class: "help" }, `Taken as equally likely: ${prior.replace(/ are equally likely$/, "")}. The verdict does not depend on this, unless a policy bounds it.`),
    ...leftOut.map((text) => make("p", { class: "help" }, `Left out: ${text}.`)),
  ];
}

/** Return the result in words. */
function wordOf({ total, new: fresh, is_safe: isSafe, k }) {
  if (isSafe) return `This reader learns nothing about fewer than ${number(k)} ${noun()}.`;
  if (!total) return "Nothing was found, but not everything could be decided, so nothing is called safe.";
  const learned = `This reader learns about ${counted(total, "group")} of fewer than ${number(k)} ${noun()}`;
  const known = "by adding and subtracting, as the findings above";
  if (!fresh) return `${learned}. None of them is new: all follow ${known}.`;
  if (fresh === total) return `${learned}. All of them are new.`;
  return `${learned}. ${number(fresh)} of them are new, and come first; the others follow ${known}.`;
}

function describe(found) {
  const { findings, total, undecided, is_safe: isSafe, assumptions, files } = found;
  const lines = findings.map(lineOf);
  const rest = lines.splice(FIRST);
  const more = make(
    "button",
    { type: "button", class: "button small", click: () => more.parentElement.replaceWith(...rest) },
    `Show ${number(rest.length)} more`,
  );
  return [
    make("p", { class: "guarantee", "data-verdict": isSafe ? "RELEASE" : total ? "WITHHOLD" : "REVIEW", role: "status" }, wordOf(found)),
    make("ol", { class: "proofs" }, ...lines, rest.length ? make("li", { class: "plain" }, more) : null),
    findings.length < total ? make("p", { class: "help" }, `These are ${number(findings.length)} of ${number(total)}, the new ones and then the smallest; all are in the certificates.`) : null,
    ...undecided.map((text) => make("p", { class: "note" }, `${text}.`)),
    make("p", { class: "help" }, `This reader is assumed to know ${assumptions.join("; ")}.`),
    total
      ? make(
          "p",
          { class: "actions" },
          make("button", { type: "button", class: "button small", click: () => download(files[0]) }, "Download the certificates"),
          make("span", { class: "help" }, "They prove each finding, and must stay private."),
        )
      : null,
  ].filter(Boolean);
}

function lineOf({ pattern, has, lacks, low, high, is_new: isNew, sentence, steps }) {
  const isShown = has.length > 0 || lacks.length > 0; // then the proof need not begin with the group
  return make(
    "li",
    {},
    make("strong", {}, `${countPeople(low, high)}: `),
    isShown ? itemset(has, lacks) : make("bdi", {}, pattern),
    isNew ? make("span", { class: "badge" }, "new") : null,
    make("details", {}, make("summary", {}, "Why"), ...steps.flatMap((step) => proof(step)), ...proof(sentence, isShown)),
  );
}

/** Return a proof: what is claimed, unless that is shown already, and the sum that proves it as a ledger. */
function proof(sentence, isShown = false) {
  const [, claim, sum] = /^(.*), because (.*)$/s.exec(sentence) ?? [null, "", sentence];
  const lines = sum.split(SPLIT).flatMap((text) => text.split(/(?<=^and) (?=sup|n )/)).map(termOf);
  return [claim && !isShown ? make("p", { class: "help" }, `${capital(claim.replace(/^sup\((.*)\) is/s, "the count of $1 is"))}, because`) : null, make("div", { class: "subtraction" }, ...lines)].filter(Boolean);
}

/** Return a term of a sum: its sign, its count, and what is counted; what is none as it is. */
function termOf(text) {
  const [, sign, times = "", items, count] = TERM.exec(text) ?? [];
  if (count) return ledgerLine(sign, `${times.replace("·", " × ")}${count}`, items === undefined ? "in all" : `have ${items}`);
  if (/^[=≥≤] /.test(text)) return ledgerLine(text[0], text.slice(2), "", "term few");
  return make("div", { class: "term" }, make("span", { class: "whole-line" }, text));
}

const ledgerLine = (sign, count, words, kind = "term") =>
  make(
    "div",
    { class: kind },
    sign ? make("span", { class: "operator" }, sign) : null,
    make("strong", {}, count),
    make("bdi", {}, words),
  );
