"""The log page: what anybody needs to hold this site to its record, and the newest entries."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from benchsite import log as public_log
from benchsite.addresses import methodology_path, receipt_page_path
from benchsite.log import Entry, Log
from benchsite.track import Page

SHOWN: Final = 100


@dataclass(frozen=True, slots=True)
class LogLine:
    """One entry: `what` it is about, `link` a site path or empty, `words` what it adds."""

    index: int
    kind: str
    what: str
    digest: str
    link: str
    words: str = ""


def log(record: Log, checkpoint: bytes) -> Iterator[Page]:
    """The log page and the checkpoint it quotes, as served.

    Args:
        record: the verified log.
        checkpoint: the signed note, verbatim.
    """
    first = max(0, record.size - SHOWN)
    lines = [_line(record, index) for index in reversed(range(first, record.size))]
    yield Page(
        path="log/",
        title="The public log",
        description="Every receipt, rule and key event in order, and the signed checkpoint over all of them.",
        template="site/log.html.j2",
        context={
            "origin": record.origin,
            "size": record.size,
            "root": b64encode(record.root()).decode("ascii"),
            "checkpoint": checkpoint.decode("utf-8"),
            "keys": list(record.keyring),
            "verifier": _verifier(record),
            "lines": lines,
            "first": first,
        },
    )
    yield Page(path="log/checkpoint", data=checkpoint)
    for tile, data in record.tiles():
        yield Page(path=f"log/{tile.path}", data=data)


def _verifier(record: Log) -> str:
    """The log's verifier key in the form other tools take, empty before there is one."""
    key = record.keyring.in_force("log")
    return "" if key is None else public_log.verifier_key(record.origin, key.public_key)


def _line(record: Log, index: int) -> LogLine:
    entry: Entry = record.entry(index)
    match entry:
        case public_log.ReceiptEntry():
            line = _receipt(index, "receipt", entry.receipt_id, entry.sha256)
        case public_log.MethodologyEntry():
            link = methodology_path(entry.track, entry.version)
            line = LogLine(index, "methodology", f"{entry.track} {entry.version}", entry.sha256, link)
        case public_log.FixtureEntry():
            line = LogLine(index, "fixture", entry.id, entry.sha256, "")
        case public_log.IntentEntry():
            line = LogLine(index, "intent", f"{entry.track} on {entry.target}", entry.subject_sha256, "")
        case public_log.RetractEntry():
            line = _receipt(index, "retraction", entry.receipt_id, words=entry.reason)
        case public_log.SupersedeEntry():
            line = _receipt(index, "succession", entry.receipt_id, words=f"replaced by {entry.by}")
        case public_log.DisputeEntry():
            line = _receipt(index, "dispute", entry.receipt_id, words=entry.url)
        case public_log.WithdrawEvidenceEntry():
            line = LogLine(index, "evidence withdrawn", entry.reason, entry.sha256, "")
        case _:
            what = f"{entry.role} key {_KEY_WORDS[entry.type]}"
            line = LogLine(index, "key", what, entry.fingerprint, "")
    return line


_KEY_WORDS: Final = {
    "key-add": "enters service",
    "key-retire": "leaves service",
    "key-compromise": "is reported compromised",
}


def _receipt(index: int, kind: str, receipt_id: str, sha256: str = "", words: str = "") -> LogLine:
    return LogLine(index, kind, receipt_id, sha256, receipt_page_path(receipt_id), words)
