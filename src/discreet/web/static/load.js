// The page "load": drop a file or choose a sample, check how it is read, and load it.

import { ask, Failure, upload } from "./api.js";
import { bytes, byId } from "./dom.js";
import { chooser, dropRegion } from "./drop.js";
import { showFacts } from "./facts.js";
import { showData } from "./page.js";
import { readingForm } from "./reading.js";
import * as state from "./state.js";
import { asking, tellFailure, worker } from "./work.js";

const runUpload = worker(byId("upload-work"));
const runSample = worker(byId("sample-work"));
const form = readingForm(openAudit, startAgain);

function begin() {
  state.follow();
  const limit = byId("limit");
  limit.textContent = limit.dataset.bytes ? bytes(Number(limit.dataset.bytes)) : "512 MiB";
  dropRegion(byId("drop"), take);
  chooser(byId("choose"), byId("file"), take);
  for (const button of document.querySelectorAll(".sample"))
    button.addEventListener("click", () => {
      button.after(byId("sample-work")); // progress belongs to the card that was clicked
      load(button.dataset.sample);
    });
  const { upload: waiting, options } = byId("reading").dataset;
  if (waiting) form.open({ upload: waiting }, JSON.parse(options));
  if (state.get("data") && !byId("error")) showLoaded(state.get("data"));
}

async function take(files) {
  if (files.length !== 1) return tellFailure(byId("upload-work"), new Failure("Drop one file at a time."));
  const { file } = files[0];
  const sent = await runUpload(({ signal, told }) => {
    const heard = (done, all) =>
      told({ stage: `sending ${bytes(done)} of ${bytes(all)}`, done: all ? done / all : null });
    return upload(file, { signal, told: heard });
  });
  if (!sent) return;
  state.put({ upload: sent.upload });
  form.open(sent);
}

async function load(sample) {
  const facts = await runSample(asking("read", { sample }));
  if (facts) openAudit(facts);
}

function openAudit({ data }) {
  location.assign(`/audit?data=${encodeURIComponent(data)}`);
}

/** Go back to the choice of a file. */
function startAgain() {
  state.put({ upload: null });
  byId("choose").focus();
}

async function showLoaded(data) {
  try {
    const facts = await ask("read", { data });
    showData(facts);
    showFacts(byId("facts-body"), facts);
    byId("facts").hidden = false;
  } catch (error) {
    tellFailure(byId("upload-work"), error);
  }
}

begin();
