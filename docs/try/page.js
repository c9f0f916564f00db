// The page: takes a file, has a worker judge it, and shows the words of the command line.
"use strict";

const MOST_BYTES = 50_000_000;
const VERDICTS = { 0: ["RELEASE"], 1: ["REVIEW", "WITHHOLD"] };  // by exit code; anything else is none
const by = (id) => document.getElementById(id);
// One question is at work, and one has its verdict on the page; a question holds the file and the settings that it is about.
let worker = null, file = null, question = null, answered = null, waiting = false, started = 0;

function tell(text) { by("status").textContent = text; }

function refresh() {
  by("audit").disabled = !file || !worker?.ready || waiting || Boolean(question && !question.isStale);
  by("stop").hidden = !question;
}

// Take back the verdict, and that of the question at work: the file or a setting has changed.
function withdraw() {
  by("result").hidden = true;
  answered = null;
  if (question) question.isStale = true;
}

async function start() {
  worker = question = null;
  waiting = false;
  refresh();
  tell("Getting ready: Python is loaded, from this page alone. You can drop a file already.");
  const parts = Object.fromEntries([...document.querySelectorAll("script[type='text/plain']")].map((part) => [part.id, part.textContent.trim()]));
  const { "worker.js": code, ...others } = parts;
  const unpacked = new Blob([Uint8Array.from(atob(code), (letter) => letter.charCodeAt(0))]).stream().pipeThrough(new DecompressionStream("gzip"));
  const place = URL.createObjectURL(new Blob([await new Response(unpacked).arrayBuffer()], { type: "text/javascript" }));
  worker = new Worker(place);
  worker.ready = false;
  worker.onmessage = ({ data }) => receive(data);
  worker.onerror = () => giveUp();
  worker.postMessage(others);
}

function receive(data) {
  if (data.ready) {
    worker.ready = true;
    tell("Ready. You may switch the network off now.");
    return next();
  }
  const asked = question;
  question = null;
  if (data.broken) {
    if (!worker.ready) return giveUp();
    fail(`The audit broke off (${data.broken}). There is no verdict. Please report this as a bug.`);
    worker.terminate();
    return start();
  }
  if (asked.isStale) {
    if (file && !waiting) tell("The settings have changed: press Audit.");
    return next();
  }
  if (asked.asJson && data.code < 2) save(data.out, asked.file.name);
  else {
    show(data);
    answered = asked;
  }
  next();
}

function next() {
  if (waiting) judge();
  refresh();
}

function show({ code, out, said, command }) {
  const first = out.split(":", 1)[0];
  const verdict = VERDICTS[code]?.includes(first) ? first : "error";
  by("result").hidden = false;
  by("verdict").className = verdict;
  by("verdict").textContent = verdict === "error" ? "No verdict" : verdict;
  by("said").textContent = said.trim();
  by("said").hidden = !said.trim();
  by("words").textContent = out.trim();
  by("words").hidden = !out.trim();
  by("command").textContent = command;
  by("same").hidden = !command;
  by("save").hidden = verdict === "error";
  tell(`${verdict === "error" ? "No verdict" : verdict}, after ${((performance.now() - started) / 1000).toFixed(1)} seconds.`);
  by("verdict").focus();
}

function fail(text) {
  withdraw();
  show({ code: 2, out: "", said: text, command: "" });
  file = null;
  waiting = false;
  by("file").value = "";
  tell("");
  refresh();
}

function giveUp() {
  fail("This browser cannot run the page. Use a current Firefox, Chrome, Edge or Safari, or install discreet.");
  worker.terminate();
  by("file").disabled = true;
}

function save(text, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = `${name}.audit.json`;
  link.click();
  tell("All findings were saved. Keep that file as safe as the data.");
}

async function send(asked) {
  question = asked;
  started = performance.now();
  refresh();
  tell(`Auditing ${asked.file.name} …`);
  const { file: { name }, support, k, others, asJson } = asked;
  const bytes = await asked.file.arrayBuffer().catch(() => null);
  if (question !== asked) return;
  if (bytes) return worker.postMessage({ name, bytes, support, k, others, asJson }, [bytes]);
  question = null;
  if (asked.isStale) next();
  else fail(`${name} cannot be read. It may be a folder, or it may have changed since you chose it: choose it again.`);
}

function take(files) {
  if (by("file").disabled) return;
  withdraw();
  if (files.length !== 1) return fail(files.length ? "Several files were dropped; drop one." : "There is no file; drop or choose one.");
  if (files[0].size > MOST_BYTES) return fail("The file has more than 50 MB. The page is made for up to 20,000 rows; install discreet for larger files.");
  file = files[0];
  judge();
}

function judge() {
  if (!file) return;
  withdraw();
  waiting = Boolean(question) || !worker?.ready;
  if (waiting) tell(question ? `${file.name} waits until the audit before it ends.` : `${file.name} waits until Python is loaded.`);
  else send({ file, ...Object.fromEntries(["support", "k", "others"].map((id) => [id, by(id).value.trim()])), asJson: false });
  refresh();
}

by("file").addEventListener("change", (event) => take(event.target.files));
by("form").addEventListener("submit", (event) => { event.preventDefault(); judge(); });
by("form").addEventListener("input", ({ target }) => {
  if (target === by("file")) return;
  withdraw();
  if (file && !waiting) tell("The settings have changed: press Audit.");
  refresh();
});
by("save").addEventListener("click", () => question || send({ ...answered, asJson: true }));
by("stop").addEventListener("click", () => {
  worker.terminate();
  start();
  tell("Stopped. There is no verdict. Raise the minimum support if it takes too long.");
});
for (const name of ["dragenter", "dragover"]) document.addEventListener(name, (event) => { event.preventDefault(); by("drop").classList.add("over"); });
for (const name of ["dragleave", "drop"]) document.addEventListener(name, () => by("drop").classList.remove("over"));
document.addEventListener("drop", (event) => { event.preventDefault(); by("file").files = event.dataTransfer.files; take(event.dataTransfer.files); });
start();
