"""What verification asks of the track: is the body well formed, do its numbers follow, what does a header keep.

A body is malformed where it cannot be scored at all: lists of unequal length, a sheet of no evaluator, scenarios with
different criteria. A well-formed body that its version would not have accepted is for `violations` to report.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from benchsite import canonical
from benchsite.history import Given, Headline, Rescore, Rescoring, Subject, Summary, Target, differences
from benchsite.methodology import Methodology
from benchsite.receipt import Document, Receipt, ReceiptError, check_body
from benchsite.tracks.rubric.engines import rules
from benchsite.tracks.rubric.metrics import HEADLINE, score
from benchsite.tracks.rubric.payload import TESTS, Config, Payload
from benchsite.tracks.rubric.sentences import said
from benchsite.tracks.rubric.violations import violations
from benchsite.tracks.rubric.wording import rating_kind

SECTIONS: Final = ("scores", "exact", "denominators", "intervals", "agreement")
"""What is recomputed, in this order."""


def check(document: Document) -> None:
    """Validate the track's own keys and the configuration.

    Raises:
        ReceiptError: a field breaks the schema, or the body cannot be scored; the field is named.
    """
    check_body(document, Payload, Config)
    for field, fault in _unscorable(document):
        raise ReceiptError(f"field {field}: {fault}", field=field)


def _unscorable(document: Document) -> Iterator[tuple[str, str]]:
    """(field, what is wrong with it)."""
    sheets = len(document["sheets"])
    for field, entries in _parallel(document):
        if len(entries) != sheets:
            yield field, said("entries-uneven", count=len(entries), sheets=sheets)
    evaluators = len(document["evaluators"])
    for place, sheet in enumerate(document["sheets"]):
        if sheet["evaluator"] >= evaluators:
            yield f"sheets[{place}].evaluator", said("no-evaluator", count=evaluators)
    names: set[str] | None = None
    for dimension, ratings in document["domain"].items():
        for place, rating in enumerate(ratings):
            for number, question in enumerate(rating["questions"]):
                names = set(question["criteria"]) if names is None else names
                if set(question["criteria"]) != names:
                    field = f"domain.{dimension}[{place}].questions[{number}].criteria"
                    yield field, said("criteria-differ")


def _parallel(document: Document) -> Iterator[tuple[str, Sequence[Any]]]:
    """Every list that has an entry for each sheet."""
    for part in ("universal", "domain"):
        for dimension in sorted(document[part]):
            yield f"{part}.{dimension}", document[part][dimension]
    if document["requiredTests"] is not None:
        for name in TESTS:
            yield f"requiredTests.{name}", document["requiredTests"][name]
    yield "config.sheets", document["config"]["sheets"]


def rescore(receipt: Receipt, given: Given, *, deep: bool) -> Rescoring:
    """Score again from the recorded ratings, and look for what the version would not have accepted.

    Nothing is too dear for `build`, so `deep` adds nothing.
    """
    del deep
    if given.methodology is None:
        raise ValueError("a rubric receipt names its methodology")
    document, demanded = receipt.document, rules(given.methodology)
    computed = score(document, demanded).sections()
    differing = tuple(
        found for section in SECTIONS for found in differences(document[section], computed[section], section)
    )
    state = Rescore.DIFFERS if differing else Rescore.MATCHES
    return Rescoring(
        state,
        "",
        _compared(document),
        differing,
        tuple(violations(document, demanded)),
    )


def _compared(document: Document) -> int:
    """How many values a re-score compares: scores, fractions, counts, ends of intervals, and who agreed on how much."""
    counts = sum(len(counted) for counted in document["denominators"].values())
    ends = 2 * len(document["intervals"])
    agreement = len(document["agreement"] or ())
    return len(document["scores"]) + len(document["exact"]) + counts + ends + agreement


def needs(document: Document) -> frozenset[str]:
    """No evidence is needed for the numbers. They follow from the ratings, which the receipt holds."""
    del document
    return frozenset()


def target(document: Document) -> Target:
    """The template; the methodology holds its tasks."""
    return Target("template", document["template"]["slug"], None)


def summary(document: Document, methodology: Methodology | None) -> Summary:
    """What a header keeps: agent, template, board row and the composite."""
    del methodology  # the composite is the headline of every version
    agent, template = document["agent"], document["template"]["slug"]
    interval = document["intervals"].get(HEADLINE) or {}
    return Summary(
        subject=Subject(agent["name"], agent["version"], agent["vendor"]),
        target=template,
        target_sha256=document["methodology"]["sha256"],
        row=row(agent, template),
        identity=identity(agent, template, document["config"]["sheets"]),
        headline=Headline(
            HEADLINE, document["scores"].get(HEADLINE), interval.get("low"), interval.get("high")
        ),
        note=rating_kind(document),
    )


def row(agent: Mapping[str, Any], template: str) -> str:
    """The board row: equal for equal name, version and vendor of an agent in one domain."""
    return canonical.digest({**_named(agent), "template": template})


def identity(agent: Mapping[str, Any], template: str, sheets: Sequence[str]) -> str:
    """What was scored: equal for the same agent in the same domain from the same sheets, by their sha256."""
    return canonical.digest({**_named(agent), "template": template, "sheets": list(sheets)})


def _named(agent: Mapping[str, Any]) -> dict[str, Any]:
    return {key: agent[key] for key in ("name", "version", "vendor")}
