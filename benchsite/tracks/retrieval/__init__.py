"""Retrieval: memory and retrieval systems, scored without a model in the loop (specs/retrieval.md).

`TRACK` is light: metrics, pages and the runner are imported when first asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from benchsite.track import Metric

if TYPE_CHECKING:
    from benchsite.history import Header, History, Judgement, Summary
    from benchsite.methodology import Methodology
    from benchsite.receipt import Document, Receipt
    from benchsite.track import Bodies, Command, Library, Page, Resolved, Runner

__all__ = ["TRACK", "RetrievalTrack"]


class RetrievalTrack:
    """The retrieval track's face: verification, pages, and the doors to running and to the command line."""

    name = "retrieval"
    package = "benchsite.tracks.retrieval"
    title = "Retrieval"
    plugin_group: str | None = "benchsite.retrieval.adapters"
    on_fixtures = True
    violated = "IMPOSSIBLE. No real measurement gives them"
    metrics: Mapping[str, Metric] = {
        "success_at_k": Metric("success@k"),
        "recall_at_k": Metric("success@k"),
        "true_recall_at_k": Metric("true recall@k"),
        "recall_all_at_k": Metric("all found@k"),
        "mrr_at_k": Metric("MRR@k"),
        "map_at_k": Metric("MAP@k"),
        "ndcg_at_k": Metric("nDCG@k"),
    }

    def metric(self, key: str) -> Metric:
        """How a number is shown."""
        return Metric.of(self.metrics, key)

    def check(self, document: Document) -> None:
        """Validate the track's own keys; raises `ReceiptError` naming the field."""
        from benchsite.tracks.retrieval import verification  # noqa: PLC0415 - light until asked

        verification.check(document)

    def judge(self, receipt: Receipt, *, deep: bool) -> Judgement:
        """Score again from `perQuery`; `deep` includes the bootstrap intervals."""
        from benchsite.tracks.retrieval import verification  # noqa: PLC0415

        return verification.judge(receipt, deep=deep)

    def needs(self, document: Document) -> frozenset[str]:
        """No evidence is needed for the numbers. They follow from `perQuery`, which the receipt holds."""
        del document
        return frozenset()

    def target(self, document: Document) -> tuple[str, str | None]:
        """(id, sha256) of the fixture."""
        return document["fixture"]["id"], document["fixture"]["sha256"]

    def summary(self, document: Document) -> Summary:
        """What a header keeps of the body."""
        from benchsite.tracks.retrieval import verification  # noqa: PLC0415

        return verification.summary(document)

    def hold_against(self, document: Document, resolved: Resolved) -> None:
        """Compare every question of a draft, and what was expected of it, with the fixture."""
        from benchsite.tracks.retrieval import provenance  # noqa: PLC0415

        provenance.hold_against(document, resolved.target)

    def differing(self, document: Document, again: Document) -> Iterator[tuple[str, str]]:
        """Queries that were answered otherwise."""
        from benchsite.tracks.retrieval import repetition  # noqa: PLC0415

        return repetition.differing(document, again)

    def judgements(self, document: Document) -> tuple[str, ...] | None:
        """None: programs are measured here."""
        del document
        return None

    def parameters(self, version: str) -> Mapping[str, Any] | None:
        """The constants of a version."""
        from benchsite.tracks.retrieval.parameters import parameters  # noqa: PLC0415

        return parameters(version)

    def blank_sheet(self, rules: Methodology, template: str) -> str:
        """None: programs are measured here, and nobody fills a sheet."""
        from benchsite.errors import UsageError  # noqa: PLC0415

        raise UsageError(
            f"{rules.data.track} {rules.data.version} has no template {template!r}, nor any sheet to fill in",
            hint="benchsite run retrieval measures; sheets belong to rubric",
        )

    def receipt_page(self, header: Header, document: Document, library: Library) -> Page:
        """The certificate."""
        from benchsite.tracks.retrieval import receipt_page  # noqa: PLC0415

        return receipt_page.receipt_page(header, document, library)

    def pages(self, history: History, bodies: Bodies, library: Library) -> Iterator[Page]:
        """The leaderboards."""
        from benchsite.tracks.retrieval import board  # noqa: PLC0415

        return board.pages(history, bodies, library)

    def runner(self) -> Runner:
        """The writing face."""
        from benchsite.tracks.retrieval.face import RetrievalRunner  # noqa: PLC0415

        return RetrievalRunner()

    def command(self) -> Command:
        """The command-line face."""
        from benchsite.tracks.retrieval.command import RetrievalCommand  # noqa: PLC0415

        return RetrievalCommand()

    def schema(self) -> Mapping[str, Any]:
        """JSON Schema of the track's own keys."""
        from benchsite.tracks.retrieval.payload import Payload  # noqa: PLC0415

        return Payload.model_json_schema(by_alias=True)


TRACK = RetrievalTrack()
