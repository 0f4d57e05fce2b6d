/** A small tournament: everybody against everybody, the table as it grows. */

import { follow, get, post, remove } from "./api.js";
import { GameForm } from "./gameform.js";
import { button, fill, h } from "./dom.js";
import { field, number, problem } from "./forms.js";
import { listPlayers, PlayerForm } from "./players.js";

/** @typedef {import("./types.js").Contest} Contest */
/** @typedef {import("./types.js").Standing} Standing */
/** @typedef {import("./types.js").Players} Players */

const MOST = 8;
const MEANING =
  "Elo with its 95 % interval; then the points against each. Games that repeat an earlier one move by move count as one different game.";
/** Whom a new tournament begins with, besides the usual opponent: one that knows nothing, and one that looks ahead. */
const USUAL = ["random", "searcher"];

/**
 * @param {HTMLElement} root @param {import("./types.js").Route} route
 * @returns {Promise<(() => void)|void>}
 */
export async function open(root, route) {
  const id = route.path[1];
  return id ? openTable(root, id) : openForm(root);
}

/** @param {HTMLElement} root */
async function openForm(root) {
  const { games } = await get("/api/games");
  const form = new TournamentForm(games);
  fill(root, h("h1", null, "A small tournament"), form.element);
  await form.game.ready;
}

class TournamentForm {
  /** @param {import("./types.js").Kind[]} kinds */
  constructor(kinds) {
    this.problem = problem();
    this.list = h("div", { class: "entrants" });
    /** @type {PlayerForm[]} */
    this.forms = [];
    this.count = number(4, { min: 2, max: 100, step: 2 });
    this.game = new GameForm(kinds, async (description) => {
      const players = await listPlayers(description.name, description.size, description.rules);
      return () => this.draw(players, [...new Set([description.opponent, ...USUAL])]);
    });
    const begin = h("button", { type: "submit", class: "main" }, "Begin");
    const submit = (/** @type {Event} */ event) => (
      event.preventDefault(),
      this.problem.clear(),
      this.start().catch(this.problem.tell)
    );
    this.element = h(
      "form",
      { onsubmit: submit, class: "stacked" },
      this.game.element,
      this.list,
      field("Games for each pair", this.count),
      h("div", { class: "row" }, begin),
      this.problem.element,
    );
  }

  /** @param {Players} players @param {string[]} entrants */
  draw(players, entrants) {
    this.forms = entrants.map((entrant, place) => new PlayerForm(`Player ${place + 1}`, players, entrant));
    const values = () => this.forms.map((form) => form.value);
    const drop = (/** @type {number} */ place) =>
      this.draw(
        players,
        values().filter((_, number) => number !== place),
      );
    const rows = this.forms.map((form, place) =>
      h(
        "div",
        { class: "entrant" },
        form.element,
        entrants.length > 2 && button("Remove", () => drop(place), { "aria-label": `remove player ${place + 1}` }),
      ),
    );
    const known = [...players.students.map((student) => student.player), ...players.players.map((kind) => kind.name)];
    const absent = () => known.find((player) => !values().includes(player)) ?? known[0];
    const add = button("Add a player", () => this.draw(players, [...values(), absent()]), {
      disabled: entrants.length >= MOST,
    });
    fill(this.list, rows, add);
  }

  async start() {
    const players = this.forms.map((form) => form.value);
    const contest = await post("/api/tournaments", { ...this.game.fields, players, games: Number(this.count.value) });
    location.hash = `#/tournament/${contest.id}`;
  }
}

/** @param {HTMLElement} root @param {string} id */
async function openTable(root, id) {
  const body = h("div");
  fill(root, h("h1", null, "Tournament"), body);
  const show = (/** @type {Contest} */ contest) =>
    fill(
      body,
      writeContest(contest, () => remove(`/api/tournaments/${id}`).then(show)),
    );
  show(await get(`/api/tournaments/${encodeURIComponent(id)}`));
  return follow(`tournaments/${id}`, (message) => message.event === "state" && show(message.state));
}

/** @param {Contest} contest @param {() => void} stop */
function writeContest(contest, stop) {
  const { played, total, over, error, game, size } = contest;
  const bar = h("progress", { max: total, value: played, "aria-label": "games played" });
  return h(
    "div",
    null,
    h("p", null, `${game.replaceAll("_", " ")} ${size}: ${played} of ${total} games${over ? "." : " so far."}`),
    h("div", { class: "row" }, bar, !over && button("Stop", stop)),
    error && h("p", { class: "warning" }, error),
    contest.table.length
      ? h("div", null, writeTable(contest), h("p", { class: "quiet small" }, MEANING))
      : h("p", { class: "quiet" }, "The first games are being played."),
    h("p", null, h("a", { href: "#/tournament" }, "Another tournament")),
  );
}

/** @param {Contest} contest */
function writeTable({ table }) {
  const titles = ["player", "points", "Elo", ...table.map((_, place) => String(place + 1)), "games", "different"];
  const heads = titles.map((title, place) => h("th", { scope: "col", class: place ? "count" : "" }, title));
  const rows = table.map((row, place) => {
    const against = table.map((other) => (other.player === row.player ? "·" : (row.against?.[other.player] ?? "")));
    const entries = [row.points, writeElo(row), ...against, row.games, row.different];
    const cells = entries.map((entry) => h("td", { class: "count" }, entry));
    return h("tr", null, h("th", { scope: "row" }, `${place + 1}. ${row.player}`), cells);
  });
  const body = [h("thead", null, h("tr", null, heads)), h("tbody", null, rows)];
  const props = { class: "wide", tabindex: 0, role: "region", "aria-label": "cross table" };
  return h("div", props, h("table", { class: "cross" }, body));
}

/** @param {Standing} standing */
function writeElo({ elo, elo_low: low, elo_high: high }) {
  if (elo === null) return "–";
  const write = (/** @type {number} */ number) => String(Math.round(number)).replace("-", "−");
  return low === null || high === null ? write(elo) : `${write(elo)} (${write(low)} to ${write(high)})`;
}
