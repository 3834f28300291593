"""The log pages: what anybody needs to hold this site to its record, and every entry of it, 256 a page.

Also serves the log to other people's tools: the checkpoint with its cosignatures, the tiles, the witnesses' lines
and the feed. How many witnesses would be enough is for the reader to say: the page counts and never judges.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from benchsite import layout
from benchsite import log as public_log
from benchsite.addresses import methodology_path, receipt_page_path
from benchsite.log import SEGMENT, Log, MethodologyEntry, Witness, Witnessing
from benchsite.track import Page

FEED_PATH: Final = "log/feed.xml"
SHOWN: Final = 100
_DESCRIPTION: Final = (
    "Every receipt, rule and key event in order, and the signed checkpoint over all of them."
)


@dataclass(frozen=True, slots=True)
class LogLine:
    """One entry: `what` it is about, `link` a site path or empty, `words` what it adds."""

    index: int
    kind: str
    what: str
    digest: str
    link: str
    words: str = ""


@dataclass(frozen=True, slots=True)
class Watcher:
    """A trusted witness: the newest size it has cosigned and when it said so, and whether that is the one served."""

    witness: Witness
    size: int | None
    time: str
    here: bool


@dataclass(frozen=True, slots=True)
class Part:
    """A page of entries: the first and the last index on it."""

    path: str
    first: int
    last: int


def log(
    record: Log,
    checkpoint: bytes,
    *,
    witnessing: Witnessing | None = None,
    feed: bytes = b"",
    engine: str = "",
    sizes: Collection[int] = (),
) -> Iterator[Page]:
    """The log page, a page for every 256 entries, and the files that tools read.

    Args:
        record: the verified log.
        checkpoint: the signed note, verbatim as git has it.
        witnessing: what trusted witnesses have seen of the log.
        feed: the Atom feed of the newest entries; none where empty.
        engine: hash of verify.html without this site's trust data.
        sizes: those at which the log signed a checkpoint.
    """
    served = served_checkpoint(record, checkpoint, witnessing)
    watchers = [] if witnessing is None else _watchers(record, witnessing)
    parts = [
        Part(entries_path(first), first, min(first + SEGMENT, record.size) - 1)
        for first in range(0, record.size, SEGMENT)
    ]
    yield Page(
        path="log/",
        title="The public log",
        description=_DESCRIPTION,
        template="site/log.html.j2",
        context={
            "origin": record.origin,
            "size": record.size,
            "root": b64encode(record.root()).decode("ascii"),
            "checkpoint": served.decode("utf-8"),
            "keys": list(record.keyring),
            "verifier": _verifier(record),
            "watchers": watchers,
            "lines": _lines(record, max(0, record.size - SHOWN), record.size),
            "parts": parts[::-1],
            "place": place,
            "feed": FEED_PATH if feed else "",
            "engine": engine,
            "cosignatures": witnessing is not None and bool(witnessing.lines),
        },
    )
    yield Page(path="log/checkpoint", data=served)
    if witnessing is not None and witnessing.lines:
        yield Page(path="log/cosignatures", data=public_log.encode_cosignatures(witnessing.lines))
    if feed:
        yield Page(path=FEED_PATH, data=feed)
    for older, part, newer in zip([None, *parts], parts, [*parts[1:], None], strict=False):
        yield _part(record, part, older, newer)
    for tile, data in record.tiles(sizes):
        yield Page(path=f"log/{tile.path}", data=data)


def served_checkpoint(record: Log, checkpoint: bytes, witnessing: Witnessing | None) -> bytes:
    """The signed note as the site serves it: with the lines of the witnesses that signed this size."""
    return checkpoint if witnessing is None else witnessing.served(checkpoint, record.size)


def entries_path(index: int) -> str:
    """`log/entries/000001/`: the page that lists the entry at an index, named as its file in the repository is."""
    return f"log/entries/{index // SEGMENT:06}/"


def place(index: int) -> str:
    """The entry's own place on that page."""
    return f"{entries_path(index)}#e{index}"


def _part(record: Log, part: Part, older: Part | None, newer: Part | None) -> Page:
    return Page(
        path=part.path,
        title=f"Log entries {part.first:,} to {part.last:,}",
        description=_DESCRIPTION,
        template="site/log_entries.html.j2",
        context={
            "origin": record.origin,
            "size": record.size,
            "lines": _lines(record, part.first, part.last + 1),
            "older": older,
            "newer": newer,
            "file": layout.segment_path(part.first // SEGMENT),
        },
    )


def _watchers(record: Log, witnessing: Witnessing) -> list[Watcher]:
    found = []
    for witness in witnessing.witnesses:
        seen = witnessing.newest(witness)
        if seen is None:
            found.append(Watcher(witness, None, "", here=False))
        else:
            time = public_log.utc_text(seen.time)
            found.append(Watcher(witness, seen.size, time, here=seen.size == record.size))
    return found


def _verifier(record: Log) -> str:
    """The log's verifier key in the form other tools take, empty before there is one."""
    key = record.keyring.in_force("log")
    return "" if key is None else public_log.verifier_key(record.origin, key.public_key)


def _lines(record: Log, start: int, end: int) -> list[LogLine]:
    """The entries of a range, newest first."""
    return [_line(record, index) for index in reversed(range(start, end))]


def _line(record: Log, index: int) -> LogLine:
    entry = record.entry(index)
    said = public_log.describe(entry)
    link = ""
    if said.receipt_id:
        link = receipt_page_path(said.receipt_id)
    elif isinstance(entry, MethodologyEntry):
        link = methodology_path(entry.track, entry.version)
    return LogLine(index, said.kind, said.what, said.digest, link, said.words)
