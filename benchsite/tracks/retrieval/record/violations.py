"""Relations that hold for every retrieval run, and the re-score of a receipt.

Owns specs/retrieval.md "Invariants", for schema 1.0.0 and for the seed's 0.0.1, whose rows hold no expected ids:
there, relations between the numbers are all that can be checked. Expects a document whose schema was checked
before. Refuses nothing: a broken relation is a ``Violation``, a number that is not reproduced is a ``Difference``.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any, Final

from benchsite.history import Difference, Violation, differences, violation
from benchsite.tracks.retrieval.metrics import ABSTENTION, BOOTSTRAP, score
from benchsite.tracks.retrieval.record.sentences import MESSAGES, TERMS
from benchsite.tracks.retrieval.scores.scoring import Query
from benchsite.words import filled

_AT_K: Final = re.compile(r"(?P<measure>[a-z_]+)_at_(?P<k>[1-9][0-9]{0,3})")

# Foreign implementations round differently; ours satisfies the relations exactly.
_TOLERANCE: Final = 1e-9

_SECTIONS: Final = ("scores", "denominators")

HIT_RATE: Final = "success"
LEGACY_HIT_RATE: Final = "recall"
"""What schema 0.0.1 calls the hit rate."""

_OF_RECALL: Final = (
    ("recall", HIT_RATE, "recall-above-success"),
    ("recall_all", "recall", "full-recall-above-recall"),
)
_GROWING: Final = (
    (HIT_RATE, "success-falls"),
    ("recall", "recall-falls"),
    ("recall_all", "full-recall-falls"),
)

_broken: Final = partial(violation, MESSAGES)


def rescorable(document: Mapping[str, Any]) -> bool:
    """Whether the receipt holds what its numbers follow from: schema 0.0.1 recorded no expected ids."""
    return "denominators" in document


def rescore(document: Mapping[str, Any], *, bootstrap: bool = False) -> list[Difference]:
    """Recompute `scores`, `denominators` and `intervals`, per category too; what differs, both ways.

    Numbers are compared as the doubles they are: equal means byte-identical in the receipt.

    Args:
        document: a receipt of schema 1.0.0: the track's keys and `config`.
        bootstrap: recompute the resampled intervals as well, from `config.seed`.

    Raises:
        ValueError: the receipt is not ``rescorable``.
    """
    return _differences(document, _queries(document), bootstrap=bootstrap)


def violations(document: Mapping[str, Any]) -> list[Violation]:
    """Every broken invariant of a receipt, schema 1.0.0 or 0.0.1; the bootstrap is not recomputed."""
    return examine(document)[1] if rescorable(document) else _legacy(document)


def examine(
    document: Mapping[str, Any], *, bootstrap: bool = False
) -> tuple[list[Difference], list[Violation]]:
    """``rescore`` and ``violations`` of a ``rescorable`` receipt, at the price of one."""
    queries = _queries(document)
    differing = _differences(document, queries, bootstrap=bootstrap)
    found: list[Violation] = []
    tables = {"": document} | {f"byCategory.{name}.": table for name, table in document["byCategory"].items()}
    for prefix, table in tables.items():
        found.extend(_impossible(table["scores"], f"{prefix}scores"))
        found.extend(_intervals(table["intervals"], f"{prefix}intervals"))
    found.extend(_range_of_runs(document))
    found.extend(_rows(document, queries))
    found.extend(map(_differs, differing))
    return differing, found


def _queries(document: Mapping[str, Any]) -> list[Query]:
    if not rescorable(document):
        raise ValueError("schema 0.0.1 records no expected ids: not re-scorable")
    return [Query.from_row(row) for row in document["perQuery"]]


def _differences(
    document: Mapping[str, Any], queries: Sequence[Query], *, bootstrap: bool
) -> list[Difference]:
    config = document["config"]
    computed = score(queries, config["k"]).sections(seed=config["seed"] if bootstrap else None)
    categories = computed.pop("byCategory")
    found = list(_table_differences(document, computed, ""))
    stated = document["byCategory"]
    for name in sorted(stated.keys() | categories.keys()):
        if name in stated and name in categories:
            found.extend(_table_differences(stated[name], categories[name], f"byCategory.{name}."))
        else:
            found.append(Difference(f"byCategory.{name}", stated.get(name), categories.get(name)))
    return found


def _table_differences(
    stated: Mapping[str, Any], computed: Mapping[str, Any], prefix: str
) -> Iterator[Difference]:
    """Differences of one table; an interval that was not computed must still be stated for its metric."""
    for section in _SECTIONS:
        yield from differences(stated[section], computed[section], prefix + section)
    given, expected = stated["intervals"], computed["intervals"]
    for metric in sorted(given.keys() | computed["scores"].keys()):
        interval = given.get(metric)
        field = f"{prefix}intervals.{metric}"
        if metric in expected:
            yield from differences(interval, expected[metric], field)
        elif metric not in computed["scores"]:
            yield Difference(field, interval, None)
        elif interval is None or interval["method"] != BOOTSTRAP:
            yield Difference(field, interval, f"an interval by {BOOTSTRAP}")


def _differs(difference: Difference) -> Violation:
    return Violation(
        "score-differs",
        f"{difference.field} is {_stated(difference.recorded)} in the receipt; recomputed from its ranked lists, it is "
        f"{_stated(difference.computed)}.",
        difference.field,
    )


def _stated(value: Any) -> str:
    """Every digit: two numbers that differ may not read the same."""
    if value is None:
        return "absent"
    return "present" if isinstance(value, Mapping) else str(value)


def _impossible(scores: Mapping[str, float], field: str, *, hit_rate: str = HIT_RATE) -> Iterator[Violation]:
    """Relations that hold between the metrics whatever the system under test."""
    at: dict[str, dict[int, float]] = {}
    for name, value in scores.items():
        measure, k = _parsed(name)
        if not k and name != ABSTENTION:
            continue
        at.setdefault(measure, {})[k] = value
        if not 0 <= value <= 1:
            yield _broken(
                "out-of-range", f"{field}.{name}", metric=_label(name, hit_rate), value=_shown(value)
            )
    for measure, bound, code in (
        ("ndcg", hit_rate, "ndcg-above-success"),
        *(_OF_RECALL if hit_rate == HIT_RATE else ()),
    ):
        for k in sorted(at.get(measure, {}).keys() & at.get(bound, {}).keys()):
            value, most = at[measure][k], at[bound][k]
            if value > most + _TOLERANCE:
                name = f"{measure}_at_{k}"
                yield _broken(
                    code,
                    f"{field}.{name}",
                    metric=_label(name, hit_rate),
                    value=_shown(value),
                    bound=_label(f"{bound}_at_{k}", hit_rate),
                    most=_shown(most),
                )
    for measure, code in _GROWING if hit_rate == HIT_RATE else ((hit_rate, "success-falls"),):
        yield from _falling(at.get(measure, {}), measure, code, field, hit_rate)


def _falling(
    at: Mapping[int, float], measure: str, code: str, field: str, hit_rate: str
) -> Iterator[Violation]:
    for small, large in pairwise(sorted(at)):
        if at[small] > at[large] + _TOLERANCE:
            name = f"{measure}_at_{large}"
            yield _broken(
                code,
                f"{field}.{name}",
                before=_label(f"{measure}_at_{small}", hit_rate),
                here=_shown(at[small]),
                after=_label(name, hit_rate),
                there=_shown(at[large]),
                large=large,
                small=small,
            )


def _intervals(intervals: Mapping[str, Mapping[str, Any]], field: str) -> Iterator[Violation]:
    for name, interval in intervals.items():
        if not 0 <= interval["low"] <= interval["high"] <= 1:
            ends = {"low": _shown(interval["low"]), "high": _shown(interval["high"])}
            yield _broken("impossible-interval", f"{field}.{name}", metric=_label(name), **ends)


def _range_of_runs(document: Mapping[str, Any]) -> Iterator[Violation]:
    """Whether the lowest and the highest nDCG of repeated runs are in order; the first run is the receipt's own."""
    determinism, k = document["determinism"] or {}, document["config"]["k"][-1]
    low, high = determinism.get("ndcgLow"), determinism.get("ndcgHigh")
    value = document["scores"].get(f"ndcg_at_{k}")
    if low is None or high is None or value is None:
        return
    if not low - _TOLERANCE <= value <= high + _TOLERANCE:
        ends = {"low": _shown(low), "high": _shown(high)}
        yield _broken("runs-range", "determinism.ndcgLow", k=k, value=_shown(value), **ends)


