// An Ed25519 public key as SubjectPublicKeyInfo (RFC 8410): its DER, and the PEM that other tools read.

import { base64, concat } from "./bytes.js";
import { Fault } from "./fault.js";

export const KEY_BYTES = 32;
export const BEGIN = "-----BEGIN PUBLIC KEY-----";
export const END = "-----END PUBLIC KEY-----";

// SEQUENCE { SEQUENCE { OID 1.3.101.112 }, BIT STRING of 32 bytes } (RFC 8410 section 4): constant up to the key.
export const PREFIX = Uint8Array.of(0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00);

/**
 * @param {Uint8Array} publicKey 32 bytes
 * @returns {Uint8Array} DER
 * @throws {Fault} another length
 */
export function spki(publicKey) {
  if (publicKey.length !== KEY_BYTES) {
    throw new Fault(`an Ed25519 public key has ${KEY_BYTES} bytes, not ${publicKey.length}`);
  }
  return concat(PREFIX, publicKey);
}

/**
 * The key as PEM, three lines ending in LF.
 * @param {Uint8Array} publicKey 32 bytes
 * @returns {string}
 */
export function pem(publicKey) {
  return `${BEGIN}\n${base64(spki(publicKey))}\n${END}\n`;
}
