/** Moves that go the same way and differ in what becomes of the stone: a small dialog asks. */

import { fragment, h, svg } from "./dom.js";

/** @typedef {import("./types.js").Description} Description */
/** @typedef {import("./types.js").Legal} Legal */

/**
 * Ask which of several moves is meant.
 * @param {Description} description @param {string} turn @param {Legal[]} moves
 * @returns {Promise<Legal|null>} none if the person thought better of it
 */
export function askOption(description, turn, moves) {
  return new Promise((resolve) => {
    // Servers list moves by their codes, the weakest piece first; people look for the strongest.
    /** @type {Legal|null} */
    let chosen = null;
    const choices = [...moves]
      .reverse()
      .map((move) =>
        h(
          "button",
          { type: "button", class: "option", onclick: () => ((chosen = move), dialog.close()) },
          drawOption(description, turn, move.option),
          h("span", null, move.option),
        ),
      );
    const title = h("p", { id: "option-title" }, "What does it become?");
    const dialog = h(
      "dialog",
      { class: "options", "aria-labelledby": "option-title" },
      title,
      h("div", { class: "row" }, choices),
    );
    dialog.addEventListener("close", () => (dialog.remove(), resolve(chosen)));
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** @param {Description} description @param {string} turn @param {string} option */
function drawOption(description, turn, option) {
  const stone = Object.keys(description.stones).find((one) => description.spoken?.[one] === `${turn} ${option}`);
  const box = description.box;
  return svg(
    "svg",
    { viewBox: `0 0 ${box} ${box}`, width: box, height: box, "aria-hidden": "true" },
    stone && fragment(description.stones[stone]),
  );
}
