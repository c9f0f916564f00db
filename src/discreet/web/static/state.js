// The address holds the state: numbers and names in the query string; labels only after the #, which no server sees.

const CARRIED = ["data", "min_support", "k", "policy", "max_length"]; // from page to page

export const get = (name) => new URLSearchParams(location.search).get(name);

/** Set values of the query string (null removes one), and update the links to the other pages. */
export function put(changes) {
  const words = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === undefined || value === "") words.delete(name);
    else words.set(name, value);
  }
  replace(words, location.hash);
  follow();
}

/** The items of some data that are left out; kept in this tab, since they are labels. */
export function leftOut(data) {
  try {
    const names = JSON.parse(sessionStorage.getItem(`leave-out ${data}`) ?? "[]");
    return names.length ? names : null;
  } catch {
    return null;
  }
}

export const putLeftOut = (data, names) => sessionStorage.setItem(`leave-out ${data}`, JSON.stringify(names));

/** The text after the #. */
export function text() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
}

export function putText(value) {
  replace(new URLSearchParams(location.search), value ? `#${encodeURIComponent(value)}` : "");
}

function replace(words, hash) {
  const search = words.toString();
  history.replaceState(history.state, "", `${location.pathname}${search && `?${search}`}${hash}`);
}

/** Return the address of another page with the same data and settings. */
export function address(path) {
  const words = new URLSearchParams(location.search);
  const kept = new URLSearchParams(CARRIED.filter((name) => words.has(name)).map((name) => [name, words.get(name)]));
  return `${path}${kept.size ? `?${kept}` : ""}`;
}

/** Make the links between pages carry the data and the settings. */
export function follow() {
  for (const link of document.querySelectorAll("a[href^='/']:not([download])")) {
    const path = link.getAttribute("href").split("?")[0];
    if (!path.startsWith("/api")) link.setAttribute("href", address(path));
  }
}

// The # belongs to the state: a link that only moves the focus must not write there.
document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  document.getElementById("main").focus();
});
addEventListener("hashchange", () => location.reload());
