// The server: requests in JSON, repeated while work is under way, and stopped; uploads with progress.

const GONE = "The server has stopped; start `discreet serve` again.";
const FIRST = 0.25; // seconds that the server waits before it answers with the progress
const NEXT = 0.4;
const AGAIN = 3;

/** An error, in the server's words. */
export class Failure extends Error {
  constructor(sentence, facts = {}, status = 0) {
    super(sentence);
    this.facts = facts;
    this.status = status;
  }
}

/** Stopped work. */
export class Stopped extends Error {}

/** Return the server's answer to a request. ``told`` gets the progress; ``signal`` stops the work. */
export async function ask(verb, args, { signal, told } = {}) {
  let job = null;
  const stop = () => job && cancel(job);
  signal?.addEventListener("abort", stop);
  try {
    for (let wait = FIRST, refused = 0; ; wait = NEXT) {
      // The request itself is not aborted: only its answer says which job to stop.
      const { status, facts } = await post(verb, { ...args, wait });
      job = facts.job ?? job;
      if (signal?.aborted) {
        if (status === 202) stop();
        throw new Stopped();
      }
      if (status === 200 || status === 201) return facts;
      // An older request of ours may have stopped the job: ask again.
      if (status === 409 && ++refused < AGAIN) continue;
      if (status !== 202) throw new Failure(facts.error ?? `The server answered ${status}.`, facts, status);
      told?.(facts);
    }
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

const cancel = (job) => post("cancel", { job }).catch(() => {});

async function post(verb, facts) {
  let answer;
  try {
    answer = await fetch(`/api/${verb}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify(known(facts)),
    });
  } catch {
    throw new Failure(GONE);
  }
  return { status: answer.status, facts: await answer.json().catch(() => ({})) };
}

/** Leave out missing values. */
function known(facts) {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null && value !== undefined));
}

/** Send a file; return its facts. ``told`` gets the number of bytes sent, and of all bytes. */
export function upload(file, { signal, told, name = file.name } = {}) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", "/api/upload");
    request.setRequestHeader("X-File-Name", encodeURIComponent(name));
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.responseType = "json";
    request.upload.addEventListener("progress", (event) => told?.(event.loaded, event.total));
    request.addEventListener("load", () => {
      const facts = request.response ?? {};
      if (request.status === 201) resolve(facts);
      else reject(new Failure(facts.error ?? `The server answered ${request.status}.`, facts, request.status));
    });
    request.addEventListener("error", () => reject(new Failure(GONE)));
    request.addEventListener("abort", () => reject(new Stopped()));
    signal?.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}
