/** The graph of opinions over a game, and its turning points. */

import { button, fill, h, svg } from "./dom.js";
import { review, REVIEWER } from "./review.js";
import { writeValue } from "./words.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {{ply: number, value: number}} Opinion what a player expected before its move, seen by the first colour */
/** @typedef {{ply: number, before: number, after: number}} Turning */

const WIDTH = 480;
const HEIGHT = 130;
const MARGIN = 8;
/** Changes of opinion that are shown. */
const TURNINGS = 3;
/** Smaller changes are no turning points. */
const NOTICED = 0.1;

/**
 * Collect the opinions of each colour's player; all are turned to the eyes of the first colour.
 * @param {Game} game
 * @returns {Opinion[][]} by colour
 */
export function listOpinions(game) {
  const { colours, moves } = game.state;
  return colours.map((colour, number) =>
    moves.flatMap(({ value }, ply) =>
      value === null || game.colourAt(ply) !== colour ? [] : [{ ply, value: number ? -value : value }],
    ),
  );
}

/**
 * Find where an opinion changed most.
 * @param {Opinion[][]} opinions
 * @returns {Turning[]} in the order of the game
 */
export function findTurnings(opinions) {
  const changes = opinions.flatMap((curve) =>
    curve.slice(1).map(({ ply, value }, place) => ({ ply, before: curve[place].value, after: value })),
  );
  const ranked = changes
    .filter(({ before, after }) => Math.abs(after - before) >= NOTICED)
    .sort((a, b) => size(b) - size(a));
  return ranked.slice(0, TURNINGS).sort((a, b) => a.ply - b.ply);
}

/** @param {Turning} turning */
function size({ before, after }) {
  return Math.abs(after - before);
}

/** The graph and the list below it. */
export class Graph {
  /** @param {Game} game @param {(ply: number) => void} playFrom */
  constructor(game, playFrom) {
    this.game = game;
    this.playFrom = playFrom;
    this.element = h("section", { class: "card graph", hidden: true, "aria-label": "Opinions over the game" });
    this.written = "";
    /** @type {Opinion[]|null} what a search thought of the game afterwards */
    this.reviewed = null;
  }

  /** Whether the players of a finished game told too little for a graph. */
  get lacking() {
    return (
      this.game.state.over && this.game.state.ply > 1 && listOpinions(this.game).every((curve) => curve.length < 2)
    );
  }

  update() {
    const { ply, state } = this.game;
    if (!state.over) this.reviewed = null;
    const opinions = this.reviewed ? [this.reviewed] : listOpinions(this.game);
    this.element.hidden = !this.lacking && opinions.every((curve) => curve.length < 2);
    const written = JSON.stringify([opinions, ply, state.over, state.players]);
    if (this.element.hidden || written === this.written) return;
    this.written = written;
    fill(
      this.element,
      h("h2", null, "Opinions over the game"),
      this.lacking && !this.reviewed ? this.offerReview() : this.write(opinions),
    );
  }

  offerReview() {
    return h(
      "div",
      null,
      h("p", { class: "quiet" }, "Its players told no opinions."),
      button("Let a search look over the game", () => this.startReview()),
    );
  }

  async startReview() {
    const { version } = this.game.state;
    const show = (/** @type {Opinion[]} */ opinions) => {
      if (version !== this.game.state.version || !this.element.isConnected) return false;
      this.reviewed = [...opinions];
      this.update();
      return true;
    };
    await review(this.game, show).catch((error) => this.game.complain(error));
  }

  /** @param {Opinion[][]} opinions */
  write(opinions) {
    const turnings = this.game.state.over ? findTurnings(opinions) : [];
    return [this.writeKey(opinions), this.draw(opinions, turnings), this.listTurnings(turnings)];
  }

  /** @param {Opinion[][]} opinions */
  writeKey(opinions) {
    const { colours, players } = this.game.state;
    const names = this.reviewed ? [REVIEWER] : colours.map((colour) => `${players[colour]} (${colour})`);
    return h(
      "p",
      { class: "small" },
      opinions.map((curve, number) => curve.length > 0 && h("span", { class: `key key-${number}` }, names[number])),
    );
  }

  /** @param {Opinion[][]} opinions @param {Turning[]} turnings */
  draw(opinions, turnings) {
    const last = Math.max(1, this.game.state.moves.length);
    const x = (/** @type {number} */ ply) => MARGIN + ((WIDTH - 2 * MARGIN) * ply) / last;
    const y = (/** @type {number} */ value) => MARGIN + ((HEIGHT - 2 * MARGIN) * (1 - value)) / 2;
    const curves = opinions.flatMap((curve, number) => drawCurve(curve, number, x, y));
    const rings = turnings.map(({ ply, after }) => svg("circle", { cx: x(ply), cy: y(after), r: 6, class: "turning" }));
    const [first, second] = this.game.state.colours;
    return svg(
      "svg",
      {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        role: "img",
        "aria-label": `What the players expected, move by move: up is good for ${first}`,
      },
      svg("rect", { x: 0, y: 0, width: WIDTH, height: HEIGHT, rx: 6, class: "frame" }),
      svg("path", { d: `M0 ${y(0)}H${WIDTH}`, class: "zero" }),
      svg("text", { x: MARGIN, y: 18 }, `${first} wins`),
      svg("text", { x: MARGIN, y: HEIGHT - 8 }, `${second} wins`),
      svg("path", { d: `M${x(this.game.ply)} 0V${HEIGHT}`, class: "now" }),
      curves,
      rings,
    );
  }

  /** @param {Turning[]} turnings */
  listTurnings(turnings) {
    if (!this.game.state.over) return null;
    if (!turnings.length) return h("p", { class: "quiet" }, "No opinion changed much: there was no turning point.");
    const { moves } = this.game.state;
    const items = turnings.map(({ ply, before, after }) => {
      const led = ply > 0 ? `After ${Math.ceil(ply / 2)}${ply % 2 ? "." : "…"} ${moves[ply - 1].move}` : "At the start";
      return h(
        "li",
        null,
        h("span", null, `${led}: from ${writeValue(before)} to ${writeValue(after)}`),
        button("Look", () => this.game.look(ply)),
        button("Play from here", () => this.playFrom(ply)),
      );
    });
    return h(
      "div",
      null,
      h("h3", null, items.length > 1 ? "Turning points" : "The turning point"),
      h("ol", { class: "turnings" }, items),
    );
  }
}

/** @param {Opinion[]} curve @param {number} number @param {(ply: number) => number} x @param {(value: number) => number} y */
function drawCurve(curve, number, x, y) {
  if (!curve.length) return [];
  const path = curve.map(({ ply, value }) => `${x(ply).toFixed(1)} ${y(value).toFixed(1)}`).join("L");
  const dots = curve.map(({ ply, value }) =>
    svg("circle", { cx: x(ply), cy: y(value), r: 2.2, class: `point-${number}` }),
  );
  return [svg("path", { d: `M${path}`, class: `curve curve-${number}` }), ...dots];
}
