"""A run made elsewhere, read from its run file and scored as one made here: a receipt of origin `external-run`.

What only a run made here can know is null: times, the machine, the program. A query of the dataset that the run does not answer
has no results, so that it scores 0; on a query without an answer in the dataset, this counts as abstention.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from benchsite.errors import InputError
from benchsite.track import Measurement, Work
from benchsite.tracks.retrieval import metrics
from benchsite.tracks.retrieval.fixture import Fixture, Query
from benchsite.tracks.retrieval.record.payload import unknown_item
from benchsite.tracks.retrieval.scores import scoring
from benchsite.tracks.retrieval.trec import encoded, ranking, read_run
from benchsite.words import amount, one_line

__all__ = ["configuration", "measured", "subject"]

_UNTIMED: Final[Mapping[str, Any]] = {
    **{f"latency_{what}_ms": None for what in ("p50", "p95", "p99", "min", "max")},
    "percentileMethod": "nearest-rank",
    "n": 0,
    "first_query_ms": None,
    "ingest_throughput_items_per_sec": None,
    "ingestedBytes": None,
    "peakRssBytes": None,
    "noopRpcMs": None,
    "flags": [],
}


class _Answered(NamedTuple):
    """The ranked ids of each query as the dataset names them, and what the run has that the dataset has not."""

    rankings: Mapping[str, tuple[str, ...]]
    queries_unknown: int
    documents_unknown: int
    tag: str


def subject(work: Work) -> dict[str, Any]:
    """Return name, version and author of the system, as the person who imports its run states them."""
    return dict(work.request["system"])


def configuration(work: Work, fixture: Fixture, ks: Sequence[int]) -> dict[str, Any]:
    """Return the receipt's `config`."""
    return {
        "k": list(ks),
        "seed": work.request["seed"],
        "limit": None,
        "repeats": 1,
        "isolation": None,
        "timeoutSeconds": None,
        "threads": None,
        "subjectSha256": None,
        "assets": [],
        "options": work.request["options"],
        "importer": fixture.importer.model_dump(by_alias=True) if fixture.importer is not None else None,
        "source": work.request["source"],
    }


def measured(work: Work, fixture: Fixture, ks: Sequence[int]) -> Measurement:
    """Score the run file of a piece of work.

    Raises:
        InputError: the file is no run, or has no query of the dataset.
    """
    answered = _answered(work.request["data"], work.request["source"]["name"], fixture)
    rows = [_row(query, answered.rankings.get(query.id, ()), fixture, ks[-1]) for query in fixture.queries]
    scores = metrics.score((scoring.Query.from_row(row) for row in rows), ks)
    stated = subject(work)
    payload = {
        "adapter": {
            **stated,
            "author": stated["author"] or answered.tag,
            "hosted": False,
            "network": None,
            "networkAccess": None,
        },
        "fixture": fixture.stated,
        **scores.sections(seed=work.request["seed"]),
        "timing": dict(_UNTIMED),
        "perQuery": rows,
        "determinism": None,
        "faults": {
            "duplicates": 0,
            "foreignIds": sum(len(row["foreign"]) for row in rows),
            "badScores": 0,
            "overK": 0,
            "failed": 0,
            "timedOut": 0,
        },
    }
    config = configuration(work, fixture, ks)
    return Measurement(config, payload, tuple(_notes(answered, fixture)), origin="external-run")


def _answered(data: bytes, name: str, fixture: Fixture) -> _Answered:
    run, tag = read_run(data, name)
    queries = _names(query.id for query in fixture.queries)
    items = _names(item.id for item in fixture.items)
    rankings, unknown = dict[str, tuple[str, ...]](), set[str]()
    for query, hits in run.items():
        if query in queries:
            if queries[query] in rankings:
                raise InputError(
                    f"{name}: query {one_line(queries[query], 40)} is there twice, as it is and percent-encoded",
                    hint="name each query in one way",
                )
            ranked = ranking(hits)
            unknown |= {document for document in ranked if document not in items}
            rankings[queries[query]] = tuple(items.get(one) or unknown_item(one) for one in ranked)
    if not rankings:
        raise InputError(
            f"{name}: none of its {amount(len(run), 'query', 'queries')} is in dataset {fixture.id}",
            hint="check --fixture; ids with blanks are percent-encoded in a run file",
        )
    return _Answered(rankings, len(run) - len(rankings), len(unknown), tag)


def _names(ids: Iterable[str]) -> dict[str, str]:
    """Ids by what a run may call them: as they are or, as `export` writes them, percent-encoded; the latter wins."""
    known = list(ids)
    return {name: name for name in known} | {encoded(name): name for name in known}


def _row(query: Query, ranked: Sequence[str], fixture: Fixture, depth: int) -> dict[str, Any]:
    """One entry of `perQuery`."""
    retrieved = list(ranked[:depth])
    scope = fixture.ids_by_scope[query.scope]
    row: dict[str, Any] = {
        "queryId": query.id,
        "scope": query.scope,
        "answerable": query.answerable,
        "expected": [{"id": entry.id, "grade": entry.grade} for entry in query.expected],
        "retrieved": retrieved,
        "foreign": [name for name in retrieved if name not in scope],
        "latencyMs": None,
    }
    row |= {
        key: value
        for key, value in (("category", query.category), ("split", query.split))
        if value is not None
    }
    rank = scoring.Query.from_row(row).rank(depth)
    return {**row, "hit": rank is not None, "rank": rank}


def _notes(answered: _Answered, fixture: Fixture) -> Iterator[str]:
    if answered.queries_unknown:
        yield f"not in dataset {fixture.id}, ignored: {amount(answered.queries_unknown, 'query', 'queries')} of the run"
    if answered.documents_unknown:
        yield f"not in dataset {fixture.id}, not relevant: {amount(answered.documents_unknown, 'document')} of the run"
    missing = sum(query.id not in answered.rankings for query in fixture.queries if query.answerable)
    if missing:
        yield f"not in the run, scored 0: {amount(missing, 'answerable query', 'answerable queries')}"
