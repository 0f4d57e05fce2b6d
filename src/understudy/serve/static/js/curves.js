/** A chart of lines: read by eye, by pointer, by arrow keys, and as a table. */

import { button, fill, h, svg } from "./dom.js";
import { writeCount } from "./words.js";

/** @typedef {import("./labtypes.js").Curve} Curve */
/** @typedef {import("./labtypes.js").CurveLine} CurveLine */
/** @typedef {{low: number, high: number, ticks: number[]}} Axis */

/** Letters keep their size in a drawing that is made smaller, so a narrow screen gets a narrower one. */
const WIDTH = matchMedia("(max-width: 40rem)").matches ? 400 : 640;
const HEIGHT = 300;
const LEFT = 52;
const RIGHT = 14;
const TOP = 14;
const BOTTOM = 40;
/** Dashes of the lines in turn: colours alone are not for everybody. */
const DASHES = ["", "9 4", "2 3", "12 3 2 3", "5 2", "1 4", "14 5", "7 2 2 2 2 2"];
/** Markers in turn, drawn around 0 0. */
const MARKERS = [
  "M-3.2 0A3.2 3.2 0 1 0 3.2 0A3.2 3.2 0 1 0 -3.2 0Z", "M-3 -3H3V3H-3Z", "M0 -4L3.6 3H-3.6Z", "M0 -4.2L4.2 0L0 4.2L-4.2 0Z",
  "M0 4L3.6 -3H-3.6Z", "M-4 -1.2H-1.2V-4H1.2V-1.2H4V1.2H1.2V4H-1.2V1.2H-4Z", "M-3 -3L3 3M-3 3L3 -3", "M-4 0H4M0 -4V4",
];
/** Markers that a line has at most: more would be one thick stroke. */
const MARKED = 12;
/** Steps between ticks are one of these, times a power of ten. */
const STEPS = [1, 2, 5, 10];

export class Chart {
  /** @param {Curve} curve */
  constructor(curve) {
    this.curve = curve;
    this.across = this.up = makeAxis([], false);
    /** @type {number[]} where any line has a point */
    this.xs = [];
    this.reading = h("output", { class: "reading small", hidden: true });
    this.drawing = h("div", { class: "drawing", tabindex: 0, role: "group", onkeydown: (/** @type {KeyboardEvent} */ event) => this.press(event) });
    this.drawing.addEventListener("pointermove", (event) => this.point(event));
    this.drawing.addEventListener("pointerleave", () => this.read(null));
    this.drawing.addEventListener("blur", () => this.read(null));
    this.heading = h("h3", null, curve.name);
    this.legend = h("ul", { class: "legend small" });
    this.note = h("p", { class: "quiet small" });
    this.table = h("div", { class: "wide", hidden: true, tabindex: 0, role: "group", "aria-label": `${curve.name}, as a table` });
    this.toggle = button("As a table", () => this.turn(), { class: "plain small", "aria-expanded": "false" });
    this.element = h("figure", { class: "chart" }, this.heading, h("div", { class: "plot" }, this.drawing, this.reading), this.legend, this.note, this.toggle, this.table);
    /** @type {number|null} */
    this.at = null;
    this.written = "";
    this.update(curve);
  }

  /** Show other numbers; nothing is drawn again that is the same. @param {Curve} curve */
  update(curve) {
    const written = JSON.stringify(curve);
    if (written === this.written) return;
    this.written = written;
    this.curve = curve;
    const points = curve.lines.flatMap((line) => line.points);
    this.xs = [...new Set(points.map(([x]) => x))].sort((a, b) => a - b);
    this.across = makeAxis(points.map(([x]) => x), false);
    this.up = makeAxis([...points.map(([, y]) => y), ...curve.paper.map((paper) => paper.value)], curve.unit === "share");
    this.heading.textContent = curve.name;
    this.note.textContent = curve.note;
    this.drawing.setAttribute("aria-label", `${curve.name}: a chart; arrow keys read it`);
    this.draw();
    fill(this.legend, curve.lines.map((line, place) => h("li", null, drawKey(place), line.name)),
      curve.paper.map((paper) => h("li", null, drawPaperKey(), `${paper.name}: ${this.write(paper.value)}`)));
    if (!this.table.hidden) fill(this.table, this.makeTable());
  }

