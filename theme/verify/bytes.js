// Bytes and their texts: UTF-8, hex, base64. Decoders accept one spelling of each value and answer null to any other.

const ENCODER = new TextEncoder();

/**
 * @param {string} text well-formed; a lone surrogate would become U+FFFD, so callers refuse it first
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function utf8(text) {
  return ENCODER.encode(text);
}

/**
 * The text of UTF-8 bytes; null where they are not UTF-8. A byte order mark is kept as the character it is.
 * @param {Uint8Array} bytes
 * @returns {string | null}
 */
export function fromUtf8(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/**
 * @param {...Uint8Array} parts
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function concat(...parts) {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/**
 * @param {Uint8Array} a
 * @param {Uint8Array} b
 * @returns {boolean}
 */
export function equal(a, b) {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/**
 * Lower-case hexadecimal.
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * @param {string} text
 * @returns {Uint8Array<ArrayBuffer> | null} null unless it is lower-case hexadecimal of whole bytes
 */
export function fromHex(text) {
  if (!/^([0-9a-f]{2})*$/.test(text)) return null;
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/**
 * Standard base64 with padding (RFC 4648 section 4).
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function base64(bytes) {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/**
 * @param {string} text
 * @returns {Uint8Array<ArrayBuffer> | null} null unless `base64` would give exactly this text
 */
export function fromBase64(text) {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return null;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return base64(bytes) === text ? bytes : null;
}

/**
 * URL-safe base64 without padding (RFC 4648 section 5).
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function base64url(bytes) {
  return base64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * @param {string} text
 * @returns {Uint8Array<ArrayBuffer> | null} null unless `base64url` would give exactly this text
 */
export function fromBase64url(text) {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return null;
  const standard = text.replaceAll("-", "+").replaceAll("_", "/");
  return fromBase64(standard.padEnd(Math.ceil(standard.length / 4) * 4, "="));
}
