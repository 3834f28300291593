"""Private keys in the files of a branch, whatever form they have and whatever commit removed them again.

Looks for the text and DER forms of private keys, for a seed given to a variable of ours, and, where the log's
public keys are known, for any 32 bytes (raw, hexadecimal, base64) that are the seed of one. What is found is
described and never quoted. Large files are read in overlapping pieces, so memory stays bounded.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from benchsite.pipeline.check.report import Item, Step, altered, judged, shown_path
from benchsite.repo import Branch, Change, Repository
from benchsite.signing import PrivateKey
from benchsite.words import counted

__all__ = ["MOST_CANDIDATES", "KeyFinder", "check"]

NAME: Final = "private keys"
MOST_CANDIDATES: Final = 100_000
"""Texts that could be seeds are tried against the log's keys up to this number: some five seconds."""
_WHOLE: Final = 1024 * 1024
_OVERLAP: Final = 4096
_SEED: Final = 32
_BLANK: Final = rb"(?:\s|\\+[nr]|[\"'|+>#,;*])*"
_FORMS: Final = (
    (
        "a private key in PEM form",
        re.compile(
            rb"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----"
            + _BLANK
            + rb"(?:[A-Za-z0-9+/=]{16}|Proc-Type:|DEK-Info:|Version:|Comment:|Hash:)"
        ),
    ),
    (
        "an Ed25519 private key in DER form",
        re.compile(re.escape(bytes.fromhex("302e020100300506032b657004220420")) + rb".", re.DOTALL),
    ),
    ("an Ed25519 private key in base64", re.compile(rb"MC4CAQAwBQYDK2VwBCIEI[A-Za-z0-9+/]{8}")),
    (
        "the value of a BENCHSITE_…_KEY variable",
        re.compile(
            rb"BENCHSITE_[A-Z]+_KEY[\"']?\s{0,8}[:=]\s{0,8}[\"']?[A-Za-z0-9+/_-]{43}(?![A-Za-z0-9+/_-])"
        ),
    ),
)
_TOKEN: Final = re.compile(
    rb"(?:(?<=0x)|(?<=\\n)|(?<![A-Za-z0-9+/_-]))(?:[0-9a-fA-F]{64}|[A-Za-z0-9+/_-]{43})(?![A-Za-z0-9+/_-])"
)
_HINT: Final = (
    "it is leaked once the branch was pushed, and removing it in a later commit is not enough: put another key "
    "in its place (keys/ROTATION.md says how), then send a branch whose commits never held it"
)


class KeyFinder:
    """Remembers what it has tried, so that a text in a thousand files costs one look."""

    def __init__(self, public_keys: Collection[bytes]) -> None:
        self._known = frozenset(public_keys)
        self._tried: dict[bytes, bool] = {}

    @property
    def gave_up(self) -> bool:
        """Whether there were more candidates than are ever tried."""
        return len(self._tried) >= MOST_CANDIDATES

    def found(self, data: bytes) -> str | None:
        """What kind of private key these bytes hold, None for none."""
        texts = (data, data.replace(b"\0", b"")) if b"\0" in data else (data,)  # UTF-16 is ASCII with NULs
        for text in texts:
            for words, form in _FORMS:
                if form.search(text):
                    return words
        if any(self._is_ours(seed) for text in texts for seed in self._seeds(text)):
            return "the seed of a private key of this log"
        return None

    def _seeds(self, data: bytes) -> Iterator[bytes]:
        if not self._known:
            return
        if len(data) >= _SEED and not data[_SEED:].strip(b"\r\n"):
            yield data[:_SEED]
        for match in _TOKEN.finditer(data):
            seed = _decoded(match[0])
            if seed is not None:
                yield seed

    def _is_ours(self, seed: bytes) -> bool:
        if seed not in self._tried and not self.gave_up:
            self._tried[seed] = _public(seed) in self._known
        return self._tried.get(seed, False)


def _public(seed: bytes) -> bytes:
    return PrivateKey.from_text(base64.b64encode(seed).decode(), "a candidate").public


def _decoded(token: bytes) -> bytes | None:
    if len(token) == 2 * _SEED:
        return bytes.fromhex(token.decode())
    try:
        return base64.b64decode(token.translate(bytes.maketrans(b"-_", b"+/")) + b"=")
    except binascii.Error:
        return None


def check(
    repository: Repository, branch: Branch, changes: Iterable[Change], public_keys: Collection[bytes]
) -> Step:
    """Look through every file that any commit of the branch adds or changes."""
    first: dict[str, Change] = {}
    for change in changes:
        if change.blob:
            first[change.blob] = change  # newest first, so the oldest commit that has it stays
    sizes = branch.sizes(list(first))
    finder = KeyFinder(public_keys)
    items = []
    for blob, change in first.items():
        if blob not in sizes:
            items.append(_unread(change))
        elif found := _looked(finder, repository, branch, blob, sizes[blob]):
            where = shown_path(change.path)
            items.append(altered(where, f"{found}, added by commit {change.commit[:12]}", _HINT))
    good = f"none in what this branch adds: {counted(len(first), 'version')} of files"
    if finder.gave_up:
        good += f" (only the first {MOST_CANDIDATES:,} texts that could be keys of this log were tried)"
    return judged(NAME, items, good)


def _unread(change: Change) -> Item:
    return Item(
        shown_path(change.path),
        f"its content in commit {change.commit[:12]} is not in this clone",
        "fetch it, or clone again without --filter",
        5,
    )


def _looked(finder: KeyFinder, repository: Repository, branch: Branch, blob: str, size: int) -> str | None:
    if size <= _WHOLE:
        return finder.found(repository.blob(blob))
    rest = b""
    for piece in branch.pieces(blob):
        window = rest + piece
        if found := finder.found(window):
            return found
        rest = window[-_OVERLAP:]
    return None
