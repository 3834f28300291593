"""Scores from answers: pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchsite.stats import wilson


def score(answers: Sequence[Mapping[str, Any]], tolerance: int) -> dict[str, Any]:
    """`scores`, `denominators` and `intervals` of a receipt."""
    right = sum(abs(line["answer"] - line["a"] - line["b"]) <= tolerance for line in answers)
    low, high = wilson(right, len(answers))
    return {
        "scores": {"accuracy": right / len(answers)},
        "denominators": {"accuracy": {"num": right, "den": len(answers), "excluded": 0}},
        "intervals": {"accuracy": {"low": low, "high": high, "method": "wilson"}},
    }
