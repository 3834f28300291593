"""Verification that passes over what the last build verified: the `spread` of `benchsite.history.verify_record`.

A verdict is kept where the receipt is of a track of ours, logged, in good order and re-scored; any other is reached again
at every build. It is taken over only where its facts still hold, its bytes are the ones that HEAD and the log name, and
the log gives the same verdict today. `benchsite.pipeline.building.cache` says what that is worth.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import lru_cache
from hashlib import sha1, sha256
from pathlib import Path
from sys import intern
from typing import Any, Final, NamedTuple

from benchsite import executors
from benchsite.addresses import receipt_page_path
from benchsite.history import (
    Filed,
    Header,
    Headline,
    Rescore,
    Step,
    Subject,
    Summary,
    Verdict,
    logged_words,
    verdict_now,
)
from benchsite.layout import evidence_path
from benchsite.log import Log
from benchsite.pipeline.building import cache, output
from benchsite.pipeline.record import Record
from benchsite.pipeline.record.materials import IN_GIT
from benchsite.progress import Progress
from benchsite.repo import REGULAR

_LINKED: Final = frozenset({"reproduction", "reproduced_by"})
"""What other receipts say of one: found by `verify_record` after this, and no part of a line."""
_FIELDS: Final = tuple(item.name for item in fields(Header) if item.name not in {*_LINKED, "steps"})
_WORDS: Final = frozenset(
    {"receipt_id", "track", "path", "blob_id", "sha256", "methodology", "methodology_sha256", "ran_at"}
    | {"ran_by", "signer", "scores_sha256", "subject_sha256"}
)
_ABSENT: Final = frozenset({"supersedes", "superseded_by", "reproduces", "intent_id"})
_SHARED: Final = ("track", "methodology", "methodology_sha256", "ran_by", "signer", "subject_sha256")
_PLACED: Final = '["log", "pass", '
"""The start of the step that says where in the log the receipt is."""

Work = Callable[[Any, Sequence[Filed]], list[Header]]


class Found(NamedTuple):
    """The bytes of a receipt that HEAD names, by their SHA-256; of its page and badge in the last build's site, if all are there.

    `page` and `badge` are digests, `size` is the bytes of both.
    """

    sha256: str
    page: bytes = b""
    badge: bytes = b""
    size: int = 0


class Headers:
    """Verifies a record with the help of what the last build kept, and keeps what it finds for the next one.

    Attributes:
        lines: of each receipt whose verdict can be kept, the digest of its header as JSON.
        pages: what the last build's site has of each receipt whose bytes are there as the log names them.
    """

    def __init__(
        self,
        record: Record,
        kept: cache.BuildCache,
        keeping: cache.Keeping,
        site: Path,
        progress: Progress,
        *,
        meanwhile: Callable[[], object],
    ) -> None:
        """`site` is what the last build wrote, where receipts are read faster than from git.

        `meanwhile` is called while other processes verify.
        """
        log, (size, root) = record.log, kept.state
        same = log is not None and size <= log.size and log.root(size).hex() == root
        self._kept = kept if same else cache.BuildCache()
        self._keeping = keeping
        self._record = record
        self._site = site
        self._progress = progress
        self._meanwhile = meanwhile
        self._blobs = {item.path: item.blob_id for item in record.files if item.mode in REGULAR}
        self.lines: dict[str, bytes] = {}
        self.pages: dict[str, Found] = {}

    def spread(self, work: Work, shared: Any, files: Sequence[Filed]) -> Iterator[Header]:
        """The header of each file, verified or taken over; as `benchsite.history.Spread` has it."""
        known = [item for item in files if item.blob_id is not None and _name(item) in self._kept]
        found = {item.path: header for item, header in self._taken_over(known) if header is not None}
        left = [item for item in files if item.path not in found]
        done = len(found)
        with executors.ahead(_verified, (work, shared), left) as made:
            self._meanwhile()
            for item in files:
                header = found.pop(item.path, None)
                if header is None:
                    header, done = self._read(next(made)), done + 1
                    if done % executors.CHUNK == 0 or done == len(files):
                        self._progress(done, len(files), "verifying receipts")
                yield header

    def _read(self, made: Any) -> Header:
        """What a worker sent: a header as JSON, or the header itself where a track put something else into it."""
        if isinstance(made, Header):
            return made
        header = decoded(made, self._record.log)
        facts = self._facts(header)
        if facts:
            self._keep(header, cache.Judged(facts, made))
        return header

    def _keep(self, header: Header, judged: cache.Judged) -> None:
        self._keeping.verdict(header.receipt_id, judged)
        self.lines[header.receipt_id] = sha256(judged.line.encode()).digest()

    def _taken_over(self, known: Sequence[Filed]) -> Iterator[tuple[Filed, Header | None]]:
        """The kept header of each file, if all that it follows from still holds, its bytes too.

        Other processes read and hash the bytes while this one reads the headers.
        """
        seen = executors.run(_seen, (self._record.instance.repository.blobs, self._site), known)
        for done, (item, found) in enumerate(zip(known, seen, strict=True), start=1):
            header, kept = self._standing(item)
            if header is not None and kept is not None and header.sha256 == found.sha256:
                self._keep(header, kept)
                if found.page:
                    self.pages[header.receipt_id] = found
                yield item, header
            if done % executors.CHUNK == 0 or done == len(known):
                self._progress(done, len(known), "comparing receipts")

    def _standing(self, item: Filed) -> tuple[Header, cache.Judged] | tuple[None, None]:
        """A kept header and its line, if log, witnesses and documents say the same today; the bytes are not read."""
        log = self._record.log
        if log is None or item.index is None:
            return None, None
        try:
            kept = self._kept.judged(_name(item))
            header = decoded(kept.line, log)
            named = (header.receipt_id, header.path, header.blob_id, header.index)
            holds = named == (_name(item), item.path, item.blob_id, item.index) and (
                f'"sha256":"{header.sha256}"'.encode() in log.entry_bytes(item.index)
                and self._facts(header) == kept.facts
            )
        except (OSError, ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
            return None, None
        return (header, kept) if holds else (None, None)

    def _facts(self, header: Header) -> str:
        """The digest of what a verdict follows from besides the bytes; empty where it may not be kept."""
        log, witnessing, index = self._record.log, self._record.witnessing, header.index
        if log is None or index is None or header.rescore is not Rescore.MATCHES or not header.quotable:
            return ""
        if header.intent_id is not None and not header.registered:
            return ""  # the log may announce it yet
        if not self._record.instance.tracks[header.track].is_own:
            return ""  # its package may have changed, or what it reads besides
        verdict = verdict_now(
            log,
            witnessing,
            receipt_id=header.receipt_id,
            signer=header.signer,
            ran_at=header.ran_at,
            head=header.head,
        )
        rules = header.methodology_sha256
        at_hand = not rules or self._record.materials.methodology(rules) is not None
        pins = [
            (name, mirrored or size > IN_GIT, self._blobs.get(evidence_path(name)), log.withdrawn.get(name))
            for name, size, mirrored in header.evidence
        ]
        # A build reads no evidence outside git, and keeps no verdict while evidence that belongs there is missing.
        missing = any(blob is None and not elsewhere for _, elsewhere, blob, _ in pins)
        if verdict is not header.verdict or not at_hand or missing:
            return ""
        seen: tuple[Any, ...] = ()
        if witnessing is not None and witnessing.witnesses:
            earlier = witnessing.not_before(header.head) if header.head is not None else None
            seen = (len(witnessing.witnesses), witnessing.witnesses_of(index), earlier)
        events = [(at, log.entry_bytes(at)) for at, _ in log.events_about(header.receipt_id)]
        key = log.keyring.get(header.signer)
        return sha256(repr((header.blob_id, index, events, seen, pins, key)).encode()).hexdigest()


def _name(item: Filed) -> str:
    return item.path[-41:-5]


def _verified(shared: Any, files: Sequence[Filed]) -> list[Any]:
    """Work for `executors`: each file's header as JSON."""
    work, inner = shared
    return [encoded(header) or header for header in work(inner, files)]


