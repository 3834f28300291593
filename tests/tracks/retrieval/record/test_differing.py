from __future__ import annotations

from typing import Any

import pytest

from benchsite.tracks.retrieval.record.provenance import differing


def row(name: str = "q1", **changes: Any) -> dict[str, Any]:
    return {
        "queryId": name,
        "answerable": True,
        "expected": [{"id": "a", "grade": 1}],
        "retrieved": ["a", "b", "c"],
        "latencyMs": 1.0,
        **changes,
    }


def compared(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> dict[str, str]:
    return dict(differing({"perQuery": before}, {"perQuery": after}))


def test_time_alone_is_no_difference() -> None:
    assert compared([row()], [row(latencyMs=9.0, returnedChars=3)]) == {}


@pytest.mark.parametrize(
    ("again", "said"),
    [
        ({"retrieved": ["a", "c", "b"]}, "from rank 2: b, c became c, b"),
        ({"retrieved": ["a", "b"]}, "from rank 3: c became nothing"),
        ({"retrieved": ["v", "w", "x", "y"]}, "from rank 1: a, b, c became v, w, x, …"),
        ({"retrieved": [], "error": "timeout"}, "answered became timeout"),
        ({"expected": []}, "same ranking, other relevant items"),
    ],
)
def test_a_difference_is_said_in_words(again: dict[str, Any], said: str) -> None:
    assert compared([row()], [row(**again)]) == {"q1": said}


def test_questions_only_one_run_has_are_named() -> None:
    assert compared([row("q1"), row("q2")], [row("q2"), row("q3")]) == {
        "q1": "missing from the second run",
        "q3": "missing from the first run",
    }
