/** Who sits where, and how much time is left. */

import { h } from "./dom.js";
import { callPlayer, HUMAN } from "./players.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./types.js").Players} Players */

/** Below so many seconds a clock is red and shows tenths. */
const LOW = 20;

/**
 * Write seconds as people read clocks.
 * @param {number} seconds
 */
export function writeTime(seconds) {
  const left = Math.max(0, seconds);
  if (left < LOW) return left.toFixed(1);
  const whole = Math.ceil(left);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** The place of one colour beside the board. */
export class Seat {
  /** @param {Game} game @param {string} colour @param {Players} players */
  constructor(game, colour, players) {
    this.game = game;
    this.colour = colour;
    this.players = players;
    this.name = h("span", { class: "who" });
    this.clock = h("span", { class: "clock", role: "timer", "aria-label": `${colour}'s clock`, hidden: true });
    this.element = h(
      "div",
      { class: "seat" },
      h("span", { class: `disc ${colour}`, "aria-hidden": "true" }),
      this.name,
      this.clock,
    );
  }

  update() {
    const { state } = this.game;
    const player = state.players[this.colour];
    const two = player === HUMAN && this.game.people.length > 1;
    const name = two ? this.colour : `${callPlayer(player, this.players)} (${this.colour})`;
    const busy = state.thinking && state.turn === this.colour ? " thinks" : "";
    this.name.replaceChildren(name, h("span", { class: "busy" }, busy));
    this.name.title = player;
    this.element.classList.toggle("turn", !state.over && state.turn === this.colour);
    this.showTime();
  }

  /** Show the time that is left now: the server told what was left when the state came. */
  showTime() {
    const { clock } = this.game.state;
    this.clock.hidden = clock === null;
    if (!clock) return;
    const running = clock.running === this.colour;
    const gone = running ? (performance.now() - this.game.heard) / 1000 : 0;
    const left = clock.left[this.colour] - gone;
    this.clock.textContent = writeTime(left);
    this.clock.classList.toggle("running", running);
    this.clock.classList.toggle("low", left < LOW);
  }
}
