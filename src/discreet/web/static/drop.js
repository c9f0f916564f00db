// Dropping: files, or a folder, dropped on a region or chosen from a dialog.

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
