// State: thresholds and ids in the address; whatever may hold labels in this tab alone, which no history keeps.

const CARRIED = ["data", "min_support", "k", "policy", "max_length"]; // from page to page

export const get = (name) => new URLSearchParams(location.search).get(name);

/** Set values of the address (null removes one), and update the links to the other pages. */
export function put(changes) {
  const words = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === undefined || value === "") words.delete(name);
    else words.set(name, value);
  }
  const search = words.toString();
  history.replaceState(history.state, "", `${location.pathname}${search && `?${search}`}`);
  follow();
}

const store = (data) => `data ${data ?? get("data")}`;

/** Return what this tab remembers about some data, by default that of the address. */
export function recall(name, data = null) {
  try {
    return JSON.parse(sessionStorage.getItem(store(data)) ?? "{}")[name] ?? null;
  } catch {
    return null;
  }
}

/** Keep values about some data in this tab (null removes one). */
export function remember(changes, data = null) {
  let known = {};
  try {
    known = JSON.parse(sessionStorage.getItem(store(data)) ?? "{}");
  } catch {
    // What cannot be read is replaced.
  }
  sessionStorage.setItem(store(data), JSON.stringify({ ...known, ...changes }));
}

/** Forget all that this tab knows about some data. */
export const forget = (data) => sessionStorage.removeItem(store(data));

/** Return the address of another page with the same data and settings. */
export function address(path) {
  const words = new URLSearchParams(location.search);
  const kept = new URLSearchParams(CARRIED.filter((name) => words.has(name)).map((name) => [name, words.get(name)]));
  return `${path}${kept.size ? `?${kept}` : ""}`;
}

/** Make the links between pages carry the data and the settings; those of the class ``own`` have data of their own. */
export function follow() {
  for (const link of document.querySelectorAll("a[href^='/']:not([download], .own)")) {
    const path = link.getAttribute("href").split("?")[0];
    if (!path.startsWith("/api")) link.setAttribute("href", address(path));
  }
}

// A link that only moves the focus leaves the address as it is.
document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  document.getElementById("main").focus();
});
