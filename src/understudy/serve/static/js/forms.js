/** Fields of forms, each with its label. */

import { h } from "./dom.js";

let count = 0;

/**
 * Give a control its label.
 * @param {string} label @param {HTMLElement} control @param {string} [about] a sentence below it
 */
export function field(label, control, about = "") {
  control.id ||= `field-${++count}`;
  const note = about ? h("small", { class: "quiet", id: `${control.id}-about` }, about) : null;
  if (note) control.setAttribute("aria-describedby", note.id);
  return h("div", { class: "field" }, h("label", { for: control.id }, label), control, note);
}

/**
 * Make a list to choose from.
 * @param {(string|[string, string])[]} choices values, or values and what they are called
 * @param {string} value @param {(value: string) => void} [onchange]
 */
export function select(choices, value, onchange) {
  const options = choices.map((choice) => {
    const [one, title] = Array.isArray(choice) ? choice : [choice, choice];
    return h("option", { value: one, selected: one === value }, title);
  });
  const list = h("select", null, options);
  list.addEventListener("change", () => onchange?.(list.value));
  return list;
}

/**
 * Make a group of which one is chosen.
 * @param {string} legend @param {(string|[string, string])[]} choices @param {string} value
 * @param {(value: string) => void} onchange @param {string} [kind] a class
 */
export function radios(legend, choices, value, onchange, kind = "row") {
  const name = `choice-${++count}`;
  const labels = choices.map((choice) => {
    const [one, title] = Array.isArray(choice) ? choice : [choice, choice];
    const input = h("input", {
      type: "radio",
      name,
      value: one,
      checked: one === value,
      onchange: () => onchange(one),
    });
    return h("label", { class: "choice" }, input, title);
  });
  return h("fieldset", null, h("legend", { class: "small quiet" }, legend), h("div", { class: kind }, labels));
}

/**
 * Make a number's field.
 * @param {number|string} value @param {{min?: number, max?: number, step?: number|string, onchange?: (value: number) => void}} [limits]
 */
export function number(value, { min, max, step, onchange } = {}) {
  const input = h("input", { type: "number", value: String(value), inputMode: "decimal" });
  for (const [name, limit] of Object.entries({ min, max, step }))
    if (limit !== undefined) input.setAttribute(name, String(limit));
  input.addEventListener("change", () => onchange?.(Number(input.value)));
  return input;
}

/**
 * Show a sentence that says what went wrong.
 * @returns {{element: HTMLElement, tell: (error: unknown) => void, clear: () => void}}
 */
export function problem() {
  const element = h("p", { class: "problem", role: "alert" });
  return {
    element,
    tell: (error) => void (element.textContent = error instanceof Error ? error.message : String(error)),
    clear: () => void (element.textContent = ""),
  };
}
