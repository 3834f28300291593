// Where bytes cease to be UTF-8 (RFC 3629 section 4), which TextDecoder does not tell.

/**
 * @param {Uint8Array} bytes
 * @returns {number} length of the longest prefix of whole characters (RFC 3629 section 4)
 */
export function lengthOfUtf8(bytes) {
  let at = 0;
  while (at < bytes.length) {
    const length = lengthOfCharacter(bytes, at);
    if (length === 0) break;
    at += length;
  }
  return at;
}

/**
 * @param {Uint8Array} bytes
 * @param {number} at
 * @returns {number} 0 where no whole character is
 */
function lengthOfCharacter(bytes, at) {
  const lead = bytes[at] ?? 0xff;
  if (lead < 0x80) return 1;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  // The second byte's range leaves out overlong forms, surrogates and what is beyond U+10FFFF.
  const lowest = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const highest = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  const second = bytes[at + 1] ?? 0;
  if (second < lowest || second > highest) return 0;
  for (let i = 2; i < length; i += 1) {
    if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0;
  }
  return length;
}
