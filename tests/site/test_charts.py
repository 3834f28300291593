from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from benchsite.site import charts
from benchsite.site.charts import Scale, interval_plot


@pytest.mark.parametrize(
    ("values", "floor", "low", "high"),
    [
        ([0.463, 0.501, 0.31, 0.36], 0.414, 0.30, 0.55),  # span 0.191: steps of 0.05
        ([0.49, 0.51], None, 0.48, 0.52),  # span 0.02: steps of 0.02
        ([0.0, 1.0], None, 0.0, 1.0),
        ([0.995, 0.999], None, 0.98, 1.0),
        ([], None, 0.0, 1.0),
        ([0.5], None, 0.5, 0.52),
    ],
)
def test_a_scale_is_the_tightest_round_one(values: list[float], floor: float | None, low: float, high: float):
    scale = Scale.around(values, floor)
    assert (scale.low, scale.high) == (low, high)


def test_positions_run_linearly_between_the_margins():
    scale = Scale(0.2, 0.6)
    assert scale.x(0.2) == charts.MARGIN
    assert scale.x(0.6) == charts.WIDTH - charts.MARGIN
    assert scale.x(0.4) == charts.WIDTH / 2
    assert scale.x(0.1) == charts.MARGIN


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314 - our own drawing


def test_a_plot_says_in_words_what_it_draws():
    drawn = parsed(interval_plot("sqlite-fts5", 0.482, 0.463, 0.501, Scale(0.25, 0.55, 0.414)))
    assert drawn.findtext("title") == "sqlite-fts5: 0.482, 95 % interval 0.463 to 0.501"
    assert drawn.findtext("desc") == "Scale 0.25 to 0.55; dotted line at 0.414."
    # 4 + (0.482 − 0.25) ÷ 0.30 × 192 = 152.48
    assert drawn.find("circle").attrib["cx"] == "152.5"  # type: ignore[union-attr]


def test_a_point_off_the_scale_is_an_arrow_and_never_a_point_elsewhere():
    drawn = parsed(interval_plot("random", 0.008, 0.004, 0.014, Scale(0.25, 0.55)))
    assert drawn.find("circle") is None
    assert [path.attrib["class"] for path in drawn.iter("path")] == ["base", "off"]


def test_a_blank_value_draws_no_mark():
    drawn = parsed(interval_plot("x", None, None, None, Scale(0, 1)))
    assert drawn.findtext("title") == "x: no value"
    assert [path.attrib["class"] for path in drawn.iter("path")] == ["base"]


def test_names_are_escaped_and_no_style_attribute_is_written():
    svg = interval_plot('<script>"&', 0.5, 0.4, 0.6, Scale(0, 1))
    assert "<script>" not in svg
    assert not re.search(r"\sstyle=", svg)
    assert parsed(svg).findtext("title") == '<script>"&: 0.500, 95 % interval 0.400 to 0.600'
