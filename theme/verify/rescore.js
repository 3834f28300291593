// From a receipt and what is at hand to a judgement of its numbers: which track, which methodology, which scoring engine.
// The same order as `rescored` of benchsite/history/rescoring.py: what this release does not have is said before anything of
// the track's own keys, and an absent methodology leaves the numbers alone.

import { Unsupported } from "./digest.js";
import { Fault } from "./fault.js";
import { TRACKS } from "./tracks.js";

/** @typedef {import("./types.js").Track} Track */
/** @typedef {import("./types.js").Materials} Materials */
/** @typedef {import("./types.js").Methodology} Methodology */
/** @typedef {import("./types.js").Judgement} Judgement */
/** @typedef {import("./types.js").Figure} Figure */
/** @typedef {import("./envelope.js").Receipt} Receipt */

/**
 * What this release does not have, and the receipt's field that asks for it.
 * @typedef {{field: string, why: string}} Lacking
 *
 * @typedef {{track: Track, lacking: null, judgement: Judgement, figure: Figure | null}} Rescored
 */

/**
 * The track of a receipt; schema 0.0.1 knew one.
 * @param {Receipt} receipt
 */
function nameOf(receipt) {
  return String(receipt.document["track"] ?? "retrieval");
}

/** @param {Receipt} receipt */
export function trackOf(receipt) {
  return TRACKS.get(nameOf(receipt)) ?? null;
}

/**
 * Check the track's own keys and score again, under the methodology that the receipt names.
 * @param {Receipt} receipt
 * @param {Materials} atHand
 * @returns {Promise<Rescored | {lacking: Lacking, track: null, judgement: null, figure: null}>}
 * @throws {Fault} a field breaks the schema, or the methodology's digest is that of another version
 */
export async function rescored(receipt, atHand) {
  const { document } = receipt;
  const track = trackOf(receipt);
  if (track === null) return without({ field: "track", why: `no track '${nameOf(receipt)}' is installed here` });
  const named = document["methodology"] ?? null;
  const methodology = named === null ? null : await atHand.methodology(named);
  const lacking = methodology === null ? null : lackingFor(methodology, track, named);
  if (lacking !== null) return without(lacking);
  try {
    track.check(document);
    const judgement = named !== null && methodology === null ? absent(named)
      : await track.judge(document, { methodology, evidence: atHand.evidence });
    track.needs(document);
    track.target(document);
    return { track, lacking: null, judgement, figure: track.figure(document, methodology) };
  } catch (error) {
    if (error instanceof Fault || error instanceof Unsupported) throw error;
    return without({ field: "track", why: `track '${track.name}' failed: ${error}` });
  }
}

/**
 * @param {Lacking} lacking
 */
function without(lacking) {
  return { lacking, track: null, judgement: null, figure: null };
}

/**
 * Why this release cannot score under a methodology; null where it can.
 * @param {Methodology} methodology
 * @param {Track} track
 * @param {{id: string, version: string}} named by the receipt
 * @returns {Lacking | null}
 */
function lackingFor({ track: of, version, engine, parameters }, track, named) {
  if (of !== named.id || version !== named.version) {
    throw new Fault(`field methodology.version: its digest is that of methodology ${of} ${version}`, "methodology.version");
  }
  const shape = track.engines.get(engine);
  if (!shape) return { field: "methodology.version", why: `scoring engine '${engine}' is not one this release has` };
  const flaw = shape(parameters);
  if (flaw === null) return null;
  const wrong = flaw.path.slice(1).replaceAll("[", ".").replaceAll("]", "");
  const called = `methodology ${of} ${version}`;
  const why = wrong === "" ? `parameters of ${called} are not what engine '${engine}' takes`
    : `parameters.${wrong} of ${called} is not one that engine '${engine}' takes`;
  return { field: "methodology.sha256", why };
}

/**
 * @param {{id: string, version: string}} named
 * @returns {Judgement}
 */
function absent({ id, version }) {
  const reason = `methodology ${id} ${version} is not at hand: give its methodology.yaml and text.md`;
  return { rescore: "NOT RE-SCORABLE", reason, compared: 0, differences: [], violations: [] };
}
