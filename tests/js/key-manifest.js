// keys/manifest.json as a keyring makes it, to compare with the one that Python writes.

import { utf8 } from "../../theme/verify/bytes.js";
import { serialize, without } from "../../theme/verify/jcs.js";

export function manifest(keyring) {
  return utf8(serialize(Array.from(keyring, (record) => without(record, "publicKey"))));
}
