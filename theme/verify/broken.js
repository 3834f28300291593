// The one error of a log that must not be built upon, with what a page shows of it.

/** @typedef {import("./types.js").Step} Step */
/** @typedef {import("./types.js").Course} Course */

/** Trust data or a served list that must not be built upon; `step` says why. */
export class Broken extends Error {
  /**
   * @param {Step} step
   * @param {Course} course
   * @param {string | null} evidence
   */
  constructor(step, course = "broken", evidence = null) {
    super(step.detail);
    this.step = step;
    this.course = course;
    this.evidence = evidence;
  }
}
