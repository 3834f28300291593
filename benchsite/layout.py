"""Where everything is in a repository: every path of the record, and what a path under it can be.

Follows DESIGN.md, "Top level", and specs/log.md, "What is kept in git". Paths are text with forward slashes, relative
to the repository's root; what is not made here from a checked identifier is no path of the record. Pure: nothing is
read, and `benchsite.addresses` says where pages are on the site.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from benchsite.errors import InputError
from benchsite.schema import UUID4

CONFIG: Final = "mkdocs.yml"
RECORD: Final = ("results", "keys")
"""The folders that only `publish` and `keys` write."""

PUBLISHED: Final = "results/published"
EVIDENCE: Final = "results/evidence"
INBOX: Final = "results/inbox"
ENTRIES_FOLDER: Final = "results/log/entries"
CHECKPOINT_PATH: Final = "results/log/checkpoint"
COSIGNATURES_PATH: Final = "results/log/cosignatures"
SIZES_PATH: Final = "results/log/sizes"
MANIFEST_PATH: Final = "keys/manifest.json"
RECEIPT_KEY: Final = "keys/receipt-signing.pub"
ROTATION: Final = "keys/ROTATION.md"

METHODOLOGY: Final = "methodology"
FIXTURES: Final = "fixtures"
FIXTURE_FILE: Final = "fixture.json"

SCRATCH: Final = ".benchsite"
"""Ignored by git, written by whatever runs here, never authority: what is published comes from the record or from memory."""
DRAFTS: Final = ".benchsite/drafts"
ATTACHMENTS: Final = ".benchsite/attachments"
TRACES: Final = ".benchsite/traces"
IMPORTED: Final = ".benchsite/fixtures"
ENVIRONMENTS: Final = ".benchsite/environments"
JOURNAL: Final = ".benchsite/publish.journal"
LOCK: Final = ".benchsite/lock"
PAGE_DIGESTS: Final = ".benchsite/pages.json"

Sort = Literal[
    "receipt",
    "segment",
    "checkpoint",
    "cosignatures",
    "sizes",
    "evidence",
    "free",
    "manifest",
    "current",
    "key",
    "stray",
]

_UUID4: Final = re.compile(UUID4)
_SEGMENT: Final = re.compile(rf"{ENTRIES_FOLDER}/([0-9]{{6}})\.jsonl")
_EVIDENCE: Final = re.compile(rf"{EVIDENCE}/([0-9a-f]{{2}})/(\1[0-9a-f]{{62}})")
_KEY: Final = re.compile(r"keys/[0-9a-f]{64}\.pub")
_NAMED: Final[dict[str, Sort]] = {
    CHECKPOINT_PATH: "checkpoint",
    COSIGNATURES_PATH: "cosignatures",
    SIZES_PATH: "sizes",
    MANIFEST_PATH: "manifest",
    RECEIPT_KEY: "current",
    ROTATION: "free",
}


def receipt_path(receipt_id: str) -> str:
    """Where a published receipt lies: sharded by the first two digits of its id."""
    return f"{PUBLISHED}/{receipt_id[:2]}/{receipt_id}.json"


def receipt_id_of(path: str) -> str | None:
    """The id of the receipt that lies at a path; None where no receipt can lie there."""
    name = path.rpartition("/")[2].removesuffix(".json")
    return name if _UUID4.fullmatch(name) and path == receipt_path(name) else None


def inbox_path(receipt_id: str) -> str:
    """Where a draft sent by pull request lies."""
    return f"{INBOX}/{receipt_id}.json"


def evidence_path(sha256: str) -> str:
    """Where a published piece of evidence lies."""
    return f"{EVIDENCE}/{sha256[:2]}/{sha256}"


def evidence_sha256(path: str) -> str:
    """The digest that a path of evidence is made from."""
    return path.rpartition("/")[2]


def segment_path(number: int) -> str:
    """The repository path of a segment of the log, counted from 0."""
    if not 0 <= number <= 999_999:
        raise InputError(
            f"log segment {number}: segments are numbered 0 to 999999",
            hint="the log is full: create another log with its own origin",
        )
    return f"{ENTRIES_FOLDER}/{number:06}.jsonl"


def segment_number(path: str) -> int | None:
    """The segment that a repository path names, or None."""
    match = _SEGMENT.fullmatch(path)
    return int(match[1]) if match else None


def key_path(fingerprint: str) -> str:
    """Where a public key lies; `fingerprint` as receipts and key events write it, `sha256:` included."""
    return f"keys/{fingerprint.removeprefix('sha256:')}.pub"


def methodology_folder(track: str, version: str) -> str:
    """Where a methodology version's two documents lie."""
    return f"{METHODOLOGY}/{track}/{version}"


def fixture_path(fixture_id: str) -> str:
    """Where the repository holds a fixture's document."""
    return f"{FIXTURES}/{fixture_id}/{FIXTURE_FILE}"


def sort_of(path: str) -> Sort:
    """What a file under `results/` or `keys/` is. `free`: the inbox, a placeholder or prose, and no record."""
    if path in _NAMED:
        return _NAMED[path]
    if receipt_id_of(path) is not None:
        return "receipt"
    if path.startswith(f"{INBOX}/") or path.endswith("/.gitkeep"):
        return "free"
    if path.startswith(f"{ENTRIES_FOLDER}/"):
        return "segment" if segment_number(path) is not None else "stray"
    if _EVIDENCE.fullmatch(path):
        return "evidence"
    return "key" if _KEY.fullmatch(path) else "stray"


def in_record(path: str) -> bool:
    """Whether a path is in a folder that only `publish` and `keys` write."""
    return path.split("/", maxsplit=1)[0] in RECORD


def in_scratch(path: str) -> bool:
    """Whether a path is the scratch folder or in it, in whatever case a file system would find it."""
    return path.split("/", maxsplit=1)[0].casefold() == SCRATCH
