// What the functions of a track give, and whether it is what they promise (types.js, Track): a track of another package
// is type-checked by no build here. The counterpart of `_PROMISED` in benchsite/track/_guard.py.

import { serialize } from "./jcs.js";
import { ANY, flawed, integer, list, nullable, number, object, only, text } from "./shape.js";

/** @typedef {import("./shape.js").Check} Check */

/** Decimals that a page may be asked to show. */
const MOST_DIGITS = 20;
const DIGEST = /^[0-9a-f]{64}$/u;
const TEXT = text();
const SHORT = text(undefined, { max: 2000 });

/** @type {Check} */
const NOTHING = (value) => (value === undefined ? null : flawed("must be undefined"));

/** @type {Check} a value of a receipt; undefined where the other side has none */
const VALUE = (value) => {
  try {
    if (value !== undefined) serialize(value);
    return null;
  } catch {
    return flawed("must be a value of JSON");
  }
};

/** @type {Check} */
const DIGESTS = (value) =>
  (value instanceof Set && [...value].every((one) => typeof one === "string" && DIGEST.test(one)) ? null
    : flawed("must be a Set of SHA-256 digests"));

/** @type {Check} */
const BY_NAME = (value) => (value instanceof Map ? null : flawed("must be a Map"));

/** @type {{[what: string]: Check}} */
const PROMISED = {
  words: object({
    leftOut: TEXT, elsewhere: TEXT, limit: TEXT, broken: object({ short: TEXT, word: TEXT, text: TEXT }),
  }),
  engines: BY_NAME,
  shape: nullable(object({ message: TEXT, path: TEXT })),
  check: NOTHING,
  rescore: object({
    rescore: only("MATCHES", "DIFFERS", "NOT RE-SCORABLE"),
    reason: TEXT,
    compared: integer(0),
    "omitted?": integer(0),
    differences: list(object({ field: TEXT, "recorded?": VALUE, "computed?": VALUE })),
    violations: list(object({ code: TEXT, message: TEXT, field: TEXT })),
    "further?": list(object({
      name: only("traces", "agreement", "evaluation"), state: only("pass", "fail", "warning", "not checked"), detail: TEXT, field: TEXT,
    })),
  }),
  answer: object({
    words: ANY, "subject?": ANY, "fault?": nullable(object({ message: SHORT, field: SHORT })),
    "lacking?": nullable(object({ field: SHORT, why: SHORT })),
    "rescoring?": ANY, "figure?": ANY, "needs?": list(text(DIGEST)), "target?": ANY, "wanting?": ANY,
  }),
  wanting: list(object({ name: SHORT, sha256: text(DIGEST) })),
  figure: nullable(object({ label: TEXT, value: number(), digits: integer(0, MOST_DIGITS), scale: TEXT, on: TEXT })),
  needs: DIGESTS,
  target: object({ field: TEXT, id: TEXT, sha256: nullable(text(DIGEST)) }),
};

/**
 * The value itself.
 * @template Value
 * @param {"answer" | "wanting" | "words" | "engines" | "shape" | "check" | "rescore" | "figure" | "needs" | "target"} what
 * @param {Value} value
 * @returns {Value}
 * @throws {TypeError} it is of another kind than promised
 */
export function promised(what, value) {
  const flaw = /** @type {Check} */ (PROMISED[what])(value);
  if (flaw !== null) throw new TypeError(`${what}${flaw.path}: ${flaw.message}`);
  return value;
}
