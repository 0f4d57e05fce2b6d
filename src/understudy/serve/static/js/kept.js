/** What this browser remembers: its games, and how its owner likes the page. */

/** @typedef {import("./types.js").State} State */
/** @typedef {{id: string, view: string, title: string, players: string, at: number, ending: string|null}} Kept */

const GAMES = "understudy.games";
/** Games are kept for a day by the server; more than this no one looks through. */
const MOST = 12;

/** @param {string} key @param {unknown} value */
function write(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // A browser that keeps nothing plays just as well.
  }
}

/** @param {string} key @returns {any} */
function read(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

/** @returns {Kept[]} newest first */
export function listGames() {
  const games = read(GAMES);
  return Array.isArray(games) ? games : [];
}

/** @param {State} state @param {string} view */
export function keepGame(state, view) {
  const players = state.colours.map((colour) => state.players[colour].replace(/^human$/, "a person")).join(" – ");
  const { id, title, ending } = state;
  write(
    GAMES,
    [{ id, view, title, players, ending, at: Date.now() }, ...listGames().filter((game) => game.id !== id)].slice(
      0,
      MOST,
    ),
  );
}

/** @param {string} id */
export function forgetGame(id) {
  write(
    GAMES,
    listGames().filter((game) => game.id !== id),
  );
}

/**
 * What was chosen before.
 * @param {string} name @param {string} usual
 * @returns {string}
 */
export function recall(name, usual) {
  const value = read(`understudy.${name}`);
  return typeof value === "string" ? value : usual;
}

/** @param {string} name @param {string} value */
export function remember(name, value) {
  write(`understudy.${name}`, value);
}
