/** Elements made in one line. Text is always text: nothing that a person wrote is ever read as markup. */

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node|string|number|null|undefined|false|Child[]} Child */
/** @typedef {Record<string, unknown>} Props */

/**
 * Make an element of HTML.
 *
 * Props: `class`, `dataset` and `style` (objects), `on...` listeners; `aria-*`, `role`, `for` and whatever has a dash
 * become attributes, everything else a property. Null and false are left out.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {Props|null} [props] @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, props, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) setProp(element, name, value);
  append(element, children);
  return element;
}

/**
 * Make an element of SVG; every prop is an attribute, but for listeners and `style`.
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag @param {Props|null} [props] @param {...Child} children
 * @returns {SVGElementTagNameMap[T]}
 */
export function svg(tag, props, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(props ?? {})) setProp(element, name, value);
  append(element, children);
  return element;
}

/** Props that are attributes only, or whose property has another name or another meaning. */
const ATTRIBUTES = new Set(["class", "role", "for", "list", "form", "colspan", "rowspan", "tabindex"]);

/** @param {Element} element @param {string} name @param {unknown} value */
function setProp(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
  else if (name === "dataset") Object.assign(/** @type {HTMLElement} */ (element).dataset, value);
  else if (name === "style")
    setStyle(/** @type {HTMLElement} */ (element), /** @type {Record<string, string>} */ (value));
  else if (ATTRIBUTES.has(name) || name.includes("-") || element.namespaceURI === SVG)
    element.setAttribute(name, value === true ? "" : String(value));
  else /** @type {any} */ (element)[name] = value; // what properties an element has depends on its tag
}

/**
 * Set properties of style one by one, which the page's policy allows where a style attribute is forbidden.
 * @param {HTMLElement|SVGElement} element @param {Record<string, string>} style
 */
export function setStyle(element, style) {
  for (const [name, value] of Object.entries(style)) element.style.setProperty(name, value);
}

/** @param {Element|DocumentFragment} element @param {Child[]} children */
function append(element, children) {
  for (const child of children) {
    if (Array.isArray(child)) append(element, child);
    else if (child !== null && child !== undefined && child !== false)
      element.append(typeof child === "number" ? String(child) : child);
  }
}

/**
 * Put other children into an element.
 * @param {Element} element @param {...Child} children
 */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

/**
 * Read a drawing that the server made; only such may be given.
 * @param {string} text elements of SVG, without the outer `svg`
 * @returns {DocumentFragment}
 */
export function fragment(text) {
  const parsed = new DOMParser().parseFromString(`<svg xmlns="${SVG}">${text}</svg>`, "image/svg+xml");
  const made = document.createDocumentFragment();
  if (parsed.querySelector("parsererror")) return made;
  for (const node of [...parsed.documentElement.childNodes]) made.append(document.importNode(node, true));
  return made;
}

/**
 * Tell something to people who hear the page; it is also the one place where short news is shown.
 * @param {string} text
 */
export function announce(text) {
  const region = document.getElementById("news");
  if (region) region.textContent = text;
}

/**
 * Make a button.
 * @param {string} text @param {(event: MouseEvent) => unknown} onclick @param {Props} [props]
 */
export function button(text, onclick, props = {}) {
  return h("button", { type: "button", onclick, ...props }, text);
}

/** Whether the reader asked for little motion. */
export function still() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
