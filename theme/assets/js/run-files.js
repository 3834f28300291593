// The evidence that a receipt pins, as the site or a mirror serves it, or as the reader chooses it. Bytes are handed out only under the
// receipt's own SHA-256: what has another digest is not shown.

import { uncompressed } from "../../verify/materials.js";
import { Served } from "../../verify/served.js";

/** Bytes of evidence, as served. */
const LARGEST = 256_000_000;
const SECONDS = 30;
const MOST_MIRRORS = 3;

/**
 * @typedef {object} Pinned a piece of evidence
 * @property {string} name
 * @property {string} sha256
 * @property {number} size
 * @property {string} served its address on this site; empty if the site doesn't serve it
 *
 * @typedef {{state: "found", data: Uint8Array} | {state: "differs" | "missing"}} Found
 */

/**
 * @param {Pinned} pinned
 * @param {readonly string[]} mirrors
 * @returns {Promise<Found>}
 */
export async function fetched({ sha256, served }, mirrors) {
  let differs = false;
  const places = [
    ...(served === "" ? [] : [{ base: location.href, path: served }]),
    ...mirrors.slice(0, MOST_MIRRORS).map((mirror) => ({ base: `${mirror.replace(/\/+$/u, "")}/`, path: sha256 })),
  ];
  for (const { base, path } of places) {
    const answer = await new Served(base).get(path, LARGEST, SECONDS);
    if (answer.state !== "found") continue;
    const data = await uncompressed(answer.bytes, sha256);
    if (data !== null) return { state: "found", data };
    differs = true;
  }
  return { state: differs ? "differs" : "missing" };
}

/**
 * The same of a file that the reader has chosen.
 * @param {Pinned} pinned
 * @param {File} file
 * @returns {Promise<Found>}
 */
export async function chosen({ sha256 }, file) {
  if (file.size > LARGEST) return { state: "differs" };
  const data = await uncompressed(new Uint8Array(await file.arrayBuffer()), sha256);
  return data === null ? { state: "differs" } : { state: "found", data };
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
