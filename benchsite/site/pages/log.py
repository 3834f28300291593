"""The log pages: checkpoint, keys, witnesses and every entry of the log, 256 per page.

Also serves the log to other tools: the checkpoint with its cosignatures, the tiles and the feed. How many witnesses are
enough is the reader's decision: the page counts them and judges nothing.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from benchsite import layout
from benchsite import log as public_log
from benchsite.addresses import FEED_PATH, methodology_path, receipt_page_path
from benchsite.history import Header, History
from benchsite.log import SEGMENT, Log, MethodologyEntry, Witness, Witnessing
from benchsite.site import formats
from benchsite.track import Page, Track

SHOWN: Final = 100
_DESCRIPTION: Final = "Every receipt, methodology and key event in log order, and the signed checkpoint."


@dataclass(frozen=True, slots=True)
class LogLine:
    """One entry: `what` it is about, `link` a site path or empty, `words` what it adds.

    `subject` is what the receipt it names measured, empty where nothing may be quoted; `date` is the run's, as stated.
    """

    index: int
    kind: str
    what: str
    digest: str
    link: str
    words: str = ""
    subject: str = ""
    date: str = ""


@dataclass(frozen=True, slots=True)
class Quoted:
    """What is said of a receipt: `subject` with dataset and value, empty where nothing may be quoted; its stated date."""

    subject: str
    ran_at: str
    index: int | None


NOTHING: Final[Mapping[str, Quoted]] = MappingProxyType({})


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
    quoted: Mapping[str, Quoted] = NOTHING,
    witnessing: Witnessing | None = None,
    feed: bytes = b"",
    engine: str = "",
    sizes: Collection[int] = (),
) -> Iterator[Page]:
    """The log page, a page for every 256 entries, and the files that tools read.

    Args:
        record: the verified log.
        checkpoint: the signed note, verbatim as git has it.
        quoted: what is said of receipts, by id.
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
        title="Log",
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
            "lines": (shown := _lines(record, quoted, max(0, record.size - SHOWN), record.size)),
            "dated": any(line.date for line in shown),
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
        yield _part(record, quoted, part, older, newer)
    for tile, data in record.tiles(sizes):
        yield Page(path=f"log/{tile.path}", data=data)


def served_checkpoint(record: Log, checkpoint: bytes, witnessing: Witnessing | None) -> bytes:
    """The signed note as the site serves it: with the lines of the witnesses that signed this size."""
    return checkpoint if witnessing is None else witnessing.served(checkpoint, record.size)


def entries_path(index: int) -> str:
    """`log/entries/000001/`: the page that lists the entry at an index, named like its file in the repository."""
    return f"log/entries/{index // SEGMENT:06}/"


def place(index: int) -> str:
    """The entry's own place on that page."""
    return f"{entries_path(index)}#e{index}"


def _part(
    record: Log,
    quoted: Mapping[str, Quoted],
    part: Part,
    older: Part | None,
    newer: Part | None,
) -> Page:
    lines = _lines(record, quoted, part.first, part.last + 1)
    return Page(
        path=part.path,
        title=f"Log entries {part.first:,} to {part.last:,}",
        description=_DESCRIPTION,
        template="site/log_entries.html.j2",
        many=True,
        context={
            "origin": record.origin,
            "size": record.size,
            "lines": lines,
            "dated": any(line.date for line in lines),
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


def _lines(record: Log, quoted: Mapping[str, Quoted], start: int, end: int) -> list[LogLine]:
    """The entries of a range, newest first."""
    return [_line(record, quoted, index) for index in reversed(range(start, end))]


def kind_word(kind: str) -> str:
    """The kind of an entry as pages name it: a fixture is a dataset there."""
    return "dataset" if kind == "fixture" else kind


def _line(record: Log, quoted: Mapping[str, Quoted], index: int) -> LogLine:
    entry = record.entry(index)
    said = public_log.describe(entry)
    of = quoted.get(said.receipt_id)
    link = ""
    if said.receipt_id:
        link = receipt_page_path(said.receipt_id)
    elif isinstance(entry, MethodologyEntry):
        link = methodology_path(entry.track, entry.version)
    date = of.ran_at if of is not None and of.index == index else ""
    return LogLine(
        index,
        kind_word(said.kind),
        said.what,
        said.digest,
        link,
        said.words,
        of.subject if of is not None else "",
        date,
    )


def quotes(history: History, tracks: Mapping[str, Track]) -> dict[str, Quoted]:
    """What the log's pages and feeds say of each receipt, by id."""
    return {
        header.receipt_id: Quoted(_measured(header, tracks), header.ran_at, header.index)
        for header in history
    }


def _measured(header: Header, tracks: Mapping[str, Track]) -> str:
    """`bm25 1.2.0 on notes-v1: nDCG@10 0.512`, with the note of the headline where it has one."""
    if header.summary is None:
        return ""
    headline = header.summary.headline
    metric = tracks[header.track].metric(headline.metric)
    figure = f": {metric.label} {formats.score(headline.value, metric)}"
    note = f", {header.summary.note}" if header.summary.note else ""
    return f"{header.summary.subject} on {header.summary.target}{figure}{note}"
