// A methodology version as a re-score needs it: its digest, and `parameters.json`, the one file that decides the numbers. Python
// reads the same file by the same rules (benchsite/methodology/parameters.py).

import { hex, utf8 } from "./bytes.js";
import { sha256 } from "./digest.js";
import { Fault } from "./fault.js";
import { parse } from "./json.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").Methodology} Methodology */
/** @typedef {{data: Uint8Array, parameters: Uint8Array, text: Uint8Array}} Files the bytes of a version's three files */

export const NAMES = ["methodology.yaml", "parameters.json", "text.md"];

const LARGEST = 1 << 20;
const MEMBERS = ["track", "version", "engine", "parameters"];
const SLUG = /^[a-z0-9][a-z0-9-]{0,79}$/u;
const SEMVER = /^(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})$/u;
const ENGINE = /^[a-z0-9][a-z0-9-]{0,79}\/[0-9]{1,4}$/u;

/**
 * The digest that receipts name: SHA-256 of the JCS of the three files' digests.
 * @param {Files} files
 */
export async function digestOf({ data, parameters, text }) {
  const digests = await Promise.all([data, parameters, text].map(async (bytes) => hex(await sha256(bytes))));
  return joined(digests);
}

/**
 * The same from the files' own digests, in the order of `NAMES`.
 * @param {readonly string[]} digests
 */
export async function joined(digests) {
  const members = NAMES.map((name, place) => `"${name}":"${digests[place]}"`);
  return hex(await sha256(utf8(`{${members.join(",")}}`)));
}

/**
 * The members of a `parameters.json`.
 * @param {Uint8Array} bytes
 * @returns {Methodology}
 * @throws {Fault} not strict JSON, or not exactly these members
 */
export function readMethodology(bytes) {
  const value = /** @type {Document} */ (parse(bytes, LARGEST));
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Fault("not an object");
  const other = Object.keys(value).find((name) => !MEMBERS.includes(name));
  if (other !== undefined) throw new Fault("unknown field", other);
  const { track, version, engine, parameters } = value;
  if (typeof track !== "string" || !SLUG.test(track)) throw new Fault("track is missing or malformed", "track");
  if (typeof version !== "string" || !SEMVER.test(version)) throw new Fault("version is missing or malformed", "version");
  if (typeof engine !== "string" || !ENGINE.test(engine)) throw new Fault("engine is missing or malformed", "engine");
  if (typeof parameters !== "object" || parameters === null || Array.isArray(parameters)) {
    throw new Fault("parameters are missing or malformed", "parameters");
  }
  return { track, version, engine, parameters: /** @type {Document} */ (parameters) };
}
