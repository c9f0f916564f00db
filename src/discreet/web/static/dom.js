// Nodes and words: elements made without markup, so that a label is always text; numbers for people.

const SHOWN = 60; // characters of a label
const DRAWN = new Set(
  "div p ul li svg g path rect circle line polyline text title desc".split(" "), // what drawings are made of
);

export const byId = (id) => document.getElementById(id);

/** Return an element: attributes by name, a function for an event, children as nodes or text. */
export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** Return the server's drawing as a node if it has neither scripts nor links, else nothing. */
export function picture(text) {
  const root = new DOMParser().parseFromString(text, "text/html").body.firstElementChild;
  const nodes = root ? [root, ...root.querySelectorAll("*")] : [];
  const isStill = nodes.every((node) => DRAWN.has(node.localName));
  const isPlain = nodes.every((node) =>
    [...node.attributes].every((one) => !one.localName.startsWith("on") && one.localName !== "href"),
  );
  return root && isStill && isPlain ? document.importNode(root, true) : null;
}

/** Replace the children of a node. */
export function fill(node, ...children) {
  node.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** Return a label as a node with its own text direction; a long one is cut, and complete in its title. */
export function label(text, tag = "bdi", attributes = {}) {
  const whole = String(text);
  const shown = whole.length > SHOWN ? `${whole.slice(0, SHOWN - 1)}…` : whole;
  return make(
    tag,
    { ...attributes, title: shown === whole ? attributes.title : whole },
    shown === "" ? "(empty)" : shown,
  );
}

/** Return the items that a group has, and the combinations it lacks, as one line. */
export function itemset(held, lacks = []) {
  const nodes = held.map((item) => make("span", { class: "item" }, label(item)));
  if (!held.length) nodes.push(make("span", { class: "joiner" }, "everyone"));
  if (lacks.length) nodes.push(make("span", { class: "joiner" }, "without"));
  for (const lacked of lacks)
    nodes.push(make("span", { class: "item lacked" }, ...lacked.flatMap((item, at) => (at ? [" with ", label(item)] : [label(item)]))));
  return make("span", { class: "itemset" }, ...nodes);
}

/** Return a cell of a table with a number. */
export const right = (text) => make("td", { class: "right" }, text);

/** Show the first lines of a table, and a button for the others. */
export function listSome(body, button, lines, many) {
  fill(body, ...lines.slice(0, many));
  button.hidden = many >= lines.length;
  button.textContent = `Show ${number(lines.length - many)} more`;
  button.onclick = () => listSome(body, button, lines, lines.length);
}

export const number = (value) => Number(value).toLocaleString("en-US", { maximumFractionDigits: 20 });

/** Return a text with its first letter large. */
export const capital = (text) => text.replace(/^./u, (letter) => letter.toUpperCase());

/** Return "1 row" or "2 rows". */
export const counted = (value, what) => `${number(value)} ${what}${value === 1 ? "" : "s"}`;

/** Return a share as a percentage of three digits. */
export function percent(share) {
  const value = 100 * share;
  return `${Number(value.toPrecision(3)).toLocaleString("en-US", { maximumFractionDigits: 6 })}%`;
}

/** Return some of all as a percentage of three digits, rounded half up from whole numbers. */
export function part(some, all) {
  if (!some || !all) return "0%";
  const scale = 10 ** Math.max(0, 2 - Math.floor(Math.log10((100 * some) / all)));
  return percent(Math.floor((200 * some * scale + all) / (2 * all)) / scale / 100);
}

/** Return a message as a sentence, with a full stop and a capital, unless it starts with a symbol or the name of a file. */
export function sentence(words) {
  const text = String(words).replace(/^[a-z](?=[a-z])(?!\S*\.\w+: )/, (letter) => letter.toUpperCase());
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Return a fingerprint as groups of four to be read aloud, marked where another one differs; copied, it has no blanks. */
export function inFours(digits, other = digits) {
  const group = (four, at) => make(other.startsWith(four, 4 * at) ? "span" : "mark", { class: "four" }, four);
  return digits.match(/.{1,4}/g)?.map(group) ?? [];
}

/** Return a number of bytes in the largest fitting unit. */
export function bytes(value) {
  const units = ["bytes", "KiB", "MiB", "GiB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, value)) / 10));
  return `${number(Number((value / 1024 ** power).toPrecision(3)))} ${units[power]}`;
}

/** Return a number with its unit below, and what that means if it is a term. */
export function figure(value, words, meaning = null) {
  return make(
    "div",
    { class: "figure" },
    make("strong", {}, value),
    make("span", { class: meaning ? "named" : null }, words),
    meaning ? make("span", {}, meaning) : null,
  );
}

/** Return a function that runs the last of several calls, after a pause. */
export function debounced(action, milliseconds) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds, ...values);
  };
}

/** Download a file. */
export function download({ url, name }) {
  const link = make("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
}