def _rows(document: Mapping[str, Any], queries: Sequence[Query]) -> Iterator[Violation]:
    """Whether the rows of schema 1.0.0 agree with themselves, with the fixture and with the faults counted."""
    rows, depth, limit = document["perQuery"], document["config"]["k"][-1], document["config"]["limit"]
    asked = document["fixture"]["queries"] if limit is None else min(limit, document["fixture"]["queries"])
    if len(rows) != asked:
        yield _broken("query-count", "perQuery", asked=asked, count=len(rows))
    seen: set[str] = set()
    repeats = foreign = errors = 0
    for i, (row, query) in enumerate(zip(rows, queries, strict=True)):
        rank, retrieved = query.rank(depth), row["retrieved"]
        if row["rank"] != rank or row["hit"] != (rank is not None):
            said = {"stated": _outcome(row["hit"], row["rank"]), "given": _outcome(rank is not None, rank)}
            yield _broken("hit-rank", f"perQuery[{i}].rank", query=row["queryId"], **said)
        if row["queryId"] in seen:
            yield _broken("duplicate-query", f"perQuery[{i}]", query=row["queryId"])
        if query.failed or row["foreign"] or len(retrieved) > depth or len(row["expected"]) > 1:
            yield from _row(row, depth, f"perQuery[{i}]")
        seen.add(row["queryId"])
        repeats += 0 if query.failed else len(retrieved) - len(query.ranks)
        foreign += len(row["foreign"])
        errors += query.failed
    yield from _uncounted(document["faults"], repeats, foreign, errors)


