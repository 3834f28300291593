"""The words in which the log's parsers and the replay of its keys refuse what they read.

Owns what `note`, `checkpoint`, `cosignature`, `proof` and `replay` say alike here and in the browser:
`theme/verify/sentences-log.js` is written from this module (`make reference`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from benchsite.words import filled

MESSAGES: Final[Mapping[str, str]] = {
    "note-signature-short": "signed note: the signature of {name} is shorter than 5 bytes",
    "note-signature-line": "signed note: {line} is not a signature line (— name base64)",
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


def said(name: str, /, **values: int | str) -> str:
    """The message of this name with its braces filled in."""
    return filled(MESSAGES[name], **values)
