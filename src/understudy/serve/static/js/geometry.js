/** Where cells are on the screen, and which one is next in a direction. */

/** @typedef {{x: number, y: number}} Point */

/** What an arrow key means: right and down are positive, as on a screen. @type {Record<string, [number, number]>} */
export const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * Find the nearest place in a direction, one straight ahead before one aside.
 * @param {Point[]} places @param {number} from @param {[number, number]} direction
 * @returns {number} the same place where there is none
 */
export function findNeighbour(places, from, [right, down]) {
  let best = from;
  let least = Infinity;
  places.forEach((place, number) => {
    const along = (place.x - places[from].x) * right + (place.y - places[from].y) * down;
    const aside = Math.abs((place.x - places[from].x) * down) + Math.abs((place.y - places[from].y) * right);
    const cost = along + 3 * aside; // three: straight ahead wins unless it is three times as far
    if (along > 0 && aside <= along && cost < least) [best, least] = [number, cost];
  });
  return best;
}

/**
 * Find the place at a point.
 * @param {Point[]} places @param {Point} point @param {number} reach how far from its middle a place still counts
 * @returns {number} -1 where there is none
 */
export function findNearest(places, point, reach) {
  let best = -1;
  let least = reach;
  places.forEach((place, number) => {
    const far = Math.hypot(place.x - point.x, place.y - point.y);
    if (far < least) [best, least] = [number, far];
  });
  return best;
}

/** @param {Point[]} places @returns {number} the distance of the two nearest */
export function leastGap(places) {
  let least = Infinity;
  for (const a of places)
    for (const b of places) if (a !== b) least = Math.min(least, Math.hypot(a.x - b.x, a.y - b.y));
  return least;
}
