// The engine's own hash functions, and the one error for an engine that lacks what checking needs.

import { TROUBLES } from "./words.js";

/** What this engine cannot do. It says nothing about the file: its verdict is UNSUPPORTED, never INVALID. */
export class Unsupported extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "Unsupported";
  }
}

/**
 * The engine's WebCrypto; browsers withhold it from pages that came over plain http.
 * @returns {SubtleCrypto}
 */
export function subtle() {
  const found = globalThis.crypto?.subtle;
  if (!found) throw new Unsupported(TROUBLES.cryptography.cause);
  return found;
}

/**
 * @param {Uint8Array} bytes
 * @returns {Promise<Uint8Array<ArrayBuffer>>} 32 bytes
 * @throws {Unsupported} without WebCrypto
 */
export async function sha256(bytes) {
  return new Uint8Array(await subtle().digest("SHA-256", /** @type {BufferSource} */ (bytes)));
}
