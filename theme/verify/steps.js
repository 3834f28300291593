// One check's outcome as a step, and the steps that more than one module has to say.

/** @typedef {import("./types.js").Step} Step */

/**
 * The step of a served log whose hashes are not those under its signed root.
 * @param {string} why
 */
export function misfit(why) {
  return fail("consistency", `the served log does not match its signed root: ${why}`);
}

/**
 * @param {string} name
 * @param {string} detail
 * @param {[string, string][]} shown
 * @returns {Step}
 */
export function pass(name, detail, shown) {
  return { name, state: "pass", detail, field: "", shown };
}

/**
 * @param {string} name
 * @param {string} detail
 * @returns {Step}
 */
export function warning(name, detail) {
  return { name, state: "warning", detail, field: "" };
}

/**
 * @param {string} name
 * @param {string} detail
 * @returns {Step}
 */
export function unchecked(name, detail) {
  return { name, state: "not checked", detail, field: "" };
}

/**
 * @param {string} name
 * @param {string} detail
 * @returns {Step}
 */
export function fail(name, detail) {
  return { name, state: "fail", detail, field: "" };
}