  /** @param {number} x */
  x(x) {
    const { low, high } = this.across;
    return LEFT + ((WIDTH - LEFT - RIGHT) * (x - low)) / (high - low || 1);
  }

  /** @param {number} y */
  y(y) {
    const { low, high } = this.up;
    return TOP + ((HEIGHT - TOP - BOTTOM) * (high - y)) / (high - low || 1);
  }

  /** A number of the chart as people read it. @param {number} value */
  write(value) {
    return this.curve.unit === "share" ? `${(100 * value).toFixed(1)} %` : writeNumber(value);
  }

  draw() {
    this.cursor = svg("path", { class: "cursor" });
    const { lines, paper } = this.curve;
    fill(this.drawing, svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" },
      this.up.ticks.map((tick) => [svg("path", { class: "rule", d: `M${LEFT} ${this.y(tick)}H${WIDTH - RIGHT}` }),
        svg("text", { class: "tick up", x: LEFT - 7, y: this.y(tick) + 4 }, this.curve.unit === "share" ? `${Math.round(100 * tick)} %` : writeNumber(tick))]),
      this.across.ticks.map((tick) => svg("text", { class: "tick", x: this.x(tick), y: HEIGHT - BOTTOM + 17 }, writeNumber(tick))),
      svg("text", { class: "tick", x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 6 }, this.curve.axis),
      paper.map((line) => svg("path", { class: "paper", d: `M${LEFT} ${this.y(line.value)}H${WIDTH - RIGHT}` })),
      lines.map((line, place) => this.drawLine(line, place)), this.cursor));
  }

  /** @param {CurveLine} line @param {number} place */
  drawLine(line, place) {
    const spots = line.points.map(([x, y]) => `${this.x(x).toFixed(1)} ${this.y(y).toFixed(1)}`);
    const step = Math.max(1, Math.ceil(spots.length / MARKED));
    const marked = spots.filter((_, at) => at % step === 0 || at === spots.length - 1);
    const number = place % DASHES.length;
    return svg("g", { class: `line line-${number}` }, spots.length > 1 && svg("path", { class: "stroke", d: `M${spots.join("L")}`, "stroke-dasharray": DASHES[number] }),
      marked.map((spot) => svg("path", { class: "marker", d: MARKERS[number], transform: `translate(${spot})` })));
  }

  /** @param {PointerEvent} event */
  point(event) {
    const box = this.drawing.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * WIDTH;
    this.read(this.nearest((at) => Math.abs(this.x(at) - x)));
  }

  /** @param {(x: number) => number} distance */
  nearest(distance) {
    let best = null;
    for (const at of this.xs) if (best === null || distance(at) < distance(best)) best = at;
    return best;
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const xs = this.xs;
    const here = this.at === null ? -1 : xs.indexOf(this.at);
    /** @type {Record<string, number>} */
    const steps = { ArrowRight: Math.min(here + 1, xs.length - 1), ArrowLeft: Math.max(here - 1, 0), Home: 0, End: xs.length - 1 };
    if (!(event.key in steps) || !xs.length) return;
    event.preventDefault();
    this.read(xs[steps[event.key]]);
  }

  /** Tell what the lines are at a place; null tells nothing. @param {number|null} at */
  read(at) {
    this.at = at;
    this.cursor?.setAttribute("d", at === null ? "" : `M${this.x(at)} ${TOP}V${HEIGHT - BOTTOM}`);
    this.reading.hidden = at === null;
    if (at === null) return;
    const told = this.curve.lines.flatMap((line) => {
      const point = line.points.find(([x]) => x === at);
      return point ? [h("span", null, `${line.name} ${this.write(point[1])}`)] : [];
    });
    this.reading.classList.toggle("left", this.x(at) > (LEFT + WIDTH - RIGHT) / 2);
    fill(this.reading, h("b", null, `${this.curve.axis} ${writeNumber(at)}`), told);
  }

  turn() {
    this.table.hidden = !this.table.hidden;
    this.toggle.setAttribute("aria-expanded", String(!this.table.hidden));
    this.toggle.textContent = this.table.hidden ? "As a table" : "Hide the table";
    if (!this.table.hidden) fill(this.table, this.makeTable());
  }

  makeTable() {
    const { lines, paper, axis } = this.curve;
    const heads = [axis, ...lines.map((line) => line.name), ...paper.map((line) => line.name)];
    const rows = (this.xs).map((x) => {
      const cells = lines.map((line) => line.points.find((point) => point[0] === x)?.[1]);
      return h("tr", null, h("th", { scope: "row" }, writeNumber(x)),
        cells.map((value) => h("td", { class: "count" }, value === undefined ? "" : this.write(value))),
        paper.map((line) => h("td", { class: "count" }, this.write(line.value))));
    });
    return h("table", null, h("caption", { class: "small quiet" }, this.curve.name),
      h("thead", null, h("tr", null, heads.map((head) => h("th", { scope: "col" }, head)))), h("tbody", null, rows));
  }
}

