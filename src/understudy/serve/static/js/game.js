/** A game that is played on the server, as this page follows it: its state, and the place that is looked at. */

import { ApiError, follow, get, post } from "./api.js";
import { announce } from "./dom.js";
import { HUMAN } from "./players.js";

/** @typedef {import("./types.js").State} State */
/** @typedef {import("./types.js").Place} Place */
/** @typedef {import("./types.js").Thought} Thought */
/** @typedef {import("./types.js").Description} Description */

export class Game {
  /** @param {State} state @param {Description} description */
  constructor(state, description) {
    this.state = state;
    this.description = description;
    /** @type {{ply: number, place: Place}|null} a place in the past that is looked at */
    this.past = null;
    /** @type {Thought|null} what the machine to move thinks by now */
    this.tick = null;
    /** When the state came, for clocks. */
    this.heard = performance.now();
    this.sentence = "";
    /** A drawing of the move that somebody advised here. */
    this.hint = "";
    /** @type {Set<() => void>} */
    this.watchers = new Set();
    /** Which look back counts: an earlier answer may come later. */
    this.looks = 0;
    this.leave = follow(`play/${state.id}`, (message) => this.hear(message));
  }

  /** @param {() => void} watcher called after every change */
  watch(watcher) {
    this.watchers.add(watcher);
  }

  tell() {
    for (const watcher of this.watchers) watcher();
  }

  /** @param {{event: string, state?: State, thought?: Thought, error?: string}} message */
  hear(message) {
    if (message.event === "state" && message.state) this.take(message.state);
    if (message.event === "thinking" && message.thought && !this.past) {
      this.tick = message.thought;
      this.tell();
    }
  }

  /** Take a state unless a newer one is known. @param {State} state */
  take(state) {
    if (state.version < this.state.version) return;
    const before = this.state;
    [this.state, this.heard] = [state, performance.now()];
    if (state.position !== before.position || state.ply !== before.ply) this.change(before);
    if (state.over && !before.over) announce(`The game is over: ${state.ending}.`);
    this.tell();
  }

  /** @param {State} before */
  change(before) {
    const { state } = this;
    [this.past, this.tick, this.sentence, this.hint] = [null, null, "", ""];
    this.looks++;
    const last = state.moves.at(-1);
    if (state.ply > before.ply && last)
      announce(`${this.colourAt(state.ply - 1)} played ${last.move}.${this.ownTurn ? " It is your move." : ""}`);
    else if (state.ply < before.ply) announce(`Back at move ${state.ply}. ${state.turn} is to move.`);
  }

  /** What is on the board: the past where somebody looks back, else the present. @returns {Place|State} */
  get shown() {
    return this.past?.place ?? this.state;
  }

  /** How many plies led to what is on the board. */
  get ply() {
    return this.past?.ply ?? this.state.ply;
  }

  /** Whether it is the move of the person at this page. */
  get ownTurn() {
    return !this.state.over && this.state.players[this.state.turn] === HUMAN;
  }

  get people() {
    return this.state.colours.filter((colour) => this.state.players[colour] === HUMAN);
  }

  get machines() {
    return this.state.colours.filter((colour) => this.state.players[colour] !== HUMAN);
  }

  /** The colour that is to move after so many plies. @param {number} ply */
  colourAt(ply) {
    const { colours, turn, ply: now } = this.state;
    return colours[(colours.indexOf(turn) + ((now - ply) % 2) + 2) % 2];
  }

  /** What a player is asked about what is on the board: the moves that led to it are told, so that it knows repetitions. */
  get question() {
    const { game, size, rules, start, moves } = this.state;
    const from = start === null ? {} : { position: start, turn: this.colourAt(0) };
    return { game, size, rules, ...from, moves: moves.slice(0, this.ply).map(({ move }) => move) };
  }

  /** Look at the place after so many plies. @param {number} ply */
  async look(ply) {
    const look = ++this.looks;
    const wanted = Math.max(0, Math.min(this.state.ply, ply));
    if (wanted === this.state.ply) {
      this.past = null;
      return this.tell();
    }
    try {
      const place = await get(`/api/play/${this.state.id}/plies/${wanted}`);
      if (look === this.looks) [this.past, this.sentence, this.hint] = [{ ply: wanted, place }, "", ""];
    } catch (error) {
      this.complain(error);
    }
    this.tell();
  }

  /** Ask the server to change the game. @param {string} what @param {object} [body] */
  async act(what, body = {}) {
    this.sentence = "";
    try {
      this.take(await post(`/api/play/${this.state.id}/${what}`, body));
      return true;
    } catch (error) {
      await this.complain(error);
      return false;
    }
  }

  /** @param {string} move */
  move(move) {
    return this.act("move", { move, ply: this.state.ply });
  }

  /** Say what went wrong; a game that went on elsewhere is shown as it is now. @param {unknown} error */
  async complain(error) {
    const elsewhere = error instanceof ApiError && error.status === 409;
    if (elsewhere) this.take(await get(`/api/play/${this.state.id}`));
    this.sentence = elsewhere
      ? "The game has gone on in another window; this is how it stands."
      : error instanceof Error
        ? error.message
        : String(error);
    announce(this.sentence);
    this.tell();
  }

  close() {
    this.leave();
    this.watchers.clear();
  }
}
