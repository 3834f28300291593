// What re-scoring is given: methodologies and evidence, each found by the SHA-256 that a receipt names. A methodology is
// known to this release, or served by the site, or given by the visitor; evidence is served, at a mirror, or given.
// Whatever the place, bytes count only under their own digest. What is not found is not at hand, and no error.

import { hex } from "./bytes.js";
import { sha256 } from "./digest.js";
import { Fault } from "./fault.js";
import { KNOWN } from "./known-methodologies.js";
import { JsonError } from "./json.js";
import { NAMES, digestOf, joined, readMethodology } from "./methodology.js";
import { Served } from "./served.js";

/** @typedef {import("./types.js").Methodology} Methodology */
/** @typedef {import("./types.js").Materials} Materials */

/** Of each file of a methodology version, as Python reads them. */
const LARGEST_DOCUMENT = 1 << 20;
/** Bytes of evidence, uncompressed. */
const LARGEST_EVIDENCE = 256_000_000;
/** For each place; the whole check has 30. */
const SECONDS_OF_EVIDENCE = 6;
const MOST_MIRRORS = 2;
/** Given files that read as `parameters.json` and are tried. */
const MOST_CANDIDATES = 4;
/** Files that a visitor gives with a receipt: the files of a methodology and some evidence. */
const MOST_GIVEN = 40;
const SLUG = /^[a-z0-9][a-z0-9-]{0,79}$/u;

/**
 * What is at hand.
 * @param {object} places
 * @param {Served | null} [places.served] the site
 * @param {readonly string[]} [places.mirrors] addresses below which evidence has its SHA-256 as name
 * @param {readonly Uint8Array[]} [places.given] files that the visitor brought along
 * @param {string | null} [places.failed] why the receipt's track could not be used
 * @param {object | null} [places.answer] what the Worker of the receipt's track says of it
 * @returns {Materials}
 */
export function materials({ served = null, mirrors = [], given = [], failed = null, answer = null } = {}) {
  const brought = given.slice(0, MOST_GIVEN);
  return {
    methodology: async (named) => KNOWN.get(named.sha256) ?? await givenMethodology(named.sha256, brought)
      ?? await servedMethodology(named, served),
    evidence: async (digest, isMirrored = false) =>
      await among(brought, digest) ?? await fetched(digest, served, mirrors, isMirrored),
    failed,
    answer,
  };
}

/**
 * The version among the given files: any of them that reads as `parameters.json`, with two others.
 * @param {string} digest
 * @param {readonly Uint8Array[]} given
 * @returns {Promise<Methodology | null>}
 */
async function givenMethodology(digest, given) {
  const small = given.filter(({ length }) => length <= LARGEST_DOCUMENT);
  const hashes = await Promise.all(small.map(async (bytes) => hex(await sha256(bytes))));
  const candidates = small.flatMap((bytes, place) => {
    const methodology = readOrNull(bytes);
    return methodology === null ? [] : [{ methodology, hash: /** @type {string} */ (hashes[place]) }];
  });
  for (const { methodology, hash } of candidates.slice(0, MOST_CANDIDATES)) {
    for (const data of hashes) {
      for (const text of hashes) {
        if (data !== text && (await joined([data, hash, text])) === digest) return methodology;
      }
    }
  }
  return null;
}

/**
 * @param {{id: string, version: string, sha256: string}} named
 * @param {Served | null} served
 * @returns {Promise<Methodology | null>}
 */
async function servedMethodology({ id, version, sha256: digest }, served) {
  if (served === null || !SLUG.test(id)) return null;
  const folder = `methodology/${id}/${version}/`;
  const [data, parameters, text] = await Promise.all(NAMES.map((name) => served.get(folder + name, LARGEST_DOCUMENT)));
  if (data?.state !== "found" || parameters?.state !== "found" || text?.state !== "found") return null;
  const files = { data: data.bytes, parameters: parameters.bytes, text: text.bytes };
  return (await digestOf(files)) === digest ? readOrNull(parameters.bytes) : null;
}

/**
 * @param {Uint8Array} bytes
 * @returns {Methodology | null} null for bytes that are no `parameters.json`, as Python has it
 */
function readOrNull(bytes) {
  try {
    return readMethodology(bytes);
  } catch (error) {
    if (error instanceof Fault || error instanceof JsonError) return null;
    throw error;
  }
}

/**
 * @param {string} digest
 * @param {Served | null} served
 * @param {readonly string[]} mirrors
 * @param {boolean} isMirrored
 */
async function fetched(digest, served, mirrors, isMirrored) {
  if (served !== null) {
    // A site that is slow to serve evidence is asked for its log all the same.
    const path = `results/evidence/${digest.slice(0, 2)}/${digest}.txt`;
    const found = isMirrored ? null : await from(new Served(served.base), path, digest);
    if (found !== null) return found;
    for (const mirror of mirrors.slice(0, MOST_MIRRORS)) {
      const copy = await from(new Served(`${mirror.replace(/\/+$/u, "")}/`), digest, digest);
      if (copy !== null) return copy;
    }
  }
  return null;
}

/**
 * @param {Served} place
 * @param {string} path
 * @param {string} digest
 */
async function from(place, path, digest) {
  const answer = await place.get(path, LARGEST_EVIDENCE, SECONDS_OF_EVIDENCE);
  return answer.state === "found" ? uncompressed(answer.bytes, digest) : null;
}

/**
 * @param {readonly Uint8Array[]} given
 * @param {string} digest
 */
async function among(given, digest) {
  for (const bytes of given) {
    const found = await uncompressed(bytes, digest);
    if (found !== null) return found;
  }
  return null;
}

/**
 * The bytes of a digest, from themselves or from a gzip file of them; null where they are others.
 * @param {Uint8Array} bytes
 * @param {string} digest
 * @returns {Promise<Uint8Array | null>}
 */
export async function uncompressed(bytes, digest) {
  if (bytes.length <= LARGEST_EVIDENCE && hex(await sha256(bytes)) === digest) return bytes;
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return null;
  const found = await unzipped(bytes);
  return found !== null && hex(await sha256(found)) === digest ? found : null;
}

/**
 * @param {Uint8Array} bytes
 * @returns {Promise<Uint8Array | null>} null for what is no gzip file, or holds too much
 */
export async function unzipped(bytes) {
  const reader = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const parts = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
      length += value.length;
      if (length > LARGEST_EVIDENCE) {
        await reader.cancel();
        return null;
      }
      parts.push(value);
    }
  } catch {
    return null;
  }
}
