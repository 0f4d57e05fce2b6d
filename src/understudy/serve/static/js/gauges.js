/** Bars: a share of a whole, and a value on the fixed scale from lost to won. */

import { h } from "./dom.js";

/**
 * A bar from nothing to all.
 * @param {number} share @param {string} [kind] more, less or forbidden
 */
export function makeShare(share, kind = "more") {
  return h("span", { class: "bar" }, piece(0, share, kind));
}

/**
 * A bar that leans from the middle to one side.
 * @param {number} value from -1 to 1
 */
export function makeTilt(value) {
  const [from, to] = value < 0 ? [0.5 + value / 2, 0.5] : [0.5, 0.5 + value / 2];
  return h("span", { class: "bar tilt" }, piece(from, to, value < 0 ? "less" : "more"));
}

/** @param {number} from @param {number} to @param {string} kind */
function piece(from, to, kind) {
  const [left, right] = [from, to].map((end) => Math.max(0, Math.min(1, end)));
  return h("i", { class: kind, style: { left: `${100 * left}%`, width: `${100 * (right - left)}%` } });
}

/**
 * A value on its scale, the ends named.
 * @param {number} value @param {string} label
 */
export function makeScale(value, label) {
  const ends = ["loses", "even", "wins"].map((end) => h("span", null, end));
  return h(
    "div",
    { class: "scale", role: "img", "aria-label": label },
    makeTilt(value),
    h("div", { class: "ends" }, ends),
  );
}
