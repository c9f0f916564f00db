// The worker: Python, and the file that was dropped. Its policy allows no connection, so the parts of Python come with a message.
"use strict";

const files = {};

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Pyodide asks for its own files by their names.
self.fetch = async (address) => {
  const name = new URL(address.url ?? address, "https://page.invalid/").pathname.split("/").pop();
  const type = name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
  return name in files ? new Response(files[name], { headers: { "content-type": type } }) : new Response(null, { status: 404 });
};

const python = new Promise((resolve, reject) => {
  self.onmessage = async ({ data }) => {
    try {
      for (const [name, text] of Object.entries(data)) files[name] = await unpack(text);
      const loaded = await loadPyodide({ indexURL: "https://page.invalid/", env: { NUMBA_DISABLE_JIT: "1" } });
      // NumPy asks who calls it before it reuses a large array, and crashes where nobody can tell; with no answer, it reuses none.
      loaded._module.mergeLibSymbols({ backtrace: () => 0 });
      for (const name of ["numpy.zip", "click.zip", "discreet.zip"]) loaded.unpackArchive(files[name], "zip", { extractDir: "/home/pyodide/packages" });
      loaded.FS.writeFile("/home/pyodide/packages/worker.py", files["worker.py"]);
      loaded.FS.mkdir("/home/pyodide/files");
      loaded.runPython("import sys, os; sys.path.insert(0, '/home/pyodide/packages'); os.chdir('/home/pyodide/files')");
      const worker = loaded.pyimport("worker");
      worker.start();
      self.onmessage = audit;
      postMessage({ ready: true });
      resolve({ loaded, worker });
    } catch (error) {
      postMessage({ broken: String(error.message ?? error) });
      reject(error);
    }
  };
});

async function audit({ data }) {
  const { loaded, worker } = await python;
  try {
    loaded.FS.writeFile(data.name, new Uint8Array(data.bytes));
    const [code, out, said, command] = worker.audit.callKwargs(data.name, data.support, data.k, data.others, { as_json: data.asJson }).toJs();
    postMessage({ code, out, said, command, asJson: data.asJson });
  } catch (error) {
    // The last line names what happened; the others could hold data.
    postMessage({ broken: String(error.type ?? error.name ?? "error") });
  } finally {
    if (loaded.FS.analyzePath(data.name).exists) loaded.FS.unlink(data.name);
  }
}
