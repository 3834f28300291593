// From a receipt and what is at hand to a re-score: which track, which methodology, which scoring engine.
// The same order as `rescored` of benchsite/history/rescoring.py: what this release does not have is said before anything of
// the track's own keys, and an absent methodology leaves the numbers alone. What a track of another package does wrong
// leaves its numbers unchecked and harms nothing else: its code is called here and nowhere else.

import { Unsupported } from "./digest.js";
import { absentTrack } from "./envelope.js";
import { Fault } from "./fault.js";
import { filled } from "./filled.js";
import { MESSAGES } from "./sentences-methodology.js";
import { promised } from "./promised.js";
import { OTHERS, TRACKS } from "./tracks.js";
import { said } from "./wording.js";

/** @typedef {import("./types.js").Track} Track */
/** @typedef {import("./types.js").Materials} Materials */
/** @typedef {import("./types.js").Methodology} Methodology */
/** @typedef {import("./types.js").Rescoring} Rescoring */
/** @typedef {import("./types.js").Figure} Figure */
/** @typedef {import("./types.js").Target} Target */
/** @typedef {import("./envelope.js").Receipt} Receipt */

/** The receipt is of a track whose modules are in another Worker. */
export class Elsewhere extends Error {
  /** @param {string} track */
  constructor(track) {
    super(`track '${track}' is scored in its own Worker`);
    this.track = track;
  }
}

/** Of what a track of another package throws. */
const LONGEST_REASON = 500;

/**
 * What this release does not have, and the receipt's field that asks for it.
 * @typedef {{field: string, why: string}} Lacking
 *
 * @typedef {object} Numbers the result of a re-score
 * @property {Rescoring} rescoring
 * @property {import("./types.js").Report["wanting"]} wanting pinned evidence that was asked for in vain
 *
 * @typedef {object} Scored what a track says of a receipt; each value is of the kind that the track promises
 * @property {null} lacking
 * @property {Figure | null} figure
 * @property {ReadonlySet<string>} needs
 * @property {Target} target
 * @property {() => Promise<Numbers | {lacking: Lacking} | {refused: Fault}>} rescore which may take long
 */

/**
 * The track of a receipt; schema 0.0.1 knew one.
 * @param {Receipt} receipt
 */
export function nameOf(receipt) {
  return String(receipt.document["track"] ?? "retrieval");
}

/**
 * What is said of the track's receipts, and what the receipt says it measured; nothing is checked yet, and a track of
 * others may fail on it.
 * @param {Receipt} receipt
 * @param {Materials} [atHand]
 * @returns {{words: import("./types.js").TrackWords | null, subject: import("./types.js").Json | undefined}}
 */
export function about(receipt, atHand) {
  const name = nameOf(receipt);
  const track = TRACKS.get(name);
  try {
    if (track === undefined && OTHERS.has(name) && atHand?.answer) {
      return { words: promised("words", atHand.answer["words"]), subject: atHand.answer["subject"] };
    }
    return { words: promised("words", track?.words ?? null), subject: track?.subject(receipt.document) };
  } catch {
    return { words: null, subject: undefined };
  }
}

/**
 * Check the track's own keys, under the methodology that the receipt names, and make ready to score again.
 * @param {Receipt} receipt
 * @param {Materials} atHand
 * @returns {Promise<Scored | {lacking: Lacking}>}
 * @throws {Fault} a field breaks the schema, or the methodology's digest is that of another version
 * @throws {Elsewhere} this Worker does not have the track
 */
export async function prepared(receipt, atHand) {
  const { document } = receipt;
  const name = nameOf(receipt);
  const isElsewhere = !TRACKS.has(name);
  if (isElsewhere && !(OTHERS.has(name) && atHand.answer)) return { lacking: { field: "track", why: absence(name, atHand.failed) } };
  const named = document["methodology"] ?? null;
  const methodology = named === null ? null : await atHand.methodology(named);
  if (methodology !== null) demandSame(methodology, named);
  const missing = named !== null && methodology === null ? absent(named) : null;
  if (isElsewhere) return answered(name, /** @type {object} */ (atHand.answer), missing);
  return contained(name, async () => {
    const track = /** @type {Track} */ (TRACKS.get(name));
    const lacking = methodology === null ? null : lackingFor(methodology, track);
    return lacking === null ? ready(track, document, methodology, missing, atHand) : { lacking };
  });
}

/**
 * Everything at once: what the Worker of another package's track is asked for.
 * @param {Receipt} receipt
 * @param {Materials} atHand
 * @returns {Promise<(Omit<Scored, "rescore"> & Numbers) | {lacking: Lacking}>}
 */
export async function rescored(receipt, atHand) {
  const scored = await prepared(receipt, atHand);
  if (scored.lacking !== null) return scored;
  const { rescore, ...rest } = scored;
  const numbers = await rescore();
  if ("refused" in numbers) throw numbers.refused;
  return "lacking" in numbers ? numbers : { ...rest, ...numbers };
}

