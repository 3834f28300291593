"""What publish is about to make permanent, in the words a maintainer decides by: score, interval, date, settings, rank."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from benchsite.errors import BenchsiteError
from benchsite.history import standing, unranked
from benchsite.layout import receipt_path
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import Workspace
from benchsite.receipt import Receipt, parse
from benchsite.site import formats
from benchsite.words import counted


@dataclass(frozen=True, slots=True)
class Preview:
    """One draft in words.

    Attributes:
        subject: its name, version and options.
        target: the id of what it was measured on.
        headline: the metric that its leaderboard ranks by, with its interval.
        settings: how it was measured, as far as it departs from a plain run; the date first.
        standing: what is to be said of its rank, in sentences; empty where it will be ranked.
        doubts: why its date may be wrong, in sentences.
        acts_on: what it says of other entries of the log.
        sent_by: the submitter's name; empty for drafts made here.
    """

    subject: str
    target: str
    headline: str
    settings: tuple[str, ...]
    standing: tuple[str, ...]
    doubts: tuple[str, ...]
    acts_on: tuple[str, ...]
    sent_by: str


def preview(workspace: Workspace, snapshot: Snapshot, draft: Receipt) -> Preview:
    """A draft whose schema and numbers were checked, in words."""
    document = draft.document
    summary = snapshot.summary(document)
    headline, track = summary.headline, snapshot.tracks[draft.track]
    metric = track.metric(headline.metric)
    value = "blank" if headline.value is None else formats.score(headline.value, metric)
    if headline.low is not None and headline.high is not None:
        ends = [formats.score(end, metric) for end in (headline.low, headline.high)]
        value += f", 95% CI [{', '.join(ends)}]"
    ran_by = document["ranBy"]
    return Preview(
        subject=str(summary.subject),
        target=summary.target,
        headline=f"{headline.metric} {value}",
        settings=tuple(_settings(document)),
        standing=standing(unranked(document, summary, track.limited), imports=track.results is not None),
        doubts=tuple(_doubts(workspace, snapshot, document)),
        acts_on=tuple(_acts_on(document)),
        sent_by=ran_by["name"] if ran_by["kind"] == "submitted" else "",
    )


def _doubts(workspace: Workspace, snapshot: Snapshot, document: Mapping[str, Any]) -> Iterator[str]:
    """Say if a draft ran before its methodology was written, or before the newest receipt of the log."""
    if document["derivedFrom"] is not None:  # it keeps the date of its original
        return
    ran_at, named = str(document["ranAt"]), document["methodology"]
    with suppress(BenchsiteError):  # a version that is not in the working tree is refused elsewhere
        written = workspace.methodologies.read(named["id"], named["version"]).data.published
        if ran_at[:10] < written:
            yield f"check the clock: it ran {ran_at}, before the date of {named['id']} {named['version']}, {written}"
    receipts = snapshot.log.receipts if snapshot.log is not None else {}
    newest = max(receipts, key=receipts.__getitem__, default=document["receiptId"])
    data = snapshot.read(receipt_path(newest))
    if data is None or newest == document["receiptId"]:
        return
    with suppress(BenchsiteError):  # a damaged record is reported elsewhere
        last = str(parse(data).document.get("ranAt", ""))
        if ran_at < last:
            yield f"check the clock: it ran {ran_at}, before the newest receipt of the log, {last}"


def _settings(document: Mapping[str, Any]) -> Iterator[str]:
    config = document["config"]
    yield f"{'ran' if document.get('origin', 'native') == 'native' else 'imported'} {document['ranAt']}"
    methodology = document["methodology"]
    yield f"methodology {methodology['id']} {methodology['version']}"
    if config.get("k"):
        yield f"k {','.join(str(k) for k in config['k'])}"
    if config.get("limit") is not None:
        yield f"limit {config['limit']}"
    if config.get("repeats", 1) != 1:
        yield counted(config["repeats"], "repeat")
    git = document["environment"]["git"]
    if git["dirty"] is not False:
        yield "dirty tree" if git["dirty"] else "unknown tree"


def _acts_on(document: Mapping[str, Any]) -> Iterator[str]:
    for member, words in (
        ("supersedes", "supersedes"),
        ("reproduces", "reproduces"),
        ("intentId", "reports intent"),
        ("derivedFrom", "is derived from"),
    ):
        if document[member] is not None:
            yield f"{words} {document[member]}"
