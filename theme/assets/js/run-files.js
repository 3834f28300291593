// The evidence that a receipt pins, as the site or a mirror serves it, or as the reader chooses it. Bytes are handed out only under the
// receipt's own SHA-256: what has another digest is not shown.

import { uncompressed } from "../../verify/materials.js";
import { Served } from "../../verify/served.js";

/** Bytes of evidence, as served. */
export const LARGEST = 256_000_000;
const SECONDS = 30;
const MOST_MIRRORS = 3;

/**
 * @typedef {object} Pinned a piece of evidence
 * @property {string} name
 * @property {string} sha256
 * @property {number} size
 * @property {string} served its address on this site; empty if the site doesn't serve it
 *
 * @typedef {{state: "found", data: Uint8Array} | {state: "differs" | "missing" | "large" | "failed"}} Found
 * large: above the bytes that are read here, so no digest is known; failed: a place gave no answer to go by
 */

/**
 * @param {Pinned} pinned
 * @param {readonly string[]} mirrors
 * @returns {Promise<Found>}
 */
export async function fetched({ sha256, served }, mirrors) {
  /** @type {Set<string>} */
  const states = new Set();
  const places = [
    ...(served === "" ? [] : [{ base: location.href, path: served }]),
    ...mirrors.slice(0, MOST_MIRRORS).map((mirror) => ({ base: `${mirror.replace(/\/+$/u, "")}/`, path: sha256 })),
  ];
  for (const { base, path } of places) {
    const answer = await new Served(base).get(path, LARGEST, SECONDS);
    const data = answer.state === "found" ? await uncompressed(answer.bytes, sha256) : null;
    if (data !== null) return { state: "found", data };
    if (answer.state === "found") states.add(unlike(answer.bytes));
    else states.add(answer.state === "failed" && answer.isLarge ? "large" : answer.state);
  }
  const state = /** @type {const} */ (["differs", "large", "failed"]).find((one) => states.has(one));
  return { state: state ?? "missing" };
}

/**
 * The same of a file that the reader has chosen.
 * @param {Pinned} pinned
 * @param {File} file
 * @returns {Promise<Found>}
 */
export async function chosen({ sha256 }, file) {
  if (file.size > LARGEST) return { state: "large" };
  const bytes = new Uint8Array(await file.arrayBuffer());
  const data = await uncompressed(bytes, sha256);
  return data === null ? { state: unlike(bytes) } : { state: "found", data };
}

/**
 * What is said of bytes without the digest: a gzip file whose last four bytes give a size above the limit wasn't unpacked.
 * @param {Uint8Array} bytes
 */
function unlike(bytes) {
  const isGzip = bytes.length >= 18 && bytes[0] === 0x1f && bytes[1] === 0x8b;
  const size = isGzip ? new DataView(bytes.buffer, bytes.byteOffset + bytes.length - 4).getUint32(0, true) : 0;
  return size > LARGEST ? "large" : "differs";
}

/**
 * Why the transcript isn't shown, and where the list below it is from.
 * @param {Exclude<Found["state"], "found">} state
 * @param {boolean} hasActions whether the actions were read, under their own SHA-256
 */
export function absence(state, hasActions) {
  const most = `${LARGEST / 1_000_000} MB`;
  const said = {
    differs: "What is served as the transcript has another SHA-256 than the receipt pins, so it isn’t shown.",
    large: `The transcript is larger than ${most}, the most that this page reads. Its hash wasn’t checked.`,
    failed: "Loading the transcript failed. Reload the page to retry.",
    missing: "The transcript isn’t at hand: the site doesn’t serve it and no mirror does.",
  }[state];
  return `${said} ${hasActions ? "The actions below are from the receipt’s evidence." : "The actions of the run aren’t at hand either."}`;
}

/**
 * Why a file that the reader chose isn't shown.
 * @param {Found["state"]} state
 */
export function refusal(state) {
  return state === "large"
    ? `The chosen file is larger than ${LARGEST / 1_000_000} MB, the most that this page reads. Its hash wasn’t checked.`
    : "The chosen file has another SHA-256 than the receipt pins.";
}

/** The mirrors that the page's own policy allows it to ask. */
export function allowedMirrors() {
  const policy = document.querySelector('meta[http-equiv="Content-Security-Policy"]')?.getAttribute("content") ?? "";
  return mirrorsOf(policy);
}

/**
 * @param {string} policy
 * @returns {string[]}
 */
export function mirrorsOf(policy) {
  const sources = /connect-src ([^;]*)/u.exec(policy)?.[1] ?? "";
  return sources.split(/\s+/u).filter((source) => source.startsWith("https://"));
}
