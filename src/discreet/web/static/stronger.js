// "Test a stronger reader": an attacker is tried on what would be published; each finding is proven step by step.

import { byId, counted, download, fill, itemset, make, number } from "./dom.js";
import { countPeople, noun } from "./words.js";
import { asking, worker } from "./work.js";

const FIRST = 10; // findings that are listed before somebody asks for more

/** Return a function that gets the settings to test with; a result of others is removed. ``proved`` hears of findings. */
export function stronger(proved) {
  const run = worker(byId("attack-work"));
  let args = null;
  byId("attack").addEventListener("click", async () => {
    byId("attacked").hidden = true;
    const level = byId("level").value;
    const found = await run(asking("attack", { ...args, level, seconds: Number(byId("attack-seconds").value) }));
    if (!found) return;
    fill(byId("attacked"), ...describe(found)).hidden = false;
    if (found.total) proved({ asked: args, level, total: found.total });
  });
  return (now) => {
    args = now;
    byId("attacked").hidden = true;
  };
}

function describe({ findings, total, undecided, is_safe: isSafe, k, assumptions, files }) {
  const word = isSafe
    ? `This reader learns nothing about fewer than ${number(k)} ${noun()}.`
    : total
      ? `This reader learns about ${counted(total, "group")} of fewer than ${number(k)} ${noun()}.`
      : `Nothing was found, but not everything could be decided, so nothing is called safe.`;
  const lines = findings.map(lineOf);
  const rest = lines.splice(FIRST);
  const more = make(
    "button",
    { type: "button", class: "button small", click: () => more.parentElement.replaceWith(...rest) },
    `Show ${number(rest.length)} more`,
  );
  return [
    make("p", { class: "guarantee", "data-verdict": isSafe ? "RELEASE" : total ? "WITHHOLD" : "REVIEW", role: "status" }, word),
    make("ol", { class: "proofs" }, ...lines, rest.length ? make("li", { class: "plain" }, more) : null),
    findings.length < total ? make("p", { class: "help" }, `These are the smallest ${number(findings.length)} of ${number(total)}; all are in the certificates.`) : null,
    ...undecided.map((text) => make("p", { class: "note" }, `Undecided: ${text}.`)),
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

function lineOf({ pattern, has, lacks, low, high, sentence, steps }) {
  const isShown = has.length > 0 || lacks.length > 0; // then the proof need not begin with the group
  return make(
    "li",
    {},
    make("strong", {}, `${countPeople(low, high)}: `),
    isShown ? itemset(has, lacks) : make("bdi", {}, pattern),
    make(
      "details",
      {},
      make("summary", {}, "Why"),
      ...steps.map((step) => make("p", { class: "help" }, step)),
      make("p", {}, isShown ? sentence.replace(/^.* because /, "") : sentence),
    ),
  );
}
