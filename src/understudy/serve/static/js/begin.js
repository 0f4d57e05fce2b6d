/** The form for a new game, and the games that this browser remembers. */

import { get, post, query } from "./api.js";
import { Board } from "./board.js";
import { button, fill, h } from "./dom.js";
import { field, number, problem, radios, select } from "./forms.js";
import { GameForm } from "./gameform.js";
import { forgetGame, listGames } from "./kept.js";
import { HUMAN, listPlayers, PlayerForm } from "./players.js";

/** @typedef {import("./types.js").Kind} Kind */
/** @typedef {import("./types.js").Description} Description */

/** Times for each side, as people write them: minutes + seconds for each move. */
const CLOCKS = ["none", "1+0", "3+2", "5+0", "10+5", "custom"];

/**
 * Show the form for a new game.
 * @param {HTMLElement} root
 */
export async function openBeginning(root) {
  const { games } = await get("/api/games");
  const form = new NewGame(games);
  const setup = h("p", null, h("a", { href: "#/play/setup" }, "Set up a position, or open a saved game"));
  form.beside.append(setup);
  fill(
    root,
    h("h1", null, "Play a game, and see what it thinks"),
    h("div", { class: "begin" }, form.element, form.beside),
  );
  await form.game.ready;
}

class NewGame {
  /** @param {Kind[]} kinds */
  constructor(kinds) {
    this.problem = problem();
    this.colour = "";
    this.seats = h("div", { class: "fields" });
    this.picture = h("div");
    this.clock = { seconds: 0, increment: 0 };
    this.game = new GameForm(kinds, (description) => this.update(description));
    const start = h("button", { type: "submit", class: "main" }, "Play");
    this.element = h(
      "form",
      { onsubmit: (/** @type {Event} */ event) => (event.preventDefault(), this.start()) },
      this.game.element,
      this.seats,
      this.makeClock(),
      h("div", { class: "row" }, start),
      this.problem.element,
    );
    this.beside = h("div", null, this.picture, makeGamesList());
  }

  /** @param {Description} description */
  async update(description) {
    const [place, players] = await Promise.all([
      startPlace(description),
      listPlayers(description.name, description.size, description.rules),
    ]);
    return () => this.show(description, place, players);
  }

  /** @param {Description} description @param {import("./types.js").Place} place @param {import("./types.js").Players} players */
  show(description, place, players) {
    const board = new Board(description, { label: `${description.title}, the start`, picture: true });
    board.show(place);
    fill(this.picture, board.element, h("p", { class: "quiet small" }, description.conventions));
    this.opponent = new PlayerForm("Opponent", players, description.opponent, { human: true });
    this.colour = description.colours[0];
    const colours = [...description.colours, "either"];
    fill(
      this.seats,
      radios("You play", colours, this.colour, (colour) => (this.colour = colour)),
      this.opponent.element,
    );
  }

  makeClock() {
    const minutes = number(5, { min: 0.1, step: "any", onchange: (value) => (this.clock.seconds = value * 60) });
    const increment = number(0, { min: 0, step: "any", onchange: (value) => (this.clock.increment = value) });
    const custom = h(
      "div",
      { class: "fields", hidden: true },
      field("minutes for each side", minutes),
      field("seconds added for each move", increment),
    );
    const choose = (/** @type {string} */ value) => {
      custom.hidden = value !== "custom";
      const [first, second] = value === "custom" ? [minutes.value, increment.value] : value.split("+");
      this.clock =
        value === "none" ? { seconds: 0, increment: 0 } : { seconds: Number(first) * 60, increment: Number(second) };
    };
    return h("div", { class: "fields" }, field("Clock", select(CLOCKS, "none", choose)), custom);
  }

  async start() {
    this.problem.clear();
    try {
      const state = await post("/api/play", {
        ...this.game.fields,
        players: this.seat(),
        ...(this.clock.seconds > 0 && { clock: this.clock }),
      });
      location.hash = `#/play/${state.id}`;
    } catch (error) {
      this.problem.tell(error);
    }
  }

  seat() {
    const [first, second] = this.game.description?.colours ?? [];
    const own = this.colour === "either" ? (Math.random() < 0.5 ? first : second) : this.colour;
    const opponent = this.opponent?.value ?? HUMAN;
    return { [own]: HUMAN, [own === first ? second : first]: opponent };
  }
}

/** @param {Description} description @returns {Promise<import("./types.js").Place>} */
function startPlace({ name, size, start, rules }) {
  return get(`/api/place${query({ game: name, size, position: start }, rules)}`);
}

function makeGamesList() {
  const games = listGames();
  if (!games.length) return null;
  const list = h("ul", { class: "games-list" });
  const drop = (/** @type {string} */ id, /** @type {Element} */ item) => (forgetGame(id), item.remove());
  for (const game of games) {
    const item = h(
      "li",
      null,
      h(
        "a",
        { href: `#/${game.view}/${game.id}` },
        h("b", null, game.title),
        h("small", null, `${game.players}${game.ending ? `, ${game.ending}` : ""}`),
      ),
    );
    item.append(
      button("×", () => drop(game.id, item), {
        "aria-label": `forget this game of ${game.title}`,
        title: "forget this game",
      }),
    );
    list.append(item);
  }
  return h(
    "section",
    null,
    h("h2", null, "Your games"),
    h("p", { class: "quiet small" }, "The server keeps a game for a day."),
    list,
  );
}
