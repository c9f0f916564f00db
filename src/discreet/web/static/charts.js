// Charts: the server's figures, drawn by Plotly in the colours of the page, each with a table of its numbers.

import { fill, make, number } from "./dom.js";

const MOST = 200; // lines of a table of numbers
const CONFIG = { displayModeBar: false, showTips: false };
const drawn = new Map(); // places, and the figure in each

let script = null;

/** Load Plotly once, and only after the page has been painted: it is large. */
function plotly() {
  script ??= new Promise((resolve, reject) => {
    const begin = () => {
      const tag = make("script", { src: "/static/plotly.min.js" });
      tag.addEventListener("load", () => resolve(globalThis.Plotly));
      tag.addEventListener("error", () => reject(new Error("plotly.min.js could not be loaded")));
      document.head.append(tag);
    };
    requestAnimationFrame(() => setTimeout(begin, 0));
  });
  return script;
}

/** Draw a figure in a place. ``caption`` describes it; ``value`` reads a number for the table from a trace. */
export async function draw(place, figure, { caption, columns = null, value = plain, picked = null }) {
  let plot = place.querySelector(".plot");
  if (!plot) {
    plot = make("div", { class: "plot", role: "img" });
    fill(
      place,
      plot,
      make(
        "details",
        {},
        make("summary", {}, "The numbers as a table"),
        make("div", { class: "scroll", tabindex: 0, role: "region" }),
      ),
    );
  }
  plot.setAttribute("aria-label", caption);
  tabulate(place.querySelector(".scroll"), figure, caption, columns, value);
  drawn.set(plot, figure);
  await plotly();
  if (drawn.get(plot) !== figure) return; // a newer one came while the script was loading
  await paint(plot, figure);
  widths.observe(plot);
  if (picked && !plot.dataset.picked) {
    plot.dataset.picked = "true";
    plot.on("plotly_click", (event) => picked(event.points[0]));
  }
}

async function paint(plot, { data, layout }) {
  const Plotly = await plotly();
  return Plotly.react(plot, data.map(named), inColours(layout), CONFIG);
}

/** Return a trace with the colour of the theme that it names, such as --accent. */
function named(trace) {
  const colour = trace.marker?.color;
  if (typeof colour !== "string" || !colour.startsWith("--")) return trace;
  return { ...trace, marker: { ...trace.marker, color: colourOf(colour) } };
}

const colourOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Follow the width of the page, and nothing else: on telephones its height changes with every scroll. */
const widths = new ResizeObserver(async (entries) => {
  const Plotly = await plotly();
  for (const { target, contentRect } of entries) {
    if (Math.abs(target._fullLayout.width - contentRect.width) > 1) Plotly.Plots.resize(target);
  }
});

document.addEventListener("themechange", () => {
  for (const [plot, figure] of drawn) {
    if (plot.isConnected) paint(plot, figure);
  }
});

/** Return a layout in the colours of the theme. */
function inColours(layout) {
  const [ink, quiet, line, card] = ["--ink", "--quiet", "--line", "--card"].map(colourOf);
  const axes = Object.entries(layout).filter(([name]) => /^[xy]axis\d*$/.test(name));
  const colours = {
    gridcolor: line,
    linecolor: line,
    tickcolor: line,
    zerolinecolor: line,
    tickfont: { color: quiet },
  };
  return {
    ...layout,
    ...Object.fromEntries(
      axes.map(([name, axis]) => [
        name,
        { ...axis, ...colours, title: { ...axis.title, standoff: 12 }, showgrid: axis.type !== "category" },
      ]),
    ),
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { ...layout.font, color: ink, size: 13, family: getComputedStyle(document.body).fontFamily },
    hoverlabel: { bgcolor: card, bordercolor: line, font: { color: ink } },
    // At the edge of the whole, since the plot within moves while it makes room for the legend.
    legend: { ...layout.legend, yref: "container", y: 1, yanchor: "top" },
    dragmode: false,
    autosize: true,
  };
}

const plain = (trace, at) => trace.y[at];

/** Show the numbers of a figure: one line per x, one column per trace. */
function tabulate(place, figure, caption, columns, value) {
  const traces = figure.data.filter((trace) => trace.hoverinfo !== "skip" && trace.x?.length);
  const across = [...new Set(traces.flatMap((trace) => trace.x))];
  const head = columns ?? [figure.layout.xaxis?.title?.text ?? "", ...traces.map((trace) => trace.name ?? "")];
  const lines = across.slice(0, MOST).map((x) => [x, ...traces.map((trace) => cell(trace, trace.x.indexOf(x), value))]);
  place.setAttribute("aria-label", `${caption}: the numbers`);
  fill(
    place,
    make(
      "table",
      { class: "lines" },
      make("caption", { class: "unseen" }, caption),
      make(
        "thead",
        {},
        make("tr", {}, ...head.map((name, at) => make("th", { scope: "col", class: at ? "right" : null }, name))),
      ),
      make("tbody", {}, ...lines.map((line) => make("tr", {}, ...line.map(written)))),
    ),
    across.length > MOST
      ? make("p", { class: "help" }, `The first ${number(MOST)} of ${number(across.length)} lines.`)
      : null,
  );
}

const cell = (trace, at, value) => (at < 0 ? "" : value(trace, at));

function written(value, at) {
  const text = typeof value === "number" ? number(Number(value.toPrecision(6))) : String(value);
  return at ? make("td", { class: "right" }, text) : make("th", { scope: "row" }, text);
}
