"""The part for corrections: stored rankings scored by a corrected dataset or under another methodology version.

Follows specs/retrieval.md, "Metrics", last paragraph. A ranking depends on items and query texts only, so corrected labels
need no new run. Refuses what a stored ranking cannot answer: other items, other query texts, a query that was not asked, and
a cut-off beyond its depth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from benchsite.errors import InputError
from benchsite.methodology import Methodology
from benchsite.receipt import Document
from benchsite.track import Measurement
from benchsite.track.parts import Corrected, Moved
from benchsite.tracks.retrieval import metrics
from benchsite.tracks.retrieval.fixture import Fixture, Query, parse
from benchsite.tracks.retrieval.record.verification import headline_k
from benchsite.tracks.retrieval.record.violations import rescorable
from benchsite.tracks.retrieval.scores import scoring
from benchsite.tracks.retrieval.scores.engines import ENGINES, parameters
from benchsite.words import amount, quoted

__all__ = ["require_same_evidence", "rescored"]

_RERUN: Final = "re-run the system: benchsite run retrieval"
_SAME: Final = ("adapter", "timing", "environment", "ranAt", "ranBy", "origin", "simulated")
_ABSENT: Final = {"origin": "native"}
_SCORED: Final = frozenset({"hit", "rank"})
_LABELS: Final = frozenset({"answerable", "expected", "category", "split"})


def rescored(
    document: Document, data: tuple[bytes, bytes] | None, rules: Methodology, earlier: Methodology | None
) -> Corrected:
    """Score the rankings of a receipt by other labels, or under another methodology version.

    Args:
        document: a receipt or draft whose schema has been checked.
        data: the dataset that it was run on, and the corrected one; None to keep its labels.
        rules: the version to score under.
        earlier: the version that it was scored under, if it is here.

    Raises:
        InputError: its rankings cannot answer what is asked; the message names the reason.
    """
    name = f"receipt {document['receiptId']}"
    if not rescorable(document):
        raise InputError(f"{name} records no relevance labels", hint=_RERUN)
    ks = _cutoffs(document, rules, earlier, name)
    rows, fixture = [dict(row) for row in document["perQuery"]], None
    if data is not None:
        before, fixture = (parse(one, where=where) for one, where in zip(data, _WHERE, strict=True))
        rows = _relabeled(document, before, fixture, name)
    rows = [_row(row, ks[-1]) for row in rows]
    config = {**document["config"], "k": list(ks)}
    if fixture is not None:
        config["importer"] = fixture.importer.model_dump(by_alias=True) if fixture.importer else None
    scores = metrics.score((scoring.Query.from_row(row) for row in rows), ks)
    payload = {
        "adapter": document["adapter"],
        "fixture": fixture.stated if fixture is not None else document["fixture"],
        **scores.sections(seed=config["seed"]),
        "timing": document["timing"],
        "perQuery": rows,
        "determinism": _determinism(document["determinism"], rows),
        "faults": _faults(document["faults"], rows),
    }
    measured = Measurement(
        config, payload, simulated=document["simulated"], origin=document.get("origin", "native")
    )
    return _compared(document, measured, headline_k(earlier), headline_k(rules))


_WHERE: Final = ("the dataset of the receipt", "the corrected dataset")


def require_same_evidence(original: Document, derived: Document) -> None:
    """Refuse a derived receipt whose rankings, system or run are not those of the original.

    A query may be missing only under another dataset; that this one lacks it, `hold_against` checks.

    Raises:
        InputError: the first difference.
    """
    for what in _differing(original, derived):
        raise InputError(f"{what} differs from that of {original['receiptId']}", hint=_RERUN)


def _differing(original: Document, derived: Document) -> Iterator[str]:
    """What is not as `rescored` derives it."""
    for member in _SAME:
        if original.get(member, _ABSENT.get(member)) != derived.get(member, _ABSENT.get(member)):
            yield member
    relabeled = original["fixture"]["sha256"] != derived["fixture"]["sha256"]
    changed = {"k", "importer"} if relabeled else {"k"}
    before, after = original["config"], derived["config"]
    for name in sorted({*before, *after} - changed):
        if before.get(name) != after.get(name):
            yield f"config.{name}"
    asked, rows = {row["queryId"]: row for row in original["perQuery"]}, derived["perQuery"]
    depth, derivable = max(after["k"]), _SCORED | (_LABELS if relabeled else frozenset())
    for row in rows:
        known = asked.pop(row["queryId"], None)
        if known is None or _without(_row(known, depth), derivable) != _without(row, derivable):
            yield f"the ranking of query {row['queryId']}"
    if asked and not relabeled:
        yield f"the ranking of query {next(iter(asked))}"
    if derived.get("determinism") != _determinism(original.get("determinism"), rows):
        yield "determinism"
    if derived.get("faults") != _faults(original.get("faults", {}), rows):
        yield "faults"


def _without(row: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


def _cutoffs(
    document: Document, rules: Methodology, earlier: Methodology | None, name: str
) -> tuple[int, ...]:
    """The receipt's own cut-offs, or the new version's if the receipt has the defaults of its version."""
    own, depth = tuple(document["config"]["k"]), max(document["config"]["k"])
    if rules.engine not in ENGINES:
        raise InputError(
            f"methodology {rules.data.track} {rules.data.version} has no scoring engine",
            hint="name a version that re-scores: benchsite methodology list",
        )
    wanted = parameters(rules)
    defaults = parameters(earlier).ks if earlier is not None and earlier.engine in ENGINES else ()
    ks = tuple(sorted({*wanted.ks} if own == tuple(defaults) else {*own, wanted.headline_k}))
    beyond = [k for k in ks if k > depth]
    if beyond:
        raise InputError(
            f"{name}: k = {beyond[0]} of methodology {rules.data.version} is beyond its stored rankings (depth {depth})",
            hint=f"re-run the system with --k up to {ks[-1]}",
        )
    return ks


def _relabeled(document: Document, before: Fixture, after: Fixture, name: str) -> list[dict[str, Any]]:
    """The rows of the corrected dataset's queries, each with its stored ranking."""
    if before.sha256 != document["fixture"]["sha256"]:
        raise InputError(
            f"{name}: dataset {before.id} here is not the one that it was run on",
            hint="import or restore the dataset as it was",
        )
    _require_same_items(before, after, name)
    texts = {query.id: query for query in before.queries}
    stored = {row["queryId"]: row for row in document["perQuery"]}
    limit, rows = document["config"]["limit"], []
    for query in after.queries[:limit]:
        known = texts.get(query.id)
        if query.id not in stored or known is None:
            raise InputError(f"{name}: query {query.id} of {after.id} has no stored ranking", hint=_RERUN)
        if (known.query, known.scope, known.when) != (query.query, query.scope, query.when):
            raise InputError(
                f"{name}: query {query.id} of {after.id} has another text: {quoted(query.query, 60)}",
                hint=f"{_RERUN}; only labels may change",
            )
        rows.append(_labeled(stored[query.id], query))
    return rows


