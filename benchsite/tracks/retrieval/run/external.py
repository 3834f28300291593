"""A run made elsewhere, read from its run file or report and scored as one made here: a receipt of origin `external-run`.

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
from benchsite.tracks.retrieval.run.reports import KIND, differing, read_report
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
    """The ranked ids of each query as the dataset names them, what the run has that the dataset has not, and what its file says."""

    rankings: Mapping[str, tuple[str, ...]]
    documents_unknown: int
    queries_unknown: int
    author: str
    notes: Sequence[str] = ()


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
    """Score the file of a piece of work.

    Raises:
        InputError: the file is no run, or has no query of the dataset.
    """
    source = work.request["source"]
    read = _report if source["kind"] == KIND else _run
    answered = read(work.request["data"], source["name"], fixture)
    rows = [_row(query, answered.rankings.get(query.id, ()), fixture, ks[-1]) for query in fixture.queries]
    scores = metrics.score((scoring.Query.from_row(row) for row in rows), ks)
    stated = subject(work)
    payload = {
        "adapter": {
            **stated,
            "author": stated["author"] or answered.author,
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


def _run(data: bytes, name: str, fixture: Fixture) -> _Answered:
    run, tag = read_run(data, name)
    queries = _names(query.id for query in fixture.queries)
    found = dict[str, list[str]]()
    for query, hits in run.items():
        if (known := queries.get(query)) is None:
            continue
        if known in found:
            raise InputError(
                f"{name}: query {one_line(known, 40)} is there twice, as it is and percent-encoded",
                hint="name each query in one way",
            )
        found[known] = ranking(hits)
    if not found:
        raise InputError(
            f"{name}: none of its {amount(len(run), 'query', 'queries')} is in dataset {fixture.id}",
            hint="check --fixture; ids with blanks are percent-encoded in a run file",
        )
    items = _names(item.id for item in fixture.items)
    return _Answered(*_known(found, items), queries_unknown=len(run) - len(found), author=tag)


def _report(data: bytes, name: str, fixture: Fixture) -> _Answered:
    report = read_report(data, name)
    queries = {query.id: query for query in fixture.queries}
    found = {query: ranked for query, ranked in report.rankings.items() if query in queries}
    if not found:
        raise InputError(
            f"{name}: none of its {amount(len(report.rankings), 'case')} is in dataset {fixture.id}",
            hint="check --fixture: benchsite fixture import precisionmembench makes the dataset",
        )
    count = differing(report, {query: queries[query].relevant for query in found})
    notes = [*report.notes]
    if count:
        notes.append(f"recall in the file is not that of its rankings: {amount(count, 'case')}")
    unknown = len(report.rankings) - len(found)
    items = {item.id: item.id for item in fixture.items}
    return _Answered(*_known(found, items), queries_unknown=unknown, author=report.provider, notes=notes)


def _known(
    found: Mapping[str, Sequence[str]], items: Mapping[str, str]
) -> tuple[dict[str, tuple[str, ...]], int]:
    """Return rankings with the ids of the dataset, given by what a run calls them, and how many ids it lacks."""
    unknown = {name for ranked in found.values() for name in ranked if name not in items}
    rankings = {
        query: tuple(items.get(name) or unknown_item(name) for name in ranked)
        for query, ranked in found.items()
    }
    return rankings, len(unknown)


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
    yield from answered.notes
    if answered.queries_unknown:
        yield f"not in dataset {fixture.id}, ignored: {amount(answered.queries_unknown, 'query', 'queries')} of the run"
    if answered.documents_unknown:
        yield f"not in dataset {fixture.id}, not relevant: {amount(answered.documents_unknown, 'document')} of the run"
    missing = sum(query.id not in answered.rankings for query in fixture.queries if query.answerable)
    if missing:
        yield f"not in the run, scored 0: {amount(missing, 'answerable query', 'answerable queries')}"
