/** What cells and stones are called, for people who hear the board. */

/** @typedef {import("./types.js").Description} Description */

/**
 * Name a stone: "white stone", "black knight".
 * @param {Description} description @param {string} stone
 */
export function nameStone(description, stone) {
  if (!stone) return "empty";
  return (
    description.spoken?.[stone] ??
    `${sideOf(description, stone) ?? ""} ${description.colours.includes(stone) ? "stone" : stone}`.trim()
  );
}

/**
 * The colour that a stone belongs to.
 * @param {Description} description @param {string} stone
 * @returns {string|null}
 */
export function sideOf(description, stone) {
  if (!stone) return null;
  if (description.colours.includes(stone)) return stone;
  const name = description.spoken?.[stone];
  if (name) return description.colours.find((colour) => name.startsWith(colour)) ?? null;
  return stone === stone.toUpperCase() ? "white" : "black"; // as the letters of chess pieces have it
}

/**
 * Name a cell with all that is to be known of it: "d2, white stone, can move".
 * @param {Description} description @param {string} cell @param {string} stone
 * @param {{can: boolean, next: boolean, chosen: boolean, marked: boolean}} marks
 */
export function nameCell(description, cell, stone, marks) {
  const words = [cell, nameStone(description, stone)];
  if (marks.marked) words.push("last move");
  if (marks.chosen) words.push("chosen");
  else if (marks.next) words.push(stone ? "can be chosen" : "can go here");
  else if (marks.can) words.push("can move");
  return words.join(", ");
}
