/** The table of moves: what one thinker or two think of each, and what is true where that is known. */

import { button, fill, h } from "./dom.js";
import { makeShare, makeTilt } from "./gauges.js";
import { writeShare, writeValue } from "./words.js";

/** @typedef {import("./types.js").Thought} Thought */
/** @typedef {import("./types.js").Truth} Truth */
/** @typedef {import("./types.js").Weighed} Weighed */

/** Moves that are shown at first. */
const SHOWN = 8;
/** Two thinkers differ on a move from here on: on the scale of values, and in shares. */
const APART = { value: 0.3, probability: 0.1, order: Infinity };
/** Forbidden moves that are less likely are left out. */
const NOTICED = 0.001;

/**
 * Write the table.
 * @param {Thought} thought @param {Thought|null} second @param {Truth|null} truth
 */
export function writeTable(thought, second, truth) {
  const rows = listRows(thought, second);
  if (!rows.length) return null;
  const body = h("tbody");
  const show = (/** @type {number} */ count) =>
    fill(
      body,
      rows.slice(0, count).map((row) => writeRow(row, thought, second, truth)),
    );
  const rest = rows.length - SHOWN;
  /** @type {HTMLButtonElement|null} */
  const more = rest > 1 ? button(`${rest} more`, () => (show(rows.length), more?.remove())) : null;
  show(more ? SHOWN : rows.length);
  const table = h("table", { class: "weighed" }, h("thead", null, writeTitles(thought, second, truth)), body);
  return h(
    "div",
    null,
    h("h3", null, "Moves"),
    h("p", { class: "quiet small" }, `Numbers: ${thought.meaning}.`),
    h("div", { class: "wide" }, table),
    more,
  );
}

/** Moves in the first thinker's order, the choices of both among the first. @param {Thought} thought @param {Thought|null} second @returns {Weighed[]} */
function listRows(thought, second) {
  const legal = thought.moves.filter((one) => one.legal || one.move === thought.choice);
  const likely = thought.moves.filter(
    (one) => !one.legal && one.move !== thought.choice && (one.number ?? 0) >= NOTICED,
  );
  const chosen = (/** @type {Weighed} */ one) =>
    one.move === thought.choice ? 0 : one.move === second?.choice ? 1 : 2;
  const first = legal.slice(0, SHOWN - likely.length);
  const pulled = legal.slice(first.length).filter((one) => chosen(one) < 2);
  return [...first, ...pulled, ...likely, ...legal.slice(first.length).filter((one) => chosen(one) === 2)];
}

/** @param {Thought} thought @param {Thought|null} second @param {Truth|null} truth */
function writeTitles(thought, second, truth) {
  const names = second ? [thought.player, second.player] : ["it thinks"];
  const titles = [
    h("th", { scope: "col" }, "move"),
    h("td", { class: "gauge" }),
    ...names.map((name) => h("th", { scope: "col", class: "count" }, name)),
  ];
  return h("tr", null, titles, truth?.known && h("th", { scope: "col", class: "truth" }, "in truth"));
}

/** @param {Weighed} row @param {Thought} thought @param {Thought|null} second @param {Truth|null} truth */
function writeRow(row, thought, second, truth) {
  const chosen = row.move === thought.choice;
  const other = second?.moves.find((one) => one.move === row.move) ?? null;
  const apart =
    second !== null &&
    second.kind === thought.kind &&
    Math.abs((row.number ?? 0) - (other?.number ?? 0)) > APART[thought.kind];
  const fact = truth?.moves?.find((one) => one.move === row.move);
  return h(
    "tr",
    { class: chosen ? "best" : "" },
    h("th", { scope: "row" }, row.move, !row.legal && h("span", { class: "warning small" }, " forbidden")),
    h("td", { class: "gauge" }, drawNumber(row, thought.kind)),
    h("td", { class: "count" }, writeNumber(row, thought.kind), chosen && second && " ✓"),
    second &&
      h(
        "td",
        { class: `count${apart ? " differs" : ""}` },
        other ? writeNumber(other, second.kind) : "–",
        second.choice === row.move && " ✓",
        apart && h("span", { class: "small" }, " differs"),
      ),
    truth?.known && h("td", { class: "truth" }, fact?.note ?? "–"),
  );
}

/** @param {Weighed} row @param {string} kind */
function drawNumber({ number, legal }, kind) {
  if (number === null || kind === "order") return null;
  return kind === "probability" ? makeShare(number, legal ? "more" : "forbidden") : makeTilt(number);
}

/** @param {Weighed} row @param {string} kind */
function writeNumber({ number, note }, kind) {
  if (number === null) return note || "–";
  const text = kind === "probability" ? writeShare(number) : writeValue(number);
  return note ? h("span", null, text, " ", h("span", { class: "quiet small" }, note)) : text;
}
