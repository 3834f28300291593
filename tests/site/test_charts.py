from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from benchsite.site import charts
from benchsite.site.charts import Scale, interval_plot, intervals
from benchsite.track import Metric
from benchsite.tracks.rubric import TRACK


@pytest.mark.parametrize(
    ("values", "baseline", "low", "high"),
    [
        ([0.463, 0.501, 0.31, 0.36], 0.414, 0.30, 0.55),  # span 0.191: steps of 0.05
        ([0.49, 0.51], None, 0.48, 0.52),  # span 0.02: steps of 0.02
        ([0.0, 1.0], None, 0.0, 1.0),
        ([0.995, 0.999], None, 0.98, 1.0),
        ([], None, 0.0, 1.0),
        ([0.5], None, 0.5, 0.52),
    ],
)
def test_a_scale_is_the_tightest_round_one(
    values: list[float], baseline: float | None, low: float, high: float
):
    scale = Scale.around(values, baseline)
    assert (scale.low, scale.high) == (low, high)


def test_positions_run_linearly_between_the_margins():
    scale = Scale(0.2, 0.6)
    assert scale.x(0.2) == intervals.MARGIN
    assert scale.x(0.6) == intervals.WIDTH - intervals.MARGIN
    assert scale.x(0.4) == intervals.WIDTH / 2
    assert scale.x(0.1) == intervals.MARGIN


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314 - our own drawing


def test_a_plot_says_in_words_what_it_draws():
    drawn = parsed(interval_plot("sqlite-fts5", 0.482, 0.463, 0.501, Scale(0.25, 0.55, 0.414)))
    assert drawn.findtext("title") == "sqlite-fts5: 0.482, 95% CI [0.463, 0.501]"
    assert drawn.findtext("desc") == "Scale 0.25–0.55; dashed line at 0.414."
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
    assert parsed(svg).findtext("title") == '<script>"&: 0.500, 95% CI [0.400, 0.600]'


def test_points_of_100_are_drawn_from_0_to_100_with_their_own_decimals():
    scale = Scale.around([72.0, 75.0], None, TRACK.metric("composite_score"))
    assert (scale.low, scale.high, scale.words) == (0.0, 100.0, "0–100")
    drawn = parsed(interval_plot("a", 76.125, 72.8, 79.45, scale))
    assert drawn.findtext("title") == "a: 76.12, 95% CI [72.80, 79.45]"
    # 4 + 76.125 ÷ 100 × 192 = 150.16
    assert drawn.find("circle").attrib["cx"] == "150.2"  # type: ignore[union-attr]


SPOKES = [(f"U{i}", f"U{i} <title>", float(i % 5 + 1), i % 5 + 1, i % 5 + 1) for i in range(6)]


def test_a_radar_names_every_dimension_and_places_each_on_its_axis():
    drawn = parsed(
        charts.radar('an "agent"', [("U1", "U1 Top", 5, 5, 5), *SPOKES[1:5], ("U6", "U6", 2.5, 2, 3)])
    )
    title = drawn.findtext("title") or ""
    assert title.startswith('an "agent": U1 Top 5.00, U1 <title> 2.00')
    assert title.endswith("each of 5")
    points = [(float(mark.attrib["cx"]), float(mark.attrib["cy"])) for mark in drawn.iter("circle")]
    # The middle is (150, 134), the rim 100 away: 5 of 5 straight up is (150, 34).
    assert points[0] == (150, 34)
    # 2.5 of 5 at 300°: (150 − 50 × sin 60°, 134 − 50 × cos 60°) = (106.7, 109)
    assert points[5] == (106.7, 109)


def test_a_radar_draws_the_spread_only_where_sheets_disagree():
    same = parsed(charts.radar("a", SPOKES))
    assert [path.attrib["class"] for path in same.iter("path")] == ["base", "shape"]
    spread = parsed(charts.radar("a", [*SPOKES[:5], ("U6", "U6", 2.5, 2, 3)]))
    assert [path.attrib["class"] for path in spread.iter("path")] == ["base", "shape", "span"]
    assert "spans the range of the scores" in (spread.findtext("desc") or "")


def test_bars_begin_at_0_and_mark_the_least_that_can_be_given():
    drawn = parsed(
        charts.bars("a <b>", [("D1", "D1 One", 50.0, 40.0, 60.0), ("D2", "D2", 100.0, 100, 100)], least=20)
    )
    assert drawn.findtext("title") == "a <b>: D1 One 50.00, D2 100.00, each of 100"
    shapes = [path.attrib["d"] for path in drawn.iter("path") if path.attrib["class"] == "bar"]
    # From 30 to 262: half way is 146.
    assert shapes == ["M30 9H146V21H30Z", "M30 39H262V51H30Z"]
    assert [path.attrib["d"] for path in drawn.iter("path") if path.attrib["class"] == "span"] == [
        "M122.8 15H169.2"
    ]
    assert [path.attrib["d"] for path in drawn.iter("path") if path.attrib["class"] == "ref"] == [
        "M76.4 0V60"
    ]


def test_what_would_turn_a_line_around_is_made_visible_in_every_title():
    for svg in (
        interval_plot("a\u202eb", 0.5, None, None, Scale(0, 1)),
        charts.radar("a\u202eb", SPOKES),
        charts.bars("a\u202eb", SPOKES, least=20),
    ):
        assert (parsed(svg).findtext("title") or "").startswith("a\\u202eb: ")


def test_radar_and_bars_escape_names_and_write_no_style():
    for svg in (charts.radar("<script>", SPOKES), charts.bars("<script>", SPOKES, least=20)):
        assert "<script>" not in svg
        assert not re.search(r"\sstyle=", svg)
        parsed(svg)


def test_a_share_is_drawn_on_a_scale_in_percent():
    scale = Scale.around([0.02, 0.53], 0.18, Metric("Success", percent=True))
    drawn = parsed(interval_plot("one", 0.426, 0.39, 0.463, scale))
    assert drawn.findtext("title") == "one: 42.6%, 95% CI [39.0%, 46.3%]"
    assert drawn.findtext("desc") == "Scale 0–60%; dashed line at 18.0%."


def test_an_axis_is_linear_and_holds_values_outside_at_its_ends():
    axis = charts.svg.Axis(10, 20, 100, 0)
    assert [axis.at(value) for value in (10, 12.5, 20, 5, 30)] == [100, 75, 0, 100, 0]
    assert axis.steps(4) == [100, 75, 50, 25, 0]
    assert charts.svg.ticks(axis.steps(2), 7, 8) == "M100 7v8M50 7v8M0 7v8"
    assert (
        axis.numbers([10, 15], 9)
        == '<text x="100" y="9" text-anchor="middle">10</text><text x="50" y="9" text-anchor="middle">15</text>'
    )


def test_every_text_of_a_drawing_is_escaped_and_visible():
    made = charts.svg.drawing("plot", (10, 5), "<a>\u202eb", "c & d", [charts.svg.label(1, 2, "<e>\u200b")])
    root = parsed(made)
    assert (root.get("viewBox"), root.get("role"), root.get("class")) == ("0 0 10 5", "img", "plot")
    assert [child.text for child in root] == ["<a>\\u202eb", "c & d", "<e>\\u200b"]