def _seen(shared: Any, files: Sequence[Filed]) -> list[Found]:
    """Work for `executors`: what each file holds, read from the last build's site where that has it, else from git."""
    blobs, site = shared
    found = [_served(item, site) for item in files]
    asked = [item.blob_id for item, seen in zip(files, found, strict=True) if seen is None]
    contents = iter(blobs(asked))
    return [seen or Found(sha256(next(contents)).hexdigest()) for seen in found]


def _served(item: Filed, site: Path) -> Found | None:
    """What the last build's site has of a receipt; None where it has not the file that HEAD names, by its id in git."""
    data = output.content(site / item.path)
    if data is None or git_id(data, item.blob_id or "") != item.blob_id:
        return None
    found = output.page_and_badge(site / receipt_page_path(_name(item)))
    if found is None:
        return Found(sha256(data).hexdigest())
    page, shield = (sha256(part).digest() for part in found)
    return Found(sha256(data).hexdigest(), page, shield, sum(map(len, found)))


def git_id(data: bytes, like: str) -> str:
    """The object id that git gives a file's bytes, in a repository with ids of this length."""
    framed = b"blob %d\0" % len(data) + data
    return sha256(framed).hexdigest() if len(like) == 64 else sha1(framed, usedforsecurity=False).hexdigest()


