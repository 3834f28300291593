"""The part for run files of others: one metric of every judged query, as `benchsite resolution` compares systems.

A query without a relevant document is excluded. A query that a run lacks scores 0, as with `trec_eval -c`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Final

from benchsite.errors import InputError, UsageError
from benchsite.stats import MAX_RANK
from benchsite.track.parts import ScoredRuns
from benchsite.tracks.retrieval import metrics
from benchsite.tracks.retrieval.scores.scoring import MEASURES, Query
from benchsite.tracks.retrieval.trec import ranking, read_judgements, read_run
from benchsite.words import amount

__all__ = ["metric", "of_runs"]

metric: Final = "ndcg_at_10"
_ENDINGS: Final = frozenset({".run", ".txt", ".trec", ".tsv"})
_METRIC: Final = re.compile(r"([a-z_]+?)(?:_at_|@)([1-9][0-9]{0,3})")


def of_runs(
    runs: Iterable[tuple[str, bytes]],
    labels: tuple[str, bytes],
    metric: str,
) -> ScoredRuns:
    """Score run files with relevance judgements.

    Args:
        runs: name and bytes of each; the name without an ending such as `.run` is the system's.
        labels: name and bytes of the judgements.
        metric: such as `ndcg_at_10` or `ndcg@10`.

    Raises:
        InputError: a file is malformed, two runs have one name, or no query has a relevant document.
        UsageError: there is no such metric.
    """
    measure, k = _measure(metric)
    judged = read_judgements(labels[1], labels[0])
    relevant = [query for query, grades in judged.items() if max(grades.values()) >= 1]
    if not relevant:
        raise InputError(f"{labels[0]}: no query has a relevant document", hint="give grades of 1 and more")
    notes = [f"metric: {measure}_at_{k} of {_queries(len(relevant))}"]
    if len(relevant) < len(judged):
        notes.append(f"excluded, without a relevant document: {_queries(len(judged) - len(relevant))}")
    files: dict[str, str] = {}
    systems: dict[str, Mapping[str, float]] = {}
    for name, data in runs:
        system = _system(name)
        if system in files:
            raise InputError(
                f"{name}: system {system} is {files[system]} too", hint="give each run file a different name"
            )
        found, _ = read_run(data, name)
        if found.keys().isdisjoint(judged):
            raise InputError(f"{name}: no query of {labels[0]}", hint="check that both are of one collection")
        files[system] = name
        queries = (Query.from_ids(judged[query], ranking(found.get(query, ()))) for query in relevant)
        values = metrics.score(queries, (k,)).per_query(measure, k)
        systems[system] = dict(zip(relevant, values, strict=True))
        if missing := sum(query not in found for query in relevant):
            notes.append(f"{system} lacks {_queries(missing)}, scored 0")
    return ScoredRuns(systems, notes)


def _system(name: str) -> str:
    """Name a run file without its folder and a known ending: TREC's own files are called `input.SYSTEM`."""
    path = PurePosixPath(name)
    return path.stem if path.suffix.lower() in _ENDINGS else path.name


def _measure(metric: str) -> tuple[str, int]:
    """Name and cut-off of a metric."""
    found = _METRIC.fullmatch(metric)
    names = [measure.name for measure in MEASURES]
    if found is None or found[1] not in names or not 1 <= int(found[2]) <= MAX_RANK:
        raise UsageError(
            f"no metric {metric[:40]!r}",
            hint=f"available, K up to {MAX_RANK}: {', '.join(f'{name}_at_K' for name in names)}",
        )
    return found[1], int(found[2])


def _queries(number: int) -> str:
    return amount(number, "query", "queries")
