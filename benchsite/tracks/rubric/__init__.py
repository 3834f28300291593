"""Rubric: agents scored by evaluators against a versioned methodology (specs/rubric.md).

`TRACK` is light: scoring, pages and the reading of sheets are imported when first asked for.
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

__all__ = ["TRACK", "RubricTrack"]


class RubricTrack:
    """The rubric track's face: verification, pages, and the doors to running and to the command line."""

    name = "rubric"
    package = "benchsite.tracks.rubric"
    title = "Rubric"
    plugin_group: str | None = None
    on_fixtures = False
    violated = "AGAINST THE RULES. The version that the receipt names would not have accepted them"
    metrics: Mapping[str, Metric] = {
        "composite_score": Metric("Composite", 2, " of 100", 100),
        "universal_score": Metric("Universal", 2, " of 100", 100),
        "domain_score": Metric("Domain", 2, " of 100", 100),
        "raw_composite": Metric("raw composite", 2, " of 100", 100),
        "penalty": Metric("penalty", 2, " of 100", 100),
    }

    def metric(self, key: str) -> Metric:
        """How a number is shown."""
        return Metric.of(self.metrics, key)

    def check(self, document: Document) -> None:
        """Validate the track's own keys; raises `ReceiptError` naming the field."""
        from benchsite.tracks.rubric import verification  # noqa: PLC0415 - light until asked

        verification.check(document)

    def judge(self, receipt: Receipt, *, deep: bool) -> Judgement:
        """Score again from the recorded ratings; nothing here is too dear for `build`, so `deep` adds nothing."""
        from benchsite.tracks.rubric import verification  # noqa: PLC0415

        return verification.judge(receipt, deep=deep)

    def needs(self, document: Document) -> frozenset[str]:
        """No evidence is needed for the numbers. They follow from the ratings, which the receipt holds."""
        del document
        return frozenset()

    def target(self, document: Document) -> tuple[str, str | None]:
        """The template; the rules hold its tasks."""
        return document["template"]["slug"], None

    def summary(self, document: Document) -> Summary:
        """What a header keeps of the body."""
        from benchsite.tracks.rubric import verification  # noqa: PLC0415

        return verification.summary(document)

    def hold_against(self, document: Document, resolved: Resolved) -> None:
        """Compare the template and its criteria with the methodology that the draft names."""
        from benchsite.tracks.rubric import provenance  # noqa: PLC0415

        provenance.hold_against(document, resolved.rules)

    def differing(self, document: Document, again: Document) -> Iterator[tuple[str, str]]:
        """Nothing: no machine repeats an evaluation."""
        del document, again
        yield from ()

    def judgements(self, document: Document) -> tuple[str, ...] | None:
        """The digests of the sheets."""
        return tuple(document["config"]["sheets"])

    def parameters(self, version: str) -> Mapping[str, Any] | None:
        """The demands of a version as its document states them."""
        from benchsite.tracks.rubric.rules import parameters  # noqa: PLC0415

        return parameters(version)

    def blank_sheet(self, rules: Methodology, template: str) -> str:
        """The sheet to fill in, its anchors as comments; raises `UsageError` naming the templates there are."""
        from benchsite.errors import UsageError  # noqa: PLC0415
        from benchsite.tracks.rubric.new_sheet import blank  # noqa: PLC0415

        instrument = rules.data.instrument
        found = instrument.template(template) if instrument is not None else None
        if found is None:
            known = [item.slug for item in instrument.templates] if instrument is not None else []
            raise UsageError(
                f"rubric {rules.data.version} has no template {template!r}", hint=f"it has {', '.join(known)}"
            )
        return blank(rules, found)

    def receipt_page(self, header: Header, document: Document, library: Library) -> Page:
        """The report."""
        from benchsite.tracks.rubric import receipt_page  # noqa: PLC0415

        return receipt_page.receipt_page(header, document, library)

    def pages(self, history: History, bodies: Bodies, library: Library) -> Iterator[Page]:
        """The leaderboards and the evaluator forms."""
        from benchsite.tracks.rubric import board  # noqa: PLC0415

        return board.pages(history, bodies, library)

    def runner(self) -> Runner:
        """The writing face."""
        from benchsite.tracks.rubric.runner import RubricRunner  # noqa: PLC0415

        return RubricRunner()

    def command(self) -> Command:
        """The command-line face."""
        from benchsite.tracks.rubric.command import RubricCommand  # noqa: PLC0415

        return RubricCommand()

    def schema(self) -> Mapping[str, Any]:
        """JSON Schema of the track's own keys."""
        from benchsite.tracks.rubric.payload import Payload  # noqa: PLC0415

        return Payload.model_json_schema(by_alias=True)


TRACK = RubricTrack()
