// The step "load": drop a file or choose a story, check how it is read, and load it; what is loaded can be removed.

import { ask } from "./api.js";
import { byId, bytes } from "./dom.js";
import { arrive, chooser, dropRegion } from "./drop.js";
import { readingForm } from "./reading.js";
import * as state from "./state.js";
import { tellFile } from "./steps.js";
import { asking, worker } from "./work.js";

const runSample = worker(byId("sample-work"));

function begin() {
  const limit = byId("limit");
  limit.textContent = limit.dataset.bytes ? bytes(Number(limit.dataset.bytes)) : "512 MiB";
  const take = (files) => arrive(files, byId("upload-work"));
  dropRegion(document.body, take);
  chooser(byId("choose"), byId("file"), take);
  for (const button of document.querySelectorAll(".sample"))
    button.addEventListener("click", () => {
      button.after(byId("sample-work")); // progress belongs to the card that was clicked
      load(button.dataset);
    });
  const { upload: waiting, options } = byId("reading").dataset;
  if (waiting) readingForm({ upload: waiting }, JSON.parse(options), openCheck, startAgain);
  for (const line of byId("loaded").children) follow(line);
  if (!state.get("data") && byId("loaded").children.length) tellFile("choose one", "");
}

async function load({ sample, page }) {
  if (page !== "/check") return location.assign(`${page}?story=${sample}`);
  const facts = await runSample(asking("read", { sample }));
  if (!facts) return;
  if (facts.noun && !state.recall("noun", facts.data)) state.remember({ noun: facts.noun }, facts.data);
  openCheck(facts);
}

const openCheck = ({ data }) => location.assign(`/check?data=${encodeURIComponent(data)}`);

/** Go back to the choice of a file. */
function startAgain() {
  state.put({ upload: null });
  byId("choose").focus();
}

/** Show the verdict on loaded data, if there is one, and let it be removed. */
function follow(line) {
  const { data } = line.dataset;
  const verdict = state.recall("verdict", data);
  const badge = line.querySelector(".badge");
  badge.textContent = verdict ?? "";
  badge.dataset.verdict = verdict ?? "";
  badge.hidden = !verdict;
  line.querySelector("button").addEventListener("click", async () => {
    await ask("remove", { data });
    state.forget(data);
    line.remove();
    byId("loaded-part").hidden = !byId("loaded").children.length;
    if (state.get("data") === data) location.assign("/");
  });
}

begin();
