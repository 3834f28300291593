// The engine's own hash functions, and the one error for an engine that lacks what checking needs.

/** What this engine cannot do. It says nothing about the file: its verdict is UNSUPPORTED, never INVALID. */
export class Unsupported extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "Unsupported";
  }
}

const NO_CRYPTOGRAPHY = "this browser offers no cryptography on http:// pages. Open the site over https, or save this page " +
  "and open the file.";

/**
 * The engine's WebCrypto; browsers withhold it from pages that came over plain http.
 * @returns {SubtleCrypto}
 */
export function subtle() {
  const found = globalThis.crypto?.subtle;
  if (!found) throw new Unsupported(NO_CRYPTOGRAPHY);
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