def encoded(header: Header) -> str:
    """A header as a line of JSON; empty where a track put something into it that would not be read again.

    The steps follow the other fields, each a JSON array behind a tab, because most receipts share most of them.
    """
    values = [getattr(header, name) for name in _FIELDS]
    if header.summary is not None:
        values[_FIELDS.index("summary")] = _summary_values(header.summary)
    try:
        body, steps = json.dumps(values, allow_nan=False), [_step_text(step) for step in header.steps]
        _ = [_step(text) for text in steps]
        return "\t".join([body, *steps]) if _typed(dict(zip(_FIELDS, json.loads(body), strict=True))) else ""
    except (TypeError, ValueError):
        return ""


@lru_cache(maxsize=4096)
def _step_text(step: Step) -> str:
    """A step; how many entries the log has by now is known when it is read."""
    text = json.dumps([step.name, step.state, step.detail, step.field, step.hint, step.link])
    return json.dumps(["log", "pass", "", "", "", ""]) if text.startswith(_PLACED) else text


def _summary_values(summary: Summary) -> list[Any]:
    subject, headline = summary.subject, summary.headline
    return [
        [subject.name, subject.version, subject.label],
        summary.target,
        summary.target_sha256,
        summary.row,
        summary.identity,
        [headline.metric, headline.value, headline.low, headline.high],
        list(summary.unranked),
        summary.note,
    ]


def decoded(line: str, log: Log | None) -> Header:
    """The inverse of `encoded`; raises `ValueError`, `TypeError` or `IndexError` where a line is none of its."""
    body, *steps = line.split("\t")
    value = dict(zip(_FIELDS, json.loads(body), strict=True))
    if not _typed(value):
        raise ValueError(line)
    index, summary = value["index"], value["summary"]
    words = logged_words(log, index) if log is not None and index is not None else ""
    value["steps"] = tuple(
        [Step("log", "pass", words) if text.startswith(_PLACED) else _step(text) for text in steps]
    )
    if summary is not None:
        subject, target, digest, row, identity, (metric, *numbers), unranked, note = summary
        value["summary"] = Summary(
            _subject(*subject),
            intern(target),
            intern(digest),
            intern(row),
            intern(identity),
            Headline(intern(metric), *numbers),
            tuple(unranked),
            intern(note),
        )
    for name in _SHARED:
        value[name] = intern(value[name])
    value["verdict"], value["rescore"] = Verdict(value["verdict"]), Rescore(value["rescore"])
    value["evidence"] = tuple([(name, size, mirrored) for name, size, mirrored in value["evidence"]])
    value["unranked"] = tuple(value["unranked"])
    return Header(**value)


@lru_cache(maxsize=4096)
def _step(text: str) -> Step:
    """The inverse of `_step_text`; raises `ValueError` where a text is none of its."""
    parts = json.loads(text)
    if type(parts) is not list or len(parts) != 6 or not _texts(parts):
        raise ValueError(text)
    return Step(*parts)


_subject = lru_cache(maxsize=4096)(Subject)


def _typed(value: Mapping[str, Any]) -> bool:
    """Whether every member has the type that a header promises."""
    return (
        all(type(value[name]) is str for name in _WORDS)
        and all(value[name] is None or type(value[name]) is str for name in _ABSENT)
        and all(type(value[name]) is int or value[name] is None for name in ("index", "head"))
        and type(value["size"]) is int
        and type(value["registered"]) is bool
        and _texts(value["unranked"])
        and all(
            (type(name), type(size), type(mirrored)) == (str, int, bool)
            for name, size, mirrored in value["evidence"]
        )
        and (value["summary"] is None or _typed_summary(*value["summary"]))
    )


def _typed_summary(*parts: Any) -> bool:
    subject, target, digest, row, identity, (metric, *numbers), unranked, note = parts
    words = (target, digest, row, identity, metric, note)
    numeric = (number is None or type(number) in (int, float) for number in numbers)
    return len(subject) == 3 and len(numbers) == 3 and _texts((*subject, *words, *unranked)) and all(numeric)


def _texts(values: Iterable[Any]) -> bool:
    return all(type(value) is str for value in values)
