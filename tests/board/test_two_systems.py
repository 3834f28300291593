"""Two systems side by side: values computed by hand."""

from __future__ import annotations

import pytest

from benchsite.board.two_systems import by_category, by_metric

ITEMS = [f"i{number}" for number in range(10)]
WINS = dict(zip(ITEMS, [1.0] * 8 + [0.0, 1.0], strict=True))
NONE = dict(zip(ITEMS, [0.0] * 9 + [1.0], strict=True))
# The first wins 8 items and loses none: p = 2 ÷ 2^8.
P = 2 / 2**8


def test_metrics_have_an_exact_test_and_are_adjusted_by_holm() -> None:
    success, same = by_metric({"success": WINS, "same": NONE}, {"success": NONE, "same": NONE})
    assert (success.name, success.n, success.first, success.second) == ("success", 10, 0.9, 0.1)
    assert success.difference == pytest.approx(0.8, rel=1e-12)
    assert (success.p, success.holm, success.is_significant) == (P, 2 * P, True)
    assert (same.p, same.holm, same.difference, same.needed) == (1.0, 1.0, 0.0, None)


def test_the_ci_and_the_detectable_difference_follow_from_the_differences() -> None:
    (line,) = by_metric({"success": WINS}, {"success": NONE})
    # Differences: eight 1 and two 0, s² = (8 × 0.04 + 2 × 0.64) ÷ 9 = 1.6 ÷ 9; t(0.975, 9) = 2.262157.
    half = 2.2621571627409915 * (1.6 / 9 / 10) ** 0.5
    assert line.low == pytest.approx(0.8 - half, rel=1e-9)
    assert line.high == pytest.approx(0.8 + half, rel=1e-9)
    # 2.801585 × s ÷ √n
    assert line.detectable == pytest.approx(2.8015852182 * (1.6 / 9 / 10) ** 0.5, rel=1e-6)


def test_only_common_items_and_common_metrics_are_compared() -> None:
    first = {"success": WINS, "other": WINS}
    (line,) = by_metric(first, {"success": {"i0": 0.0, "i8": 1.0, "elsewhere": 1.0}})
    assert (line.n, line.first, line.second) == (2, 0.5, 0.5)
    assert by_metric({"success": WINS}, {"success": {"elsewhere": 1.0}}) == ()


def test_categories_are_tested_apart_and_adjusted_together() -> None:
    categories = dict.fromkeys(ITEMS[:8], "early") | dict.fromkeys(ITEMS[8:], "late")
    early, late = by_category(WINS, NONE, categories)
    assert (early.name, early.n, early.p, early.holm) == ("early", 8, P, 2 * P)
    assert (late.name, late.n, late.difference, late.p) == ("late", 2, 0.0, 1.0)
    assert by_category(WINS, NONE, {}) == ()


def test_one_item_has_no_interval() -> None:
    (line,) = by_metric({"m": {"a": 0.25}}, {"m": {"a": 0.5}})
    assert (line.low, line.high, line.detectable, line.p) == (None, None, None, 1.0)
