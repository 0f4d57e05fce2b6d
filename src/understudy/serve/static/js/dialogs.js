/** Small questions that stand before the page. */

import { button, h } from "./dom.js";

/**
 * Ask yes or no.
 * @param {string} question @param {string} yes what agreeing is called
 * @returns {Promise<boolean>}
 */
export function confirm(question, yes) {
  return new Promise((resolve) => {
    let agreed = false;
    const agree = button(yes, () => ((agreed = true), dialog.close()), { class: "main" });
    const dialog = openDialog(
      question,
      h(
        "div",
        { class: "row" },
        agree,
        button("No", () => dialog.close()),
      ),
      () => resolve(agreed),
    );
  });
}

/**
 * Show a text that the browser would not copy by itself.
 * @param {string} title @param {string} text
 */
export function showText(title, text) {
  const area = h("textarea", { rows: 6, readOnly: true, value: text, "aria-label": title });
  const dialog = openDialog(
    title,
    h(
      "div",
      null,
      area,
      button("Close", () => dialog.close()),
    ),
  );
  area.select();
}

/**
 * @param {string} title @param {HTMLElement} body @param {() => void} [onclose]
 */
function openDialog(title, body, onclose) {
  const heading = h("p", { id: "dialog-title" }, title);
  const dialog = h("dialog", { "aria-labelledby": heading.id }, heading, body);
  dialog.addEventListener("close", () => (dialog.remove(), onclose?.()));
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