/**
 * What a track does wrong leaves its numbers unchecked.
 * @template Value
 * @param {string} name
 * @param {() => Value | Promise<Value>} work
 * @returns {Promise<Value | {lacking: Lacking}>}
 */
async function contained(name, work) {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Fault || error instanceof Unsupported) throw error;
    return { lacking: { field: "track", why: `track '${name}' failed: ${thrown(error)}` } };
  }
}

/**
 * Why a track is not here.
 * @param {string} name
 * @param {string | null} failed
 * @throws {Elsewhere} its own Worker has not been tried
 */
function absence(name, failed) {
  if (!OTHERS.has(name)) return absentTrack(name);
  if (failed === null) throw new Elsewhere(name);
  return `track '${name}' failed: ${failed}`;
}

/**
 * Everything that is asked of a track, with the kind of each answer checked.
 * @param {Track} track
 * @param {import("./types.js").Document} document
 * @param {Methodology | null} methodology
 * @param {Rescoring | null} missing what is said of the numbers if the methodology is not at hand
 * @param {Materials} atHand
 * @returns {Scored}
 */
function ready(track, document, methodology, missing, atHand) {
  promised("check", track.check(document));
  /** @type {Map<string, {name: string, sha256: string}>} */
  const wanting = new Map();
  /** @type {import("./types.js").Given["evidence"]} */
  const evidence = async (digest) => {
    const pinned = document["evidence"]?.find((/** @type {{sha256: string}} */ { sha256 }) => sha256 === digest);
    const found = await atHand.evidence(digest, pinned?.mirrored === true);
    if (found === null && pinned) wanting.set(digest, { name: pinned.name, sha256: digest });
    return found;
  };
  return {
    lacking: null,
    needs: promised("needs", track.needs(document)),
    target: promised("target", track.target(document)),
    figure: promised("figure", track.figure(document, methodology)),
    rescore: () => contained(track.name, async () => ({
      rescoring: missing ?? promised("rescore", await track.rescore(document, { methodology, evidence })),
      wanting: [...wanting.values()],
    })),
  };
}

/**
 * The answers of the Worker of another package's track, each checked like those of a track that is here.
 * @param {string} name
 * @param {{[what: string]: any}} answer
 * @param {Rescoring | null} missing
 * @returns {Promise<Scored | {lacking: Lacking}>}
 */
function answered(name, answer, missing) {
  return contained(name, () => {
    const { fault, lacking, rescoring, figure, needs, target, wanting } = promised("answer", answer);
    if (fault) return refused(fault);
    if (lacking) return { lacking };
    const numbers = { rescoring: missing ?? promised("rescore", rescoring), wanting: promised("wanting", wanting) };
    return {
      lacking: null,
      needs: promised("needs", needs === undefined ? needs : new Set(needs)),
      target: promised("target", target),
      figure: promised("figure", figure),
      rescore: async () => numbers,
    };
  });
}

/**
 * A receipt that another package's track refuses: signature and log are checked before that is said.
 * @param {{message: string, field: string}} fault
 * @returns {Scored}
 */
function refused({ message, field }) {
  const target = { field: "", id: "", sha256: null };
  return { lacking: null, needs: new Set(), target, figure: null, rescore: async () => ({ refused: new Fault(message, field) }) };
}

/**
 * Anything can be thrown, and not everything becomes text.
 * @param {unknown} error
 */
function thrown(error) {
  try {
    return String(error).slice(0, LONGEST_REASON);
  } catch {
    return "it threw a value without text";
  }
}

/**
 * @param {Methodology} methodology
 * @param {{id: string, version: string}} named by the receipt
 * @throws {Fault} they are not the same
 */
function demandSame({ track: of, version }, named) {
  if (of !== named.id || version !== named.version) {
    throw new Fault(said("methodology-mismatch", { id: of, version }), "methodology.version");
  }
}

/**
 * Why this release cannot score under a methodology; null where it can.
 * @param {Methodology} methodology
 * @param {Track} track
 * @returns {Lacking | null}
 */
function lackingFor({ track: of, version, engine, parameters }, track) {
  const shape = promised("engines", track.engines).get(engine);
  if (!shape) return { field: "methodology.version", why: filled(MESSAGES["no-engine"], { engine }) };
  const flaw = promised("shape", shape(parameters));
  if (flaw === null) return null;
  const field = flaw.path.slice(1).replaceAll("[", ".").replaceAll("]", "");
  const why = MESSAGES[field === "" ? "no-parameters" : "wrong-parameter"];
  return { field: "methodology.sha256", why: filled(why, { field, track: of, version, engine }) };
}

/**
 * @param {{id: string, version: string}} named
 * @returns {Rescoring}
 */
function absent({ id, version }) {
  const reason = said("methodology-missing", { id, version });
  return { rescore: "NOT RE-SCORABLE", reason, missing: true, compared: 0, differences: [], violations: [] };
}
