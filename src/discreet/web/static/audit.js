// The page "audit": settings, and the verdict, checks, charts and channels for them.

import { browser } from "./channels.js";
import { byId, download, figure, fill, make, number, part, counted } from "./dom.js";
import { draw } from "./charts.js";
import { showFacts } from "./facts.js";
import { opened } from "./page.js";
import { asArguments, settings } from "./settings.js";
import * as state from "./state.js";
import { tradeoff } from "./tradeoff.js";
import { markReady, showChecks, showFailed, showNone, showStopped, showVerdict } from "./verdict.js";
import { asking, worker } from "./work.js";

const run = worker(byId("audit-work"), { stopped: showStopped, failed: showFailed });
const runReport = worker(byId("report-work"));

async function begin() {
  const facts = await opened();
  if (!facts) return;
  const args = (now) => asArguments(facts, now);
  const parts = {
    channels: browser(),
    tradeoff: facts.is_patterns ? null : tradeoff(facts, (text) => controls.setMinSupport(text)),
  };
  const follow = (now, since) => audit(args(now), since, parts);
  const controls = settings(facts, follow, () => setReady(false));
  byId("tradeoff-section").hidden = facts.is_patterns;
  byId("make-safe").hidden = facts.is_patterns;
  byId("report").addEventListener("click", (event) => {
    event.preventDefault();
    report(args(controls.now));
  });
  showFacts(byId("facts-body"), facts);
  audit(args(controls.now), performance.now(), parts);
}

/** Ask for the verdict on the present settings, and show it; the old one is stale meanwhile. */
async function audit(args, since, parts) {
  state.put({ min_support: args.min_support, k: args.k, policy: args.policy, max_length: args.max_length });
  setReady(false);
  if (!byId("banner").dataset.verdict) showNone("…", "Looking at the data.", "…");
  const found = await run(asking("audit", args));
  if (!found) return;
  showVerdict(found, (performance.now() - since) / 1000);
  byId("make-safe").classList.toggle("main", found.verdict !== "RELEASE");
  setReady(true);
  showNumbers(found);
  showChecks(found);
  parts.channels(args);
  showSizes(found);
  parts.tradeoff?.(args, found);
}

const setReady = (isReady) => markReady(isReady, ["verdict", "numbers", "checks", "sizes", "advice"]);

function showNumbers({ itemsets, kind, max_length: length, channels, counted: unit, exposed, n, min_support: least, share }) {
  const smallest = exposed?.smallest?.[0]?.count;
  const size = unit === "people" ? people(smallest) : counted(smallest ?? 0, "row");
  fill(
    byId("numbers"),
    figure(number(itemsets), `${kind ?? ""} itemsets${atMost(length)} would be published`),
    least === null || least === undefined
      ? null
      : figure(
          number(least),
          `minimum group size${share === null || share === undefined ? "" : ` (${asShare(share)} of ${number(n)})`}`,
        ),
    channels === null || channels === undefined
      ? null
      : figure(number(channels), "channels: differences that reveal fewer than k people"),
    exposed
      ? figure(
          number(exposed.rows),
          `${exposed.rows === 1 ? "row is" : "rows are"} exposed, ${part(exposed.rows, n)} of all`,
        )
      : null,
    smallest ? figure(size, "in the smallest group that can be singled out") : null,
  );
}

const atMost = (length) => (length === null || length === undefined ? "" : ` of at most ${counted(length, "item")}`);

const people = (many) => `${number(many ?? 0)} ${many === 1 ? "person" : "people"}`;

const asShare = (share) => (typeof share === "number" ? part(share, 1) : String(share));

function showSizes({ cell_sizes: sizes }) {
  if (!sizes.lines.length) {
    fill(byId("sizes"), make("p", { class: "nothing" }, "There are no cells to show."));
    return;
  }
  draw(byId("sizes"), sizes);
}

async function report(args) {
  const found = await runReport(asking("report", args));
  if (found) download(found.files[0]);
}

begin();
