// Files that arrive: dropped on a page or chosen from a dialog, sent to the server, and led to the page they are for.

import { ask, Failure, upload } from "./api.js";
import { bytes } from "./dom.js";
import { worker } from "./work.js";

const RELEASE = "release.json";
const READERS = "readers/"; // the same numbers in other formats, beside the folder of a release
const ARRIVED = "arrived"; // a release that waits for the page Verify

/** Pass the files that are dropped on a region to ``taken``, each with its path. */
export function dropRegion(region, taken) {
  let depth = 0; // leaving a child is not leaving the region
  const over = (change) => {
    depth = Math.max(0, depth + change);
    region.toggleAttribute("data-over", depth > 0);
  };
  region.addEventListener("dragenter", (event) => {
    event.preventDefault();
    over(1);
  });
  region.addEventListener("dragleave", () => over(-1));
  region.addEventListener("dragover", (event) => event.preventDefault());
  region.addEventListener("drop", async (event) => {
    event.preventDefault();
    over(-depth);
    taken(await dropped(event.dataTransfer));
  });
  // A file that misses the region must not replace the page.
  for (const name of ["dragover", "drop"]) addEventListener(name, (event) => event.preventDefault());
}

/** Let a button open the dialog of a file input. */
export function chooser(button, input, taken) {
  button.addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    const files = [...input.files].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
    input.value = ""; // the same file may be chosen again
    if (files.length) taken(files);
  });
}

/** Send files, and open the page they are for: releases go to Verify, everything else to Load. Progress is in ``place``. */
export async function arrive(files, place) {
  place.hidden = false;
  const found = await worker(place)((work) => receive(files, work));
  if (!found) return;
  if (found.holds === "release") sessionStorage.setItem(ARRIVED, JSON.stringify(found.release));
  location.assign(found.holds === "release" ? "/verify" : `/?upload=${encodeURIComponent(found.upload)}`);
}

/** Return the release that arrived on another page, once. */
export function arrived() {
  const release = JSON.parse(sessionStorage.getItem(ARRIVED) ?? "null");
  sessionStorage.removeItem(ARRIVED);
  return release;
}

/** Send one file, or the folder of a release; return what it holds, and the ids of the uploads. */
export async function receive(files, work) {
  const plain = filesOf(files);
  if (plain.length) {
    const sent = {};
    for (const [name, file] of plain) sent[name] = (await send(file, work, name)).upload;
    return { holds: "release", release: { files: sent, file: files[0].path.split("/")[0] } };
  }
  if (files.length !== 1)
    throw new Failure(`Several files came, and no ${RELEASE} among them. Drop one file, or the folder of a release.`);
  const sent = await send(files[0].file, work);
  const { holds } = await ask("preview", { upload: sent.upload }, work);
  return { holds, ...sent, release: { upload: sent.upload, file: sent.file } };
}

function send(file, { signal, told }, name = file.name) {
  const heard = (done, all) =>
    told({ stage: `sending ${bytes(done)} of ${bytes(all)}`, done: all ? done / all : null });
  return upload(file, { signal, told: heard, name });
}

/** Return the files of a release by name: those beside release.json, and those in the folder for readers beside. */
function filesOf(files) {
  const found = files.find(({ path }) => path.split("/").at(-1) === RELEASE);
  if (!found) return [];
  const home = folderOf(found.path);
  const around = folderOf(home.slice(0, -1));
  const own = files.filter(({ path }) => folderOf(path) === home);
  const others = files.filter(({ path }) => folderOf(path) === `${around}${READERS}`);
  return [
    ...own.map(({ file, path }) => [path.slice(home.length), file]),
    ...others.map(({ file, path }) => [path.slice(around.length), file]),
  ];
}

const folderOf = (path) => path.slice(0, path.lastIndexOf("/") + 1);

async function dropped(transfer) {
  // Entries are there only until the first wait.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return [...transfer.files].map((file) => ({ file, path: file.name }));
  return (await Promise.all(entries.map(files))).flat();
}

async function files(entry) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    return [{ file, path: entry.fullPath.replace(/^\//, "") }];
  }
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    // A reader gives a hundred at a time.
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return (await Promise.all(found.map(files))).flat();
    found.push(...some);
  }
}
