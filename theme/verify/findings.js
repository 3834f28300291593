// What an examination has found so far: its steps, and the one way to end it early.

/** @typedef {import("./types.js").Step} Step */
/** @typedef {import("./types.js").State} State */
/** @typedef {import("./types.js").Verdict} Verdict */
/** @typedef {import("./types.js").Rescoring} Rescoring */
/** @typedef {import("./types.js").Material} Material */
/** @typedef {import("./envelope.js").Receipt} Receipt */

/** A step that ends the examination with its verdict. */
export class Stop extends Error {
  /**
   * @param {Verdict} verdict
   * @param {Step} step
   */
  constructor(verdict, step) {
    super(step.detail);
    this.verdict = verdict;
    this.step = step;
  }
}

/**
 * @param {string} name
 * @param {string} detail
 * @param {string} [field]
 */
export function invalid(name, detail, field = "") {
  return new Stop("INVALID", { name, state: "fail", detail, field });
}

/** The steps taken so far, and what they have established. */
export class Findings {
  constructor() {
    /** @type {Step[]} */
    this.steps = [];
    /** @type {Verdict} */
    this.verdict = "SIGNED-ONLY";
    /** @type {Rescoring | null} */
    this.rescoring = null;
    /** Whether this release cannot check the numbers; the signature and the log are checked all the same. */
    this.unchecked = false;
    /** @type {Receipt | null} */
    this.receipt = null;
    /** @type {number | null} */
    this.index = null;
    /** @type {Material | null} */
    this.material = null;
    /** @type {string | null} */
    this.proof = null;
    /** @type {import("./types.js").Figure | null} */
    this.figure = null;
    /** @type {import("./types.js").Report["wanting"]} */
    this.wanting = [];
    /** Why evidence that the numbers are computed from was withdrawn. @type {string | null} */
    this.lost = null;
    /** @type {import("./types.js").TrackWords | null} */
    this.words = null;
    /** @type {import("./types.js").Json | undefined} */
    this.subject = undefined;
    /** Whether the signing key is revoked as compromised and the receipt's place does not clear it. */
    this.compromised = false;
  }

  /** The same findings; what is added to them is not added here. */
  copy() {
    return Object.assign(new Findings(), this, { steps: [...this.steps] });
  }

  /**
   * @param {string} name
   * @param {State} state
   * @param {string} detail
   * @param {[string, string][]} [shown]
   */
  say(name, state, detail, shown) {
    this.steps.push({ name, state, detail, field: "", ...(shown ? { shown } : {}) });
  }
}