def _row(row: Mapping[str, Any], depth: int, field: str) -> Iterator[Violation]:
    """What only a row with an error, foreign ids, several expected ids or too many results can break."""
    query, retrieved, foreign = row["queryId"], row["retrieved"], set(row["foreign"])
    if len(retrieved) > depth:
        yield _broken("too-deep", f"{field}.retrieved", query=query, count=len(retrieved), depth=depth)
    if row.get("error") is not None and retrieved:
        yield _broken("failed-with-results", f"{field}.retrieved", query=query)
    expected = {entry["id"] for entry in row["expected"]}
    if len(expected) < len(row["expected"]):
        yield _broken("duplicate-expected", f"{field}.expected", query=query)
    if foreign - set(retrieved) or foreign & expected or len(foreign) < len(row["foreign"]):
        yield _broken("foreign-list", f"{field}.foreign", query=query)


def _uncounted(faults: Mapping[str, int], repeats: int, foreign: int, errors: int) -> Iterator[Violation]:
    """Faults that the rows show and the counts deny; the counts may be larger, as they cover every repeat."""
    for field, counted, shown in (
        ("duplicates", faults["duplicates"], repeats),
        ("foreignIds", faults["foreignIds"], foreign),
        ("failed", faults["failed"] + faults["timedOut"], errors),
    ):
        if counted < shown:
            counts = {"shown": shown, "counted": counted}
            yield _broken("faults-uncounted", f"faults.{field}", what=TERMS[field], **counts)


def _legacy(document: Mapping[str, Any]) -> list[Violation]:
    """Schema 0.0.1: relations between the metrics, duplicates in the lists, hit and rank, the hit rate from the ranks."""
    rows = document["perQuery"]
    found = list(_impossible(document["scores"], "scores", hit_rate=LEGACY_HIT_RATE))
    repeated = [row for row in rows if len(set(row["retrieved"])) < len(row["retrieved"])]
    if repeated:
        extra = sum(len(row["retrieved"]) - len(set(row["retrieved"])) for row in repeated)
        worst = min(repeated, key=lambda row: len(set(row["retrieved"])))
        found.append(
            _broken(
                "duplicate-ids",
                "perQuery",
                repeated=len(repeated),
                queries=len(rows),
                extra=extra,
                worst=worst["queryId"],
                different=len(set(worst["retrieved"])),
                count=len(worst["retrieved"]),
            )
        )
    found.extend(
        _broken(
            "hit-rank/legacy",
            f"perQuery[{i}].rank",
            query=row["queryId"],
            stated=_outcome(row["hit"], row["rank"]),
            count=len(row["retrieved"]),
        )
        for i, row in enumerate(rows)
        if row["hit"] != (row["rank"] is not None) or (row["rank"] or 0) > len(row["retrieved"])
    )
    ranks = sorted(row["rank"] for row in rows if row["rank"] is not None)
    for name, value in document["scores"].items():
        measure, k = _parsed(name)
        hits = bisect_right(ranks, k)
        if measure == LEGACY_HIT_RATE and not _is_share(value, hits, len(rows)):
            said = {"metric": _label(name, measure), "value": _shown(value)}
            counts = {"hits": hits, "queries": len(rows), "k": k}
            found.append(_broken("score-differs/legacy", f"scores.{name}", **said, **counts))
    return found


def _is_share(value: float, hits: int, queries: int) -> bool:
    """Whether `value` is `hits` of some number of scored queries, at most `queries`.

    Queries without relevant items are excluded from the share, and 0.0.1 does not say how many there were.
    """
    least = max(hits, 1)
    if queries < least:
        return False
    # hits / n falls as n grows, so the best n is a neighbour of hits / value.
    best = min(max(hits / value, least), queries) if value > 0 else queries
    return any(abs(value - hits / scored) < _TOLERANCE for scored in (math.floor(best), math.ceil(best)))


def _outcome(hit: bool, rank: int | None) -> str:  # noqa: FBT001 - the pair a row states
    if rank is None:
        return TERMS["hit-unranked" if hit else "miss"]
    return filled(TERMS["hit" if hit else "miss-ranked"], rank=rank)


@lru_cache(maxsize=1024)
def _parsed(name: str) -> tuple[str, int]:
    """(`ndcg`, 10) for `ndcg_at_10`; the name and 0 where it has no cut."""
    parsed = _AT_K.fullmatch(name)
    return (parsed["measure"], int(parsed["k"])) if parsed else (name, 0)


def _label(name: str, hit_rate: str = HIT_RATE) -> str:
    measure, k = _parsed(name)
    spoken = {"ndcg": "nDCG", "recall_all": "full recall", "map": "MAP", "mrr": "MRR", hit_rate: "hit rate"}
    return f"{spoken.get(measure, measure.replace('_', ' '))}@{k}" if k else name.replace("_", " ")


def _shown(value: float) -> str:
    """Three decimals, unless they would hide that a number is not quite 0 or 1."""
    short = f"{value:.3f}"
    return short if float(short) not in {0.0, 1.0} else f"{value:.15g}"