def _require_same_items(before: Fixture, after: Fixture, name: str) -> None:
    """Refuse other items: a ranking of other items answers nothing."""
    old, new = ({item.id: item for item in one.items} for one in (before, after))
    differing = [key for key in {**old, **new} if old.get(key) != new.get(key)]
    if differing:
        raise InputError(
            f"{name}: {amount(len(differing), 'item')} of {after.id} differ from {before.id}, "
            f"the first is {differing[0]}",
            hint=f"{_RERUN}; only labels may change",
        )


def _labeled(row: Mapping[str, Any], query: Query) -> dict[str, Any]:
    """A stored row with the labels of the corrected dataset."""
    kept = {key: value for key, value in row.items() if key not in ("category", "split")}
    stated = {"category": query.category, "split": query.split}
    return {
        **kept,
        "answerable": query.answerable,
        "expected": [{"id": entry.id, "grade": entry.grade} for entry in query.expected],
        **{key: value for key, value in stated.items() if value is not None},
    }


def _row(row: dict[str, Any], depth: int) -> dict[str, Any]:
    """A row cut to the depth, with the hit, rank and foreign ids that follow."""
    retrieved = row["retrieved"][:depth]
    kept = set(retrieved)
    row = {**row, "retrieved": retrieved, "foreign": [name for name in row["foreign"] if name in kept]}
    rank = scoring.Query.from_row(row).rank(depth)
    return {**row, "hit": rank is not None, "rank": rank}


