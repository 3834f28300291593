"""The append-only public log: what it holds, how it is hashed, who may sign it (specs/log.md).

    merkle      RFC 6962 hashes, frontier and verification       tree        roots and proofs of any size
    note        C2SP signed notes                                checkpoint  C2SP checkpoints
    entries     the entry types and their canonical bytes        segments    their files of 256 lines
    events      key events, made and checked                     replay      key events to keyring
    manifest    the keyring as a file                            contents    entries by subject
    tiles       the served form of a log                     log         all of it as one value
    cosignature what a witness signs, and the file of them   witnessing  what trusted witnesses have seen
    errors      the one error of a broken log
    proof       one entry's inclusion as a file              description an entry in words
    sizes       the sizes that had a checkpoint          body         entries and subtrees, by segment

Pure: bytes and text in, values out. Nothing here reads a file, a clock or a network.
"""

from __future__ import annotations

from benchsite.dates import posix_seconds, utc_text
from benchsite.log.checkpoint import Checkpoint, open_checkpoint, sign_checkpoint
from benchsite.log.contents import Named
from benchsite.log.cosignature import Cosignature, Witness, cosign, decode_cosignatures, encode_cosignatures
from benchsite.log.description import Description, describe, due_words
from benchsite.log.entries import (
    MAX_ENTRY_BYTES,
    DeclineEntry,
    DisputeEntry,
    Entry,
    FixtureEntry,
    IntentEntry,
    KeyAdd,
    KeyCompromise,
    KeyEvent,
    KeyRetire,
    MethodologyEntry,
    ReceiptEntry,
    ReceiptEvent,
    RetractEntry,
    SupersedeEntry,
    WithdrawEvidenceEntry,
    decode_entry,
    encode_entry,
    validate_entry,
)
from benchsite.log.errors import LogError
from benchsite.log.events import make_key_event, root_has_signed
from benchsite.log.log import Log, open_log, replay
from benchsite.log.manifest import ManifestRow, key_files, manifest, manifest_rows, parse_manifest
from benchsite.log.merkle import (
    EMPTY_ROOT,
    Frontier,
    leaf_hash,
    root_hash,
    verify_consistency,
    verify_inclusion,
)
from benchsite.log.note import Note, NoteError, NoteSignature, key_id, sign_note, verifier_key
from benchsite.log.proof import Proof
from benchsite.log.replay import KeyStatus, key_status, log_keys
from benchsite.log.segments import SEGMENT, decode_segment, decode_segments, encode_segment, place
from benchsite.log.sizes import decode_sizes, encode_sizes
from benchsite.log.tiles import Tile, TileReader
from benchsite.log.tree import Tree, consistency_proof, inclusion_proof
from benchsite.log.witnessing import Sighting, Witnessing

__all__ = [
    "EMPTY_ROOT",
    "MAX_ENTRY_BYTES",
    "SEGMENT",
    "Checkpoint",
    "Cosignature",
    "DeclineEntry",
    "Description",
    "DisputeEntry",
    "Entry",
    "FixtureEntry",
    "Frontier",
    "IntentEntry",
    "KeyAdd",
    "KeyCompromise",
    "KeyEvent",
    "KeyRetire",
    "KeyStatus",
    "Log",
    "LogError",
    "ManifestRow",
    "MethodologyEntry",
    "Named",
    "Note",
    "NoteError",
    "NoteSignature",
    "Proof",
    "ReceiptEntry",
    "ReceiptEvent",
    "RetractEntry",
    "Sighting",
    "SupersedeEntry",
    "Tile",
    "TileReader",
    "Tree",
    "WithdrawEvidenceEntry",
    "Witness",
    "Witnessing",
    "consistency_proof",
    "cosign",
    "decode_cosignatures",
    "decode_entry",
    "decode_segment",
    "decode_segments",
    "decode_sizes",
    "describe",
    "due_words",
    "encode_cosignatures",
    "encode_entry",
    "encode_segment",
    "encode_sizes",
    "inclusion_proof",
    "key_files",
    "key_id",
    "key_status",
    "leaf_hash",
    "log_keys",
    "make_key_event",
    "manifest",
    "manifest_rows",
    "open_checkpoint",
    "open_log",
    "parse_manifest",
    "place",
    "posix_seconds",
    "replay",
    "root_has_signed",
    "root_hash",
    "sign_checkpoint",
    "sign_note",
    "utc_text",
    "validate_entry",
    "verifier_key",
    "verify_consistency",
    "verify_inclusion",
]
