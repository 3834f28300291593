"""What Python finds in a receipt, as tests/js/probe.js spells what JavaScript finds."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from benchsite import canonical
from benchsite.history import Examination, Rescoring


def found(seen: Examination) -> dict[str, Any]:
    return {
        "verdict": str(seen.verdict),
        "steps": [[step.name, step.state, step.field, step.detail] for step in seen.steps],
        **judged(seen.rescoring),
        "rescore": str(seen.rescoring.rescore),
    }


def judged(rescoring: Rescoring) -> dict[str, Any]:
    return {
        "rescore": str(rescoring.rescore),
        "compared": rescoring.compared,
        "differences": [
            [item.field, _plain(item.recorded), _plain(item.computed)] for item in rescoring.differences
        ],
        "violations": [[item.code, item.field, item.message] for item in rescoring.violations],
    }


def _plain(value: Any) -> str | None:
    return None if value is None else canonical.dumps(value).decode()


def parted(expected: dict[str, Any], got: dict[str, Any]) -> list[Any]:
    """Where two findings part: the part's name and the first unequal piece of each."""
    found: list[Any] = []
    for name, ours in expected.items():
        theirs = got[name]
        if ours != theirs and isinstance(ours, list):
            pairs = zip_longest(ours, theirs)
            found.append((name, *next(pair for pair in pairs if pair[0] != pair[1])))
        elif ours != theirs:
            found.append((name, ours, theirs))
    return found
