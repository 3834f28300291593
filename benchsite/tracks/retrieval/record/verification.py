"""What verification asks of the track: is the body well formed, do its numbers follow, what does a header keep.

Schema 0.0.1 is methodology 0.0.1: readable permanently, and its expected ids were never recorded, so its numbers
can be checked against each other but not recomputed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from benchsite import canonical
from benchsite.history import Given, Headline, Rescore, Rescoring, Subject, Summary, Target
from benchsite.methodology import Methodology
from benchsite.receipt import Document, Receipt, ReceiptError, check_body
from benchsite.tracks.retrieval.record import violations
from benchsite.tracks.retrieval.record.payload import Config, Payload
from benchsite.tracks.retrieval.record.sentences import said
from benchsite.tracks.retrieval.scores.engines import ENGINES, parameters
from benchsite.words import options_words

HEADLINE_K: Final = 10
"""What is ranked by where a methodology is not at hand: that of 1.0.0, section 10, `parameters.headlineK`."""


_EARLIER: Final = "true_recall_at_"
"""Recall in the text of 1.0.0 that was replaced before its first public receipt."""


def check(document: Document) -> None:
    """Validate the track's own keys and the configuration.

    Raises:
        ReceiptError: a field breaks the schema, or is of an earlier text of 1.0.0; the field is named.
    """
    if "schemaVersion" not in document:
        return  # schema 0.0.1 is validated whole by `benchsite.receipt`
    check_body(document, Payload, Config)
    earlier = next((name for name in document["scores"] if name.startswith(_EARLIER)), None)
    if earlier is not None:
        field = f"scores.{earlier}"
        raise ReceiptError(
            f"field {field}: {said('earlier-text')}",
            field=field,
            hint="re-run the benchmark under the current text: benchsite run retrieval",
        )


def rescore(receipt: Receipt, given: Given, *, deep: bool) -> Rescoring:
    """Re-score from `perQuery`, and check the relations between the metrics; `deep` adds the bootstrap."""
    del given  # every recomputed number follows from the receipt and the engine
    document = receipt.document
    if not violations.rescorable(document):
        reason = said("no-relevant-items")
        return Rescoring(Rescore.NOT_RESCORABLE, reason, violations=tuple(violations.violations(document)))
    differences, found = violations.examine(document, bootstrap=deep)
    broken = tuple(item for item in found if item.code != "score-differs")  # differences say that already
    state = Rescore.DIFFERS if differences else Rescore.MATCHES
    compared, every = _compared(document, deep=deep), _compared(document, deep=True)
    return Rescoring(state, "", compared, tuple(differences), broken, omitted=every - compared)


def _compared(document: Document, *, deep: bool) -> int:
    """How many numbers a re-score compares: scores, their counts, and both ends of every interval computed."""
    total = 0
    for table in (document, *document["byCategory"].values()):
        total += len(table["scores"]) + sum(len(counted) for counted in table["denominators"].values())
        total += 2 * sum(deep or item["method"] == "wilson" for item in table["intervals"].values())
    return total


def needs(document: Document) -> frozenset[str]:
    """No evidence is needed for the numbers. They follow from `perQuery`, which the receipt holds."""
    del document
    return frozenset()


def target(document: Document) -> Target:
    """The fixture."""
    return Target("fixture", document["fixture"]["id"], document["fixture"]["sha256"])


def summary(document: Document, methodology: Methodology | None) -> Summary:
    """What a header keeps: subject, fixture, board row and the headline number."""
    k = headline_k(methodology)
    adapter, config = document["adapter"], document.get("config", {})
    return Summary(
        subject=Subject(adapter["name"], adapter["version"], label(adapter, config)),
        target=document["fixture"]["id"],
        target_sha256=document["fixture"]["sha256"],
        row=row(adapter, config),
        identity=identity(adapter, config),
        headline=_headline(document, k),
        unranked=tuple(_unranked(document, k)),
    )


def headline_k(methodology: Methodology | None) -> int:
    """The cut-off that leaderboards rank by under a methodology."""
    scored = methodology is not None and methodology.engine in ENGINES
    return parameters(methodology).headline_k if scored and methodology is not None else HEADLINE_K


def row(adapter: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    """The board row of a subject: equal for equal name, version and configuration.

    The digests of its source and assets are excluded: a changed adapter under the same version replaces its own row, so
    that a submitter cannot keep the best of several variants on a board.
    """
    return identity(adapter, {**config, "subjectSha256": None, "assets": []})


def identity(adapter: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    """What was measured, source and all: equal for runs that measure the same thing."""
    return canonical.digest({"name": adapter["name"], "version": adapter["version"], "config": dict(config)})


def label(adapter: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    """The configuration in words: what differs from an adapter's own defaults."""
    options = dict(config.get("options", {}))
    given = options.pop("arguments", None)
    words = [*([str(given)] if given else []), *options_words(options)]
    if adapter.get("hosted"):
        words.append(said("hosted-version"))
    return ", ".join(words)


def _unranked(document: Document, k: int) -> Iterator[str]:
    """The track's own reasons not to rank it."""
    if "schemaVersion" in document and k not in document["config"]["k"]:
        yield said("cut-off-missing", k=k)


def _headline(document: Document, k: int) -> Headline:
    """nDCG@k with its interval; nDCG at the largest cut-off where k is none of them."""
    if "config" in document:
        ks = document["config"]["k"]
    else:  # schema 0.0.1 named its cut-offs in its scores only
        names = (name.removeprefix("ndcg_at_") for name in document["scores"])
        ks = [int(name) for name in names if name.isdecimal()]
    metric = f"ndcg_at_{k if k in ks or not ks else max(ks)}"
    interval = document.get("intervals", {}).get(metric) or {}
    return Headline(metric, document["scores"].get(metric), interval.get("low"), interval.get("high"))