def _determinism(found: Mapping[str, Any] | None, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Which queries differed in repeated runs; the range of nDCG is of the old labels, and not kept."""
    if found is None:
        return None
    names = {row["queryId"] for row in rows}
    differing = [name for name in found["differing"] if name in names]
    return {"runs": found["runs"], "identical": not differing, "differing": differing}


def _faults(found: Mapping[str, int], rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """The faults that rows show, counted in these rows; the other two are the run's."""
    errors = Counter(row.get("error") for row in rows)
    return {
        **found,
        "duplicates": sum(len(row["retrieved"]) - len(set(row["retrieved"])) for row in rows),
        "foreignIds": sum(len(row["foreign"]) for row in rows),
        "timedOut": errors["timeout"],
        "failed": errors.total() - errors["timeout"] - errors[None],
    }


def _compared(document: Document, measured: Measurement, old_k: int, new_k: int) -> Corrected:
    """Which queries moved, and why."""
    config = document["config"]["k"], measured.config["k"]
    cuts = [k if k in ks else max(ks) for k, ks in zip((old_k, new_k), config, strict=True)]
    rows = document["perQuery"], measured.payload["perQuery"]
    before, after = (_values(some, ks, k) for some, ks, k in zip(rows, config, cuts, strict=True))
    labels = [{row["queryId"]: _labels(row) for row in some} for some in rows]
    changed = {name for name, found in labels[0].items() if labels[1].get(name) != found}
    moved = tuple(
        Moved(name, before.get(name), after.get(name), _why(labels, name, cuts))
        for name in labels[0]
        if before.get(name) != after.get(name)
    )
    names = [f"ndcg_at_{k}" for k in cuts]
    scores = document["scores"].get(names[0]), measured.payload["scores"].get(names[1])
    return Corrected(measured, (names[0], names[1]), (scores[0], scores[1]), moved, len(changed))


def _values(rows: Sequence[Mapping[str, Any]], ks: Sequence[int], k: int) -> dict[str, float]:
    """Return nDCG of each scored query."""
    asked = [(row["queryId"], scoring.Query.from_row(row)) for row in rows]
    scored = metrics.score((query for _, query in asked), ks)
    names = [name for name, query in asked if query.answerable and query.ideal]
    return dict(zip(names, scored.per_query("ndcg", k), strict=True))


def _labels(row: Mapping[str, Any]) -> tuple[bool, frozenset[tuple[str, int]]]:
    return row["answerable"], frozenset((entry["id"], entry["grade"]) for entry in row["expected"])


def _why(labels: Sequence[Mapping[str, Any]], name: str, cuts: Sequence[int]) -> str:
    return ", ".join(_reasons(labels, name, cuts))


def _reasons(labels: Sequence[Mapping[str, Any]], name: str, cuts: Sequence[int]) -> Iterator[str]:
    """Why the number of a query changed."""
    before, after = labels[0][name], labels[1].get(name)
    if after is None:
        yield "query dropped"
    elif before[0] != after[0]:
        yield "now answerable" if after[0] else "now unanswerable"
    elif before[1] != after[1]:
        yield "labels changed"
        if not any(grade >= 1 for _, grade in after[1]):
            yield "no relevant item left"
    if cuts[0] != cuts[1]:
        yield f"rule changed: k = {cuts[0]} became {cuts[1]}"
