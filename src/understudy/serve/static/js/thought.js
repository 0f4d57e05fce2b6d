/** One thought in words, numbers and bars. */

import { h } from "./dom.js";
import { makeScale, makeTilt } from "./gauges.js";
import { callValue, describeChange, writeCount, writeEnd, writeSeconds, writeShare, writeValue } from "./words.js";

/** @typedef {import("./types.js").Thought} Thought */
/** @typedef {import("./types.js").Line} Line */

/** A smaller share of forbidden moves is not worth a sentence, unless the player chooses part by part. */
const NOTICED = 0.001;

/**
 * What a player chooses and expects.
 * @param {Thought} thought @param {string} mover @param {{thinking?: boolean, other?: boolean}} [marks] `other`: another thinker chooses otherwise
 */
export function writeHead(thought, mover, { thinking = false, other = false } = {}) {
  const chooses = h(
    "p",
    { class: "chosen-move" },
    h("span", null, thinking ? "holds best " : "chooses "),
    thought.choice || thought.line[0] || "…",
    !thought.legal && h("span", { class: "warning small" }, " which the rules forbid"),
    other && h("span", { class: "differs small" }, " another choice"),
  );
  const sentences = writeSentences(thought, mover).map((sentence) => h("p", null, sentence));
  return h(
    "div",
    null,
    h("p", { class: "quiet small" }, thought.player),
    chooses,
    writeScale(thought, mover),
    sentences,
    writeFacts(thought),
  );
}

/** @param {Thought} thought @param {string} mover */
function writeScale(thought, mover) {
  if (thought.value === null) return null;
  const words = `It expects ${writeValue(thought.value)} for ${mover}: ${callValue(thought.value)}.`;
  return h("div", null, makeScale(thought.value, words), h("p", null, words));
}

/** @param {Thought} thought @param {string} mover @returns {string[]} */
function writeSentences(thought, mover) {
  const sentences = [];
  const end = thought.lines[0]?.plies;
  if (end !== null && end !== undefined) sentences.push(`It sees the end: ${mover} ${writeEnd(end)}.`);
  if (thought.illegal !== null && (thought.parts.length || thought.illegal >= NOTICED))
    sentences.push(`${writeShare(thought.illegal)} of its mind is on moves that the rules forbid.`);
  return sentences;
}

/** @param {Thought} thought */
function writeFacts(thought) {
  const { depth, nodes, seconds, course, pictures } = thought;
  const changed = pictures ? pictures.changed : describeChange(course);
  const facts = [
    depth !== null && `${depth} ${depth === 1 ? "ply" : "plies"} deep`,
    nodes !== null && `${writeCount(nodes)} nodes`,
    seconds !== null && writeSeconds(seconds),
    changed,
  ];
  const items = facts.filter(Boolean).map((fact) => h("li", null, fact));
  return items.length ? h("ul", { class: "facts" }, items) : null;
}

/**
 * The lines that it expects; looking at one shows its arrows.
 * @param {Thought} thought @param {(line: number|null) => void} onlook
 */
export function writeLines(thought, onlook) {
  const lines = thought.lines.filter((line) => line.moves.length).slice(0, 3);
  if (!lines.length) return null;
  const items = lines.map((line, rank) =>
    h(
      "li",
      {
        tabindex: 0,
        onmouseenter: () => onlook(rank),
        onmouseleave: () => onlook(null),
        onfocus: () => onlook(rank),
        onblur: () => onlook(null),
      },
      h("span", { class: "rank" }, rank + 1),
      h("b", null, writeValue(line.value)),
      h("span", { class: "quiet small" }, writeDepth(line)),
      h("span", null, line.moves.join(" ")),
    ),
  );
  return h(
    "div",
    null,
    h("h3", null, lines.length > 1 ? "Its best lines" : "What it expects"),
    h("ol", { class: "lines" }, items),
  );
}

/** @param {Line} line */
function writeDepth({ depth, plies }) {
  return [depth ? `${depth} deep` : "", plies === null || plies === undefined ? "" : writeEnd(plies)]
    .filter(Boolean)
    .join(", ");
}

/** What it held best at each depth. @param {Thought} thought */
export function writeCourse(thought) {
  if (thought.course.length < 2) return null;
  const rows = thought.course.map((line) =>
    h(
      "tr",
      null,
      h("td", { class: "count" }, line.depth),
      h("td", { class: "count" }, writeValue(line.value)),
      h("td", null, line.moves[0] ?? ""),
    ),
  );
  const head = h(
    "tr",
    null,
    ["depth", "expects", "move"].map((title) => h("th", { scope: "col" }, title)),
  );
  return h(
    "details",
    null,
    h("summary", null, "What it held best at each depth"),
    h("table", null, h("thead", null, head), h("tbody", null, rows)),
  );
}

/** What a network sees, and how much its opinion rests on each. @param {Thought} thought */
export function writeInputs(thought) {
  const inputs = Object.entries(thought.inputs).sort(([, a], [, b]) => Math.abs(b) - Math.abs(a));
  if (!inputs.length) return null;
  const most = Math.max(...inputs.map(([, number]) => Math.abs(number))) || 1;
  const rows = inputs.flatMap(([name, number]) => [
    h("span", null, name.replaceAll("_", " ")),
    makeTilt(number / most),
    h("span", { class: "count" }, writeValue(number)),
  ]);
  return h(
    "div",
    null,
    h("h3", null, "What it sees"),
    h("p", { class: "quiet small" }, "How much the expected result rests on it, for (right) and against (left)."),
    h("div", { class: "inputs" }, rows),
  );
}