/** @param {number} place */
function drawKey(place) {
  const number = place % DASHES.length;
  return svg("svg", { viewBox: "0 0 34 12", width: 34, height: 12, "aria-hidden": "true", class: `line line-${number}` },
    svg("path", { class: "stroke", d: "M1 6H33", "stroke-dasharray": DASHES[number] }),
    svg("path", { class: "marker", d: MARKERS[number], transform: "translate(17 6)" }));
}

function drawPaperKey() {
  return svg("svg", { viewBox: "0 0 34 12", width: 34, height: 12, "aria-hidden": "true" }, svg("path", { class: "paper", d: "M1 6H33" }));
}

/**
 * Choose the ends of an axis and its ticks.
 * @param {number[]} values @param {boolean} share
 * @returns {Axis}
 */
function makeAxis(values, share) {
  let low = Math.min(...values);
  let high = Math.max(...values);
  if (!values.length) [low, high] = [0, 1];
  if (share) [low, high] = [Math.max(0, low - 0.04), Math.min(1, high + 0.04)];
  if (high - low < 1e-9) high = low + 1;
  const rough = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * (STEPS.find((one) => one * power >= rough) ?? 10);
  const ticks = [];
  for (let tick = Math.ceil(low / step - 1e-9) * step; tick <= high + step * 1e-9; tick += step) ticks.push(Number(tick.toPrecision(10)));
  return { low, high, ticks };
}

/** @param {number} value */
function writeNumber(value) {
  if (Number.isInteger(value)) return writeCount(value);
  return Math.abs(value) >= 100 ? value.toFixed(0) : Number(value.toPrecision(3)).toString();
}

/**
 * Draw a line so small that it only tells whether something rises.
 * @param {[number, number][]} points
 */
export function drawSmall(points) {
  const picture = svg("svg", { viewBox: "0 0 96 28", width: 96, height: 28, class: "small-curve", "aria-hidden": "true" });
  if (points.length < 2) return picture;
  const across = makeAxis(points.map(([x]) => x), false);
  const up = makeAxis(points.map(([, y]) => y), false);
  const path = points.map(([x, y]) => `${(2 + (92 * (x - across.low)) / (across.high - across.low)).toFixed(1)} ${(25 - (22 * (y - up.low)) / (up.high - up.low || 1)).toFixed(1)}`);
  picture.append(svg("path", { class: "stroke", d: `M${path.join("L")}` }));
  return picture;
}
