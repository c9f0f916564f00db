// The page: takes a file, has a worker judge it, and shows the words of the command line.
"use strict";

const MOST_BYTES = 50_000_000;
const VERDICTS = { 0: ["RELEASE"], 1: ["REVIEW", "WITHHOLD"] };  // by exit code; anything else is none
const by = (id) => document.getElementById(id);
let worker = null, file = null, running = false, started = 0;

function tell(text) { by("status").textContent = text; }

async function start() {
  worker = null;
  by("audit").disabled = true;
  tell("Getting ready: Python is loaded, from this page alone. You can drop a file already.");
  const parts = Object.fromEntries([...document.querySelectorAll("script[type='text/plain']")].map((part) => [part.id, part.textContent.trim()]));
  const { "worker.js": code, ...others } = parts;
  const unpacked = new Blob([Uint8Array.from(atob(code), (letter) => letter.charCodeAt(0))]).stream().pipeThrough(new DecompressionStream("gzip"));
  const place = URL.createObjectURL(new Blob([await new Response(unpacked).arrayBuffer()], { type: "text/javascript" }));
  worker = new Worker(place);
  worker.ready = false;
  worker.onmessage = ({ data }) => receive(data);
  worker.onerror = () => fail("This browser cannot run the page. Use a current Firefox, Chrome, Edge or Safari, or install discreet.");
  worker.postMessage(others);
}

function receive(data) {
  if (data.ready) {
    worker.ready = true;
    tell(file ? "" : "Ready. You may switch the network off now.");
    by("audit").disabled = !file;
    if (file && running) send(false);
    return;
  }
  running = false;
  by("stop").hidden = true;
  by("audit").disabled = false;
  if (data.broken) fail(`The audit broke off (${data.broken}). There is no verdict. Please report this as a bug.`);
  else if (data.asJson && data.code < 2) save(data.out);
  else show(data);
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
  by("save").hidden = verdict === "error";
  tell(`${verdict === "error" ? "No verdict" : verdict}, after ${((performance.now() - started) / 1000).toFixed(1)} seconds.`);
  by("verdict").focus();
}

function fail(text) {
  show({ code: 2, out: "", said: text, command: "" });
  tell("");
}

function save(text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = `${file.name}.audit.json`;
  link.click();
  tell("All findings were saved. Keep that file as safe as the data.");
}

async function send(asJson) {
  running = true;
  started = performance.now();
  by("stop").hidden = false;
  by("audit").disabled = true;
  tell(`Auditing ${file.name} …`);
  const [support, k, others] = ["support", "k", "others"].map((id) => by(id).value.trim());
  const bytes = await file.arrayBuffer();
  worker.postMessage({ name: file.name, bytes, support, k, others, asJson }, [bytes]);
}

function take(files) {
  if (!files.length) return;
  if (files.length > 1) return fail("Several files were dropped; drop one.");
  if (files[0].size > MOST_BYTES) return fail("The file has more than 50 MB. The page is made for up to 20,000 rows; install discreet for larger files.");
  file = files[0];
  by("result").hidden = true;
  judge();
}

function judge() {
  if (!file || (running && worker?.ready)) return;
  running = true;
  if (worker?.ready) send(false);
  else tell(`${file.name} waits until Python is loaded.`);
}

by("file").addEventListener("change", (event) => take(event.target.files));
by("form").addEventListener("submit", (event) => { event.preventDefault(); judge(); });
by("save").addEventListener("click", () => running || send(true));
by("stop").addEventListener("click", () => {
  worker.terminate();
  running = false;
  by("stop").hidden = true;
  start();
  tell("Stopped. There is no verdict. Raise the minimum support if it takes too long.");
});
for (const name of ["dragenter", "dragover"]) document.addEventListener(name, (event) => { event.preventDefault(); by("drop").classList.add("over"); });
for (const name of ["dragleave", "drop"]) document.addEventListener(name, () => by("drop").classList.remove("over"));
document.addEventListener("drop", (event) => { event.preventDefault(); by("file").files = event.dataTransfer.files; take(event.dataTransfer.files); });
start();
