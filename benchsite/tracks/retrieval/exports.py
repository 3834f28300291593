"""The part for files of other programs: a receipt's rankings and relevance labels, as trec_eval reads them, and LongMemEval's metrics."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Final

from benchsite.receipt import Document
from benchsite.track.exported import EvidenceFormat
from benchsite.tracks.retrieval.scores import longmemeval
from benchsite.tracks.retrieval.trec import written_judgements, written_run

__all__ = ["evidence_formats", "formats"]


def _run(document: Document) -> str:
    return written_run(document["perQuery"], document["adapter"]["name"])


def _judgements(document: Document) -> str:
    if any("expected" not in row for row in document["perQuery"]):
        return ""  # schema 0.0.1 recorded no relevance labels
    return written_judgements(document["perQuery"])


def _longmemeval(document: Document) -> str:
    return json.dumps(longmemeval.report(document), indent=1) + "\n"


formats: Final[Mapping[str, Callable[[Document], str]]] = {
    "trec": _run,
    "qrels": _judgements,
    "longmemeval": _longmemeval,
}
evidence_formats: Final[Mapping[str, EvidenceFormat]] = {}
