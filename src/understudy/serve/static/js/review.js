/** A search looks over a game that is played: what it expects in each position, for games whose players told no opinions. */

import { ApiError, post } from "./api.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./graph.js").Opinion} Opinion */

/** Deep enough to see what is lost at once, quick enough for a hundred positions. */
export const REVIEWER = "searcher:depth=3";

/**
 * Ask a search about one position after another.
 * @param {Game} game @param {(opinions: Opinion[]) => boolean} onnews called after each; false stops it
 */
export async function review(game, onnews) {
  const { id, game: name, size, rules, start, moves, colours } = game.state;
  /** @type {Opinion[]} */
  const opinions = [];
  const from = start === null ? {} : { position: start, turn: game.colourAt(0) };
  for (let ply = 0; ply < moves.length; ply++) {
    const played = moves.slice(0, ply).map(({ move }) => move);
    const value = await askValue({ game: name, size, rules, ...from, moves: played, player: REVIEWER });
    if (value !== null) opinions.push({ ply, value: game.colourAt(ply) === colours[0] ? value : -value });
    if (id !== game.state.id || !onnews(opinions)) return;
  }
}

/** @param {object} ask @returns {Promise<number|null>} none of a position in which nothing can be thought */
async function askValue(ask) {
  try {
    return (await post("/api/think", ask)).value;
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return null;
    throw error;
  }
}
