/** A game on the page: the board with its seats and buttons left, moves, opinions and thoughts right. */

import { Actions, playFrom } from "./actions.js";
import { describe, get } from "./api.js";
import { Board } from "./board.js";
import { Seat } from "./clock.js";
import { button, fill, h } from "./dom.js";
import { Game } from "./game.js";
import { Graph } from "./graph.js";
import { forgetGame, keepGame } from "./kept.js";
import { listenToArrows, MoveList } from "./moves.js";
import { listPlayers } from "./players.js";
import { makeRecords } from "./records.js";
import { Thoughts } from "./thoughts.js";

/** @typedef {import("./types.js").Players} Players */

/** How often a running clock is drawn, in milliseconds. */
const CLOCK = 100;

export class GameView {
  /** @param {Game} game @param {Players} players @param {string} view the part of the page that it belongs to */
  constructor(game, players, view) {
    this.game = game;
    this.view = view;
    this.asked = "";
    this.person = game.people[0];
    this.kept = -1;
    this.board = this.makeBoard();
    this.thoughts = new Thoughts(game, this.board, players, view === "watch" ? { usual: "always" } : {});
    this.moves = new MoveList(game);
    this.graph = new Graph(game, (ply) => void playFrom(game, ply));
    this.actions = new Actions(game, this.board, () => this.flip());
    this.seats = game.state.colours.map((colour) => new Seat(game, colour, players));
    this.upper = h("div");
    this.lower = h("div");
    this.status = h("p", { class: "status" });
    this.past = h("p", { class: "looking" });
    /** What the kind of view adds below the board. */
    this.controls = h("div");
    this.element = this.build();
    this.placeSeats();
  }

  build() {
    const { game } = this;
    const stage = h(
      "div",
      { class: "stage" },
      this.upper,
      this.board.element,
      this.lower,
      this.status,
      this.past,
      this.controls,
      this.view === "play" && this.actions.element,
      makeRecords(game),
    );
    const beside = h("div", { class: "beside" }, this.thoughts.element, this.graph.element);
    const under = h("div", { class: "under" }, this.moves.element);
    return h("div", null, h("h1", null, game.state.title), h("div", { class: "game" }, stage, beside, under));
  }

  makeBoard() {
    const { game } = this;
    const flipped = this.upside;
    return new Board(game.description, {
      label: `${game.state.title}: the board`,
      flipped,
      onMove: (move) => void this.move(move.move),
      onSay: (sentence) => this.say(sentence),
      onChosen: () => this.thoughts?.cover(),
    });
  }

  /** Whether the one person who plays has the second colour, and so the board turned. */
  get upside() {
    const { people, state } = this.game;
    return people.length === 1 && people[0] === state.colours[1];
  }

  /** Turn the board when the person changes sides. */
  followPerson() {
    const { people } = this.game;
    if (people.length === 1 && people[0] !== this.person && this.board.flipped !== this.upside) this.flip();
    this.person = people[0];
  }

  /** @param {string} move */
  async move(move) {
    if (!(await this.game.move(move))) this.board.reset();
  }

  /** Say what a half-made move still needs. @param {string} sentence */
  say(sentence) {
    if (sentence === this.asked) return;
    this.asked = sentence;
    if (this.status) this.writeStatus();
  }

  update() {
    const { game, board } = this;
    const { stones, marked, turn } = game.shown;
    this.followPerson();
    board.show({ stones, marked, turn, legal: game.past ? [] : game.state.legal });
    for (const part of [...this.seats, this.moves, this.graph, this.thoughts, this.actions]) part.update();
    if (this.thoughts.mode === "off" && !game.state.over) this.graph.element.hidden = true;
    this.writeStatus();
    this.writePast();
    if (this.kept !== game.state.version) keepGame(game.state, this.view); // not at every tick of a search
    this.kept = game.state.version;
  }

  writeStatus() {
    const { state, sentence, ownTurn } = this.game;
    const mover = ownTurn
      ? this.game.people.length > 1
        ? `${state.turn} is to move.`
        : "It is your move."
      : `${state.turn} is to move.`;
    const ending = state.ending ? `The game is over: ${state.ending}.` : mover;
    fill(
      this.status,
      h("strong", null, this.asked || ending),
      " ",
      this.game.shown.status && h("span", { class: "quiet" }, `${this.game.shown.status} `),
      sentence && h("span", null, sentence),
    );
  }

  /** While somebody looks back, say so, and offer to play on from there. */
  writePast() {
    const { game } = this;
    this.past.hidden = !game.past;
    if (!game.past) return;
    fill(
      this.past,
      h(
        "span",
        { class: "where" },
        game.ply ? `This is the position after ${game.state.moves[game.ply - 1].move}.` : "This is the start.",
      ),
      button("Play from here", () => playFrom(game, game.ply)),
      button("Back to the game", () => game.look(game.state.ply)),
    );
  }

  flip() {
    this.board.flip();
    this.placeSeats();
  }

  /** The side that plays up the board sits below it. */
  placeSeats() {
    const [first, second] = this.board.flipped ? [...this.seats].reverse() : this.seats;
    fill(this.lower, first.element);
    fill(this.upper, second.element);
  }

  /** @returns {() => void} to close it */
  run() {
    const arrows = listenToArrows(this.game);
    const timer = setInterval(
      () => this.game.state.clock?.running && this.seats.forEach((seat) => seat.showTime()),
      CLOCK,
    );
    this.game.watch(() => this.update());
    this.update();
    return () => {
      clearInterval(timer);
      arrows();
      this.thoughts.close();
      this.game.close();
      this.board.destroy();
    };
  }
}

/**
 * Fetch a game and make its view; a game that is gone is forgotten.
 * @param {string} id @param {string} view
 */
export async function makeGameView(id, view) {
  try {
    const state = await get(`/api/play/${encodeURIComponent(id)}`);
    const [description, players] = await Promise.all([
      describe(state.game, state.size, state.rules),
      listPlayers(state.game, state.size, state.rules),
    ]);
    return new GameView(new Game(state, description), players, view);
  } catch (error) {
    if (/** @type {{status?: number}} */ (error).status === 404) forgetGame(id);
    throw error;
  }
}
