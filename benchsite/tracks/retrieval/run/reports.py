"""Per-case results of PrecisionMemBench, as its harness writes them: `retrieval-report-<provider>.json`.

The ranking of a case is `relevantBeliefs`: what the system returned without the pinned facts of the case's domain, in its order, then
the participants of relations that the harness adds; cut so that pinned facts and these are at most the budget, 20 by default.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeGuard

from benchsite.errors import InputError
from benchsite.schema import PRINTABLE
from benchsite.tracks.retrieval.importers.reading import ids_of, json_document, member
from benchsite.words import amount, one_line

__all__ = ["KIND", "Report", "differing", "read_report"]

KIND: Final = "precisionmembench-results"
_TOLERANCE: Final = 1e-4
"""The harness rounds means to four decimals."""
_HINT: Final = "give a retrieval-report-*.json of its test-results, as its harness writes it"


class Report(NamedTuple):
    """A report: the ranking of each case, recall as the file states it (None where a case has none), and sentences about the file."""

    provider: str
    rankings: Mapping[str, tuple[str, ...]]
    recall: Mapping[str, float | None]
    notes: Sequence[str]


def read_report(data: bytes, name: str) -> Report:
    """Read a report.

    Args:
        data: the file's bytes.
        name: the file's name, for messages.

    Raises:
        InputError: it is no report, or a case or an id of a case occurs twice.
    """
    document = json_document(data, name)
    cases = document.get("cases") if isinstance(document, dict) else None
    if not isinstance(cases, list) or not cases:
        raise InputError(f"{name}: no list of cases", hint=_HINT)
    rankings, recall, precision = dict[str, tuple[str, ...]](), dict[str, float | None](), list[float]()
    for number, case in enumerate(cases):
        place = f"{name}: cases[{number}]"
        if not isinstance(case, dict):
            raise InputError(f"{place} is not an object", hint=_HINT)
        if "turnIndex" in case:
            raise InputError(f"{name}: a report of sessions, which are not scored", hint=_HINT)
        query = member(case, ["caseId"], place)
        if query in rankings:
            raise InputError(f"{place}: {one_line(query, 60)} occurs twice", hint="keep one result per case")
        ranked = ids_of(case.get("relevantBeliefs"), f"{place}: relevantBeliefs")
        if len(set(ranked)) < len(ranked):
            raise InputError(f"{place}: relevantBeliefs has an id twice", hint="name each belief once")
        rankings[query] = tuple(ranked)
        recall[query] = _value(case, "retrievalRecall", place)
        stated = _value(case, "retrievalPrecision", place)
        precision += [] if stated is None else [stated]
    summary = document.get("retrieval")
    means = {
        "meanPrecision": precision,
        "meanRecall": [value for value in recall.values() if value is not None],
    }
    notes = tuple(_stated(summary, means, cases)) if isinstance(summary, dict) else ()
    provider = member(document, ["provider"], name)
    if not re.fullmatch(PRINTABLE, provider):
        raise InputError(f"{name}: provider is not one line of at most 200 characters", hint="shorten it")
    return Report(provider, rankings, recall, notes)


def _value(case: Mapping[str, Any], key: str, place: str) -> float | None:
    value = case.get(key)
    if value is None:
        return None
    if not _is_number(value) or not 0 <= value <= 1:
        raise InputError(f"{place}: {key} is not a number from 0 to 1", hint=_HINT)
    return float(value)


def _stated(
    summary: Mapping[str, Any], means: Mapping[str, Sequence[float]], cases: Sequence[Any]
) -> Iterator[str]:
    """Say what the file states of all its cases, and where that isn't the mean of its cases."""
    yield (
        f"the file states: mean precision {_shown(summary.get('meanPrecision'))}, mean recall "
        f"{_shown(summary.get('meanRecall'))}, {_shown(summary.get('totalPassed'))} of {amount(len(cases), 'case')} passed"
    )
    for key, values in means.items():
        stated, found = summary.get(key), math.fsum(values) / len(values) if values else None
        if _is_number(stated) and found is not None and abs(stated - found) > _TOLERANCE:
            yield f"the file's {key} {_shown(stated)} is not the mean of its cases, {found:.4f}"


def _shown(value: object) -> str:
    return f"{value:g}" if _is_number(value) else "not stated"


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def differing(report: Report, expected: Mapping[str, Sequence[str]]) -> int:
    """Count the cases whose stated recall isn't that of their ranking.

    Args:
        report: of a harness.
        expected: the relevant items of each case that has some; other cases are not counted.
    """
    count = 0
    for query, relevant in expected.items():
        stated = report.recall.get(query)
        if query in report.rankings and relevant:
            found = len(set(report.rankings[query]) & set(relevant)) / len(relevant)
            count += stated is None or abs(stated - found) > _TOLERANCE
    return count
