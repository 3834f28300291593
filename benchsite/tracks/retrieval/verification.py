"""What verification asks of the track: is the body well formed, do its numbers follow, what does a header keep.

Schema 0.0.1 is methodology 0.0.1: readable for ever, and its expected ids were never recorded, so its numbers
can be checked against each other but not computed again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from benchsite import canonical
from benchsite.history import Headline, Judgement, Rescore, Subject, Summary
from benchsite.receipt import Document, Receipt, UnsupportedSchema, check_body
from benchsite.tracks.retrieval import invariants
from benchsite.tracks.retrieval.payload import Config, Payload

SCORED_UNDER: Final = frozenset({"1.0.0"})
"""Methodology versions this release can compute."""

HEADLINE_K: Final = 10
METRIC: Final = f"ndcg_at_{HEADLINE_K}"
"""What every board ranks by: methodology 1.0.0, section 10, `parameters.headlineK`."""


def check(document: Document) -> None:
    """Validate the track's own keys and the configuration.

    Raises:
        ReceiptError: a field breaks the schema; the field is named.
        UnsupportedSchema: the receipt is scored under a methodology this release cannot compute.
    """
    if "schemaVersion" not in document:
        return  # schema 0.0.1 is validated whole by `benchsite.receipt`
    version = document["methodology"]["version"]
    if version not in SCORED_UNDER:
        raise UnsupportedSchema(f"retrieval methodology {version} is not one this release can compute")
    check_body(document, Payload, Config)


def judge(receipt: Receipt, *, deep: bool) -> Judgement:
    """Score again from `perQuery`, and look for numbers that cannot stand together."""
    document = receipt.document
    if not invariants.rescorable(document):
        reason = "schema 0.0.1 does not record which answers were expected"
        return Judgement(Rescore.NOT_RESCORABLE, reason, violations=tuple(invariants.violations(document)))
    differences, found = invariants.examine(document, bootstrap=deep)
    broken = tuple(item for item in found if item.code != "score-differs")  # differences say that already
    state = Rescore.DIFFERS if differences else Rescore.MATCHES
    return Judgement(state, "", _compared(document, deep=deep), tuple(differences), broken)


def _compared(document: Document, *, deep: bool) -> int:
    """How many numbers a re-score compares: scores, their counts, and both ends of every interval computed."""
    total = 0
    for table in (document, *document["byCategory"].values()):
        total += len(table["scores"]) + sum(len(counted) for counted in table["denominators"].values())
        total += 2 * sum(deep or item["method"] == "wilson" for item in table["intervals"].values())
    return total


def summary(document: Document) -> Summary:
    """What a header keeps: subject, fixture, board row and the headline number."""
    adapter, config = document["adapter"], document.get("config", {})
    return Summary(
        subject=Subject(adapter["name"], adapter["version"], label(adapter, config)),
        target=document["fixture"]["id"],
        target_sha256=document["fixture"]["sha256"],
        row=row(adapter, config),
        identity=identity(adapter, config),
        headline=_headline(document),
        unranked=tuple(_unranked(document)),
    )


def row(adapter: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    """The board row of a subject: equal for equal name, version and configuration.

    The digest of its source is left out: a changed adapter under the same version takes its own old place, so
    that nobody keeps the best of several variants on a board.
    """
    return identity(adapter, {**config, "subjectSha256": None})


def identity(adapter: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    """What was measured, source and all: equal for runs that would measure the same thing again."""
    return canonical.digest({"name": adapter["name"], "version": adapter["version"], "config": dict(config)})


def label(adapter: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    """The configuration in words: what differs from an adapter's own defaults."""
    words = [
        name if value is True else f"no {name}" if value is False else f"{name} {value}"
        for name, value in sorted(config.get("options", {}).items())
    ]
    if adapter.get("hosted"):
        words.append("hosted, version as claimed")
    return ", ".join(words)


def _unranked(document: Document) -> Iterator[str]:
    """The track's own reasons to list it apart."""
    if "schemaVersion" in document and HEADLINE_K not in document["config"]["k"]:
        yield f"its cut-offs do not include {HEADLINE_K}, which this board ranks by"


def _headline(document: Document) -> Headline:
    """nDCG@10 with its interval; nDCG at the largest cut-off where 10 is none of them."""
    if "config" in document:
        ks = document["config"]["k"]
    else:  # schema 0.0.1 named its cut-offs in its scores only
        ks = [int(k) for name in document["scores"] if (k := name.removeprefix("ndcg_at_")).isdecimal()]
    metric = METRIC if HEADLINE_K in ks or not ks else f"ndcg_at_{max(ks)}"
    interval = document.get("intervals", {}).get(metric) or {}
    return Headline(metric, document["scores"].get(metric), interval.get("low"), interval.get("high"))
