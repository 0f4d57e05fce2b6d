/** Numbers as people read them. */

/** A value from -1 to 1. @param {number|null} value */
export function writeValue(value) {
  if (value === null) return "–";
  const text = Math.abs(value).toFixed(2);
  return text === "0.00" ? "0.00" : `${value < 0 ? "−" : "+"}${text}`;
}

/** A share from 0 to 1. @param {number} share */
export function writeShare(share) {
  const percent = 100 * share;
  if (percent > 0 && percent < 0.1) return "< 0.1 %";
  return `${percent < 10 ? percent.toFixed(1) : percent.toFixed(0)} %`;
}

/** A count with thin spaces. @param {number} count */
export function writeCount(count) {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** What an expected result above each of these numbers is called, as in all pictures of this package. */
const VERDICTS = /** @type {[number, string][]} */ ([
  [0.9, "as good as won"],
  [0.5, "much better"],
  [0.15, "somewhat better"],
  [-0.15, "about even"],
  [-0.5, "somewhat worse"],
  [-0.9, "much worse"],
]);

/** What a value means in a word. @param {number} value */
export function callValue(value) {
  return VERDICTS.find(([least]) => value >= least)?.[1] ?? "as good as lost";
}

/** A time as people read it. @param {number} seconds */
export function writeSeconds(seconds) {
  return seconds < 0.1 ? `${(1000 * seconds).toFixed(1)} ms` : `${seconds.toFixed(2)} s`;
}

/** Where a search came to hold best what it holds best now; nothing if it always did. @param {import("./types.js").Line[]} course */
export function describeChange(course) {
  const firsts = course.filter((line) => line.moves.length);
  for (let at = firsts.length - 1; at > 0; at--)
    if (firsts[at].moves[0] !== firsts[at - 1].moves[0])
      return `changed its mind at depth ${firsts[at].depth}, from ${firsts[at - 1].moves[0]}`;
  return "";
}

/** How a proven end is told. @param {number} plies negative if it will be lost */
export function writeEnd(plies) {
  const many = Math.abs(plies);
  return `${plies < 0 ? "loses" : "wins"} in ${many} ${many === 1 ? "ply" : "plies"}`;
}
