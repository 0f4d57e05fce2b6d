/** The buttons below a board. */

import { post, think } from "./api.js";
import { confirm } from "./dialogs.js";
import { announce, button, h } from "./dom.js";
import { HUMAN } from "./players.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./board.js").Board} Board */

/** What a game is started with. @typedef {Record<string, unknown>} Start */

export class Actions {
  /** @param {Game} game @param {Board} board @param {() => void} onflip */
  constructor(game, board, onflip) {
    this.game = game;
    this.board = board;
    this.pass = button("Pass", () => this.playPass(), { hidden: true, class: "main" });
    this.back = button("Take back", () => game.act("undo"));
    this.hint = button("Hint", () => this.showHint());
    this.resign = button("Resign", () => this.giveUp());
    this.swap = button("Swap sides", () => this.swapSides());
    this.again = button("Rematch", () => this.rematch());
    const fresh = h("a", { class: "button", href: "#/play" }, "New game");
    this.element = h(
      "div",
      { class: "actions" },
      this.pass,
      this.back,
      this.hint,
      button("Flip", onflip),
      this.swap,
      this.resign,
      this.again,
      fresh,
    );
  }

  update() {
    const { state, past, ownTurn, people } = this.game;
    this.back.disabled = state.ply === 0 || Boolean(past);
    this.hint.disabled = !ownTurn || Boolean(past);
    this.resign.disabled = state.over;
    this.swap.disabled = state.over || people.length !== 1;
    this.resign.hidden = state.over;
    this.again.hidden = !state.over;
    this.pass.hidden = Boolean(past) || !this.board.chooser.passes.length;
  }

  playPass() {
    const [pass] = this.board.chooser.passes;
    if (pass) void this.game.move(pass.move);
  }

  /** Ask somebody who knows the game, and show what it would play. */
  async showHint() {
    const { game } = this;
    const opponent = game.machines.length ? game.state.players[game.machines[0]] : "";
    const player = opponent && opponent !== "random" ? opponent : game.description.opponent;
    const { version } = game.state;
    this.hint.disabled = true;
    try {
      const thought = await think({ ...game.question, player, pictures: true }).done;
      if (version !== game.state.version) return; // the game went on meanwhile
      game.hint = thought.pictures?.moves ?? "";
      game.sentence = `${player} would play ${thought.choice}.`;
      announce(game.sentence);
      game.tell();
    } catch (error) {
      await game.complain(error);
    }
  }

  async giveUp() {
    if (await confirm("Do you want to resign this game?", "Resign")) await this.game.act("resign");
  }

  swapSides() {
    const { colours, players } = this.game.state;
    void this.game.act("players", {
      players: { [colours[0]]: players[colours[1]], [colours[1]]: players[colours[0]] },
    });
  }

  /** The same again, with the other colour. */
  async rematch() {
    const { game, size, rules, players, colours, clock, start } = this.game.state;
    const [first, second] = this.game.people.length === 2 ? colours : [...colours].reverse();
    /** @type {Start} */
    const body = { game, size, rules, players: { [colours[0]]: players[first], [colours[1]]: players[second] } };
    if (start !== null) Object.assign(body, { position: start, turn: this.game.colourAt(0) });
    if (clock) body.clock = { seconds: clock.seconds, increment: clock.increment };
    await openNew(this.game, () => post("/api/play", body));
  }
}

/**
 * Go to a game that is begun now; what goes wrong is said at the old one.
 * @param {Game} game @param {() => Promise<import("./types.js").State>} begin
 */
export async function openNew(game, begin) {
  try {
    const state = await begin();
    location.hash = `#/play/${state.id}`;
  } catch (error) {
    await game.complain(error);
  }
}

/**
 * Play on from a place in the past, a person on the side to move.
 * @param {Game} game @param {number} ply
 */
export function playFrom(game, ply) {
  const { id, players, colours } = game.state;
  const mover = game.colourAt(ply);
  const other = colours.find((colour) => colour !== mover) ?? "";
  const machine = players[other] !== HUMAN ? players[other] : players[mover] !== HUMAN ? players[mover] : HUMAN;
  return openNew(game, () => post(`/api/play/${id}/fork`, { ply, players: { [mover]: HUMAN, [other]: machine } }));
}
