/** What the page asks the server: JSON over HTTP, and one socket for what changes by itself (`live.js`). */

import { TOKEN } from "./live.js";

export { follow, onConnection, think } from "./live.js";

/** An answer that says no, with the server's sentence. */
export class ApiError extends Error {
  /** @param {string} sentence @param {number} status 0 where no server answered */
  constructor(sentence, status) {
    super(sentence);
    this.status = status;
  }
}

/**
 * @param {string} method @param {string} path @param {unknown} [body]
 * @returns {Promise<any>} what it holds depends on the path
 */
async function ask(method, path, body) {
  /** @type {Record<string, string>} */
  const headers = body === undefined ? {} : { "Content-Type": "application/json" };
  if (TOKEN) headers["X-Understudy-Token"] = TOKEN;
  const response = await reach(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  const text = await response.text();
  const answer = read(text, response.headers.get("Content-Type") ?? "");
  if (!response.ok)
    throw new ApiError(answer?.error ?? `The server answered ${response.status} to ${path}.`, response.status);
  return answer;
}

/** @param {string} path @param {RequestInit} options */
async function reach(path, options) {
  try {
    return await fetch(path, options);
  } catch {
    throw new ApiError("The server does not answer: is it still running?", 0);
  }
}

/** @param {string} text @param {string} type */
function read(text, type) {
  if (!type.includes("json")) return text;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** @param {string} path @returns {Promise<any>} */
export function get(path) {
  return ask("GET", path);
}

/** @param {string} path @param {unknown} [body] @returns {Promise<any>} */
export function post(path, body = {}) {
  return ask("POST", path, body);
}

/** @param {string} path @returns {Promise<any>} */
export function remove(path) {
  return ask("DELETE", path);
}

/**
 * Write the part of an address after the question mark.
 * @param {Record<string, string|number|undefined|null>} fields
 * @param {Record<string, string>} [rules]
 */
export function query(fields, rules = {}) {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined && value !== null) params.append(name, String(value));
  for (const [name, value] of Object.entries(rules)) params.append("rule", `${name}=${value}`);
  return `?${params}`;
}

/** @type {Map<string, Promise<import("./types.js").Description>>} */
const descriptions = new Map();

/**
 * Get what is needed to draw a board; asked once for each board.
 * @param {string} game @param {string} [size] @param {Record<string, string>} [rules]
 * @returns {Promise<import("./types.js").Description>}
 */
export function describe(game, size, rules = {}) {
  const path = `/api/games/${encodeURIComponent(game)}${query({ size: size || undefined }, rules)}`;
  let asked = descriptions.get(path);
  if (!asked) {
    asked = get(path);
    descriptions.set(path, asked);
    asked.catch(() => descriptions.delete(path));
  }
  return asked;
}
