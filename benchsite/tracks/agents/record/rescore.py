"""The scores of a receipt compared with what its own columns give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from benchsite.history import Difference, differences
from benchsite.tracks.agents.record.violations import tables
from benchsite.tracks.agents.scores.scoring import BOOTSTRAP, WILSON, score

_SECTIONS: Final = ("scores", "denominators")


def score_differences(document: Mapping[str, Any], *, bootstrap: bool) -> Iterator[Difference]:
    """Recompute `scores`, `denominators` and `intervals`, per domain too; what differs, both ways.

    Args:
        document: a receipt whose schema was checked.
        bootstrap: recompute the resampled intervals as well, from `config.seed`.
    """
    seed = document["config"]["seed"] if bootstrap else None
    computed = score(document["tasks"], document["runs"]).sections(seed=seed)
    domains = computed.pop("byDomain")
    yield from _table(document, computed, "")
    yield from differences(document["timing"], computed["timing"], "timing")
    yield from differences(
        document.get("calibration") or {}, computed.get("calibration") or {}, "calibration"
    )
    yield from differences(document.get("answers") or {}, computed.get("answers") or {}, "answers")
    stated = document["byDomain"]
    for name in sorted(stated.keys() | domains.keys()):
        if name in stated and name in domains:
            yield from _table(stated[name], domains[name], f"byDomain.{name}.")
        else:
            yield Difference(f"byDomain.{name}", stated.get(name), domains.get(name))


def _table(stated: Mapping[str, Any], computed: Mapping[str, Any], prefix: str) -> Iterator[Difference]:
    """Differences of one table; an interval that was not computed must still be stated for its metric."""
    for section in _SECTIONS:
        yield from differences(stated[section], computed[section], prefix + section)
    given, expected = stated["intervals"], computed["intervals"]
    for metric in sorted(given.keys() | computed["scores"].keys()):
        interval, field = given.get(metric), f"{prefix}intervals.{metric}"
        if metric in expected:
            yield from differences(interval, expected[metric], field)
        elif metric not in computed["scores"]:
            yield Difference(field, interval, None)
        elif interval is None or interval["method"] != BOOTSTRAP:
            yield Difference(field, interval, f"an interval by {BOOTSTRAP}")


def compared(document: Mapping[str, Any], *, deep: bool) -> int:
    """How many numbers a re-score compares: scores, their counts, and both ends of every interval computed."""
    total = len(document["timing"]) + len(document.get("calibration") or ())
    total += len(document.get("answers") or ())
    for _, table in tables(document):
        total += len(table["scores"]) + sum(len(counted) for counted in table["denominators"].values())
        total += 2 * sum(deep or item["method"] == WILSON for item in table["intervals"].values())
    return total
