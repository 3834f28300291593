"""What a re-score says of the values that it compared."""

from __future__ import annotations

import pytest

from benchsite.history import Rescore, Rescoring, matching


@pytest.mark.parametrize(
    ("compared", "omitted", "said"),
    [
        (1, 0, "1 value recomputed and equal"),
        (1_234, 0, "1,234 values recomputed and equal"),
        (1, 2, "all values that a browser can recompute are equal (1); benchsite rescore recomputes all 3"),
    ],
)
def test_values_are_counted(compared: int, omitted: int, said: str) -> None:
    assert matching(Rescoring(Rescore.MATCHES, compared=compared, omitted=omitted)) == said
