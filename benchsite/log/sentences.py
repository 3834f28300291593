"""The words in which the log's parsers, its tree and the replay of its keys refuse what they read.

Owns what `note`, `checkpoint`, `cosignature`, `proof`, `entries`, `tree` and `replay` say alike here and in the browser:
`theme/verify/sentences-log.js` is written from this module (`make reference`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from benchsite.words import message

MESSAGES: Final[Mapping[str, str]] = {
    "note-signature-short": "signed note: the signature of {name} is shorter than 5 bytes",
    "note-signature-line": "signed note: {line} is not a signature line (— name base64)",
    "note-large": "signed note: above the limit of {most} bytes",
    "note-control": "signed note: control character U+{code} in the text",
    "note-signatures": "signed note: {count} signatures, expected 1 to {most}",
    "note-no-blank": "signed note: no blank line between the text and the signatures",
    "note-no-signature": "signed note: no signature line, or the last one does not end in a newline",
    "note-twice": "signed note: key {key} has signed twice",
    "note-wrong": "signed note: the signature by key {key} does not verify",
    "note-unsigned": "signed note: no signature by an accepted key of {name}",
    "note-name": "signed note: key name {name} is empty or has a space, plus or control in it",
    "base64": "{text} is not canonical base64",
    "checkpoint-origin": "checkpoint: origin {origin} is not a scheme-less URL such as a.example/log",
    "checkpoint-other": "checkpoint: origin is {origin}, expected {expected}",
    "checkpoint-size": "checkpoint: size {size} is not between 0 and 2^53 - 1",
    "checkpoint-numeral": "checkpoint: size {size} is not a decimal number without leading zeros",
    "checkpoint-root": "checkpoint: the root hash has {count} bytes, expected {expected}",
    "checkpoint-lines": "checkpoint: expected exactly three lines (origin, size, root hash)",
    "proof-index": "proof: index {index} is not between 0 and 2^53 - 1",
    "proof-hashes": "proof: {count} hashes, the limit is {most}",
    "proof-hash": "proof: hash {number} has {count} bytes, expected {expected}",
    "proof-ascii": "proof: not ASCII at byte {place}",
    "proof-header": "proof: the first line is not {header}",
    "proof-extra": "proof: the line `extra` holds no data, and is omitted then",
    "proof-no-index": "proof: there is no line `index N`, N a decimal number without leading zeros",
    "proof-no-blank": "proof: no blank line between the hashes and the checkpoint",
    "vkey": "{text} is not a verifier key (name+key id+base64)",
    "vkey-id": "{name}: the key id is {id}, and name and key give {own}",
    "witness-type": "{name}: the key's type is {type}, and a witness's is 04",
    "witness-key": "the key of {name} has {count} bytes, expected {expected}",
    "cosignature-bytes": "the cosignature of {name} has {count} bytes, expected {expected}",
    "cosignature-time": "the cosignature of {name} has time {time}, which is not 1 to 2^53 - 1",
    "cosignature-wrong": "the cosignature of {name} does not verify for {size} entries of {origin}",
    "cosigned-size": "size {size} is not between 1 and 2^53 - 1",
    "cosigned-numeral": "size {size} is not a decimal number without leading zeros",
    "not-utf8": "{path}: not UTF-8 at byte {place}",
    "too-large": "{path}: {count} bytes, the limit is {most}",
    "cut-short": "{path} line {line}: cut short (no newline at its end)",
    "entry-large": "log entry: {count} bytes, the limit is {most}",
    "entry-object": "log entry: not a JSON object",
    "entry-type": "log entry: unknown type {type}",
    "entry-untyped": "log entry: no type",
    "entry-version": "log entry: {type}: v is not 1",
    "entry-canonical": "log entry: {type}: not in canonical form",
    "entry-path": "path is not results/published/<first 2 hex>/<receipt id>.json",
    "entry-limit": (
        "a receipt key needs trustedBelowIndex, a log key frozenSize and frozenRoot, a root key none of them"
    ),
    "no-entry": "entry {index} is not in a log of {size} entries",
    "no-consistency": "no consistency proof leads from size {old} to size {size}: need 1 <= old <= new",
    "founding": "the first entry must be the self-signed key-add of a root key",
    "empty": "the log has no entries: entry 0 must add the root key",
    "origin": "origin is {origin}, expected {expected}",
    "seq": "seq is {seq}, expected {expected}",
    "fingerprint": "fingerprint is not that of publicKey",
    "root-not-in-force": "signed by {root}, which is not a root key in force",
    "root-signature": "rootSignature by {root} does not verify",
    "root-unknown": "root key {key} is not one of the configured root keys",
    "key-twice": "key {key} was added before",
    "key-unknown": "there is no {role} key {key}",
    "key-closed": "key {key} is {state} already",
    "last-root": "the last root key cannot be retired: nothing could be signed afterwards",
    "root-itself": "a root key cannot report itself: another root must sign",
    "limit-raised": "limit {limit} does not lower the earlier one, {earlier}",
    "limit-outside": "limit {limit} is not between {first} (the key's first) and {index}",
    "frozen-root": "frozenRoot is not the root of the first {limit} entries",
}

said: Final = partial(message, MESSAGES)
"""The message of a name, its braces filled in."""
