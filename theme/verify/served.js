// Fetching from the site: bounded, never beyond its own folder, and a failure is an answer, not an exception.

const SECONDS = 8;

/**
 * What came of asking for a file: its bytes, the server's word that there is none, or nothing.
 * @typedef {{state: "found", bytes: Uint8Array} | {state: "missing"} | {state: "failed", isLarge?: true}} Answer
 * isLarge: there is more of it than the limit
 */

/** A site by the address of its root. */
export class Served {
  /** @param {string} base ends in `/` */
  constructor(base) {
    this.base = base;
    /** A site that did not answer once is not asked again: every wait comes out of the visitor's time. */
    this.silent = false;
  }

  /**
   * @param {string} path below the site's root
   * @param {number} limit bytes; more is a failure
   * @param {number} [seconds] for the whole of it
   * @returns {Promise<Answer>}
   */
  async get(path, limit, seconds = SECONDS) {
    if (this.silent) return { state: "failed" };
    try {
      const response = await fetch(new URL(path, this.base), {
        cache: "no-cache", credentials: "omit", redirect: "error", signal: AbortSignal.timeout(seconds * 1000),
      });
      if (response.status === 404) return { state: "missing" };
      if (!response.ok || !response.body) return { state: "failed" };
      return await bounded(response.body.getReader(), limit);
    } catch {
      this.silent = true;
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
      return { state: "failed", isLarge: true };
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
