// Fetching from the site: bounded, never beyond its own folder, and a failure is an answer, not an exception.

const SECONDS = 10;

/**
 * What came of asking for a file: its bytes, the server's word that there is none, or nothing.
 * @typedef {{state: "found", bytes: Uint8Array} | {state: "missing"} | {state: "failed"}} Answer
 */

/** A site by the address of its root. */
export class Served {
  /** @param {string} base ends in `/` */
  constructor(base) {
    this.base = base;
  }

  /**
   * @param {string} path below the site's root
   * @param {number} limit bytes; more is a failure
   * @returns {Promise<Answer>}
   */
  async get(path, limit) {
    try {
      const settings = { cache: /** @type {const} */ ("no-cache"), signal: AbortSignal.timeout(SECONDS * 1000) };
      const response = await fetch(new URL(path, this.base), settings);
      if (response.status === 404) return { state: "missing" };
      if (!response.ok || !response.body) return { state: "failed" };
      return await bounded(response.body.getReader(), limit);
    } catch {
      return { state: "failed" };
    }
  }
}

/**
 * @param {ReadableStreamDefaultReader<Uint8Array>} reader
 * @param {number} limit
 * @returns {Promise<Answer>}
 */
async function bounded(reader, limit) {
  const parts = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > limit) {
      await reader.cancel();
      return { state: "failed" };
    }
    parts.push(value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return { state: "found", bytes };
}
