"""The page of a settings grid: claims as points, judged ones off the axis, and nothing of a file as markup."""

from __future__ import annotations

import re
from typing import Any

import markdown
import pytest

from benchsite.site.charts.distribution import distribution
from benchsite.site.grid_page import grid_page

CLAIM = {
    "system": "<b>Fast</b>",
    "version": "",
    "metric": "recall",
    "value": 75,
    "unit": "percent",
    "share": 0.75,
    "date": "2026-01-02",
    "source": "https://example.org/a?b=1&c=2",
    "by": "vendor",
    "note": "",
    "settings": {"k": 5},
    "disputes": [
        {"by": "other", "value": 60.3, "point": "at k = 50", "date": "", "where": "https://example.org/b"}
    ],
}
PLACED = {
    "scores": 2,
    "low": 0.5,
    "high": 0.8,
    "where": "inside",
    "needs": {},
    "methodology": None,
    "saturated": None,
}


def record(**changes: Any) -> dict[str, Any]:
    return {
        "title": "A grid",
        "benchmark": "small",
        "corrections": "https://example.org/issues",
        "axes": {"rule": ["any", "all", "ndcg"]},
        "systems": ["bm25"],
        "omitted": [],
        "spreads": [{"axis": "rule", "contexts": 1, "least": 0.04, "median": 0.1, "most": 0.13}],
        "methodology": {},
        "claims": [{**CLAIM, **PLACED}],
        "sameRun": [],
        "off": [{**CLAIM, "system": "Judge", "value": 91, "reason": "judged by a language model"}],
        "refused": [{"reason": "k = 50 is beyond the stored rankings", "count": 3, "systems": ["bm25"]}],
        "scores": [{"value": 0.5}, {"value": 0.8}],
        **changes,
    }


def test_a_page_has_each_claim_with_date_source_and_range_and_escapes_it() -> None:
    page = grid_page(record(), "In short.")
    assert "<b>Fast" not in page
    assert "&lt;b&gt;Fast" in page
    assert "0.500–0.800" in page
    assert "claim 0.750, scores 0.500–0.800" in page
    assert "CI" not in page
    assert 'href="https://example.org/a?b=1&amp;c=2"' in page
    assert "2026-01-02" in page
    assert "60.3%" in page
    assert 'href="https://example.org/issues"' in page
    assert "<td>rule</td><td>any, all</td><td>0.040</td>" in page
    assert "0.130" in page


@pytest.mark.parametrize(
    "live",
    [
        "[x](https://evil.example)",
        "![x](https://evil.example/a.png)",
        "<https://evil.example>",
        "__x__ **x** `x` \\[x]",
        "[x][y]\n\n[y]: https://evil.example",
        "x { .y } [^1]",
    ],
)
def test_no_foreign_text_is_markdown(live: str) -> None:
    claims = [{**CLAIM, **PLACED, "system": live, "note": live}]
    changes = dict.fromkeys(("title", "benchmark"), live) | {
        "claims": claims,
        "systems": [live],
        "corrections": "https://example.org/[x](https://evil.example)",
    }
    plain = changes | {"claims": [{**claims[0], "system": "x", "note": "x"}], "systems": ["x"]}
    plain |= {"title": "x", "benchmark": "x", "corrections": "https://example.org/x"}

    def tags(found: dict[str, Any], summary: str) -> list[str]:
        body = grid_page(record(**found), summary).split("---\n", 2)[2]
        html = markdown.markdown(body, extensions=["admonition", "attr_list", "tables", "toc", "footnotes"])
        return re.findall(r"<(/?\w+)", html)

    assert tags(changes, live) == tags(plain, "x")


def test_only_placed_claims_are_points_of_the_distribution() -> None:
    page = grid_page(record(), "In short.")
    chart = page[page.index("<svg") : page.index("</svg>")]
    assert chart.count("<circle") == 1
    assert "2 scores from 0.500 to 0.800, 1 published number" in chart
    assert "<title>&lt;b&gt;Fast&lt;/b&gt; 75%</title></circle>" in chart


def test_a_claim_says_which_of_its_settings_the_methodology_does_not_score_and_when_k_returns_all() -> None:
    own = {"scores": 1, "low": 0.4, "high": 0.6, "where": "above"}
    unmeasured = {"scores": 0, "low": None, "high": None, "where": "not measured"}
    claims = [
        {
            **CLAIM,
            **PLACED,
            "settings": {"questions": "1-5", "k": 5},
            "needs": {"questions": "1-5"},
            "methodology": own,
        },
        {
            **CLAIM,
            **PLACED,
            **unmeasured,
            "needs": {"k": 50},
            "methodology": unmeasured,
            "saturated": [19, 32],
        },
    ]
    page = grid_page(record(claims=claims, methodology={"k": [1, 5], "questions": ["1-4"]}), "In short.")
    assert "The methodology of this site scores k 1 or 5; questions 1-4." in page
    assert "These are the settings of 0 of 2 claims." in page
    assert "inside<br>under the methodology 0.400–0.600, above every score" in page
    assert "<strong>questions 1-5</strong>, k 5" in page
    assert "no rankings<br>k returns" in page
    assert "k returns all 19 to 32 of a scope: any order scores 1.000" in page


def test_a_page_has_what_the_rule_alone_moves_within_one_run() -> None:
    run = {
        "system": "uteke",
        "settings": {"granularity": "session", "k": 5},
        "rules": {"all": 0.716, "any": 0.84},
        "difference": 0.124,
    }
    page = grid_page(record(sameRun=[run]), "In short.")
    assert (
        "<td>uteke</td><td>granularity session, k 5</td><td>all 0.716, any 0.840</td><td>0.124</td>" in page
    )
    assert "several rules" not in grid_page(record(), "In short.")


def test_without_an_address_corrections_go_to_the_repository() -> None:
    page = grid_page(record(corrections=""), "In short.")
    assert "Report a wrong or changed claim in the repository of this record." in page


def test_points_of_one_step_are_stacked_and_bars_are_as_high_as_their_share() -> None:
    drawn = distribution("d", [0.1, 0.1, 1.0], [(0.51, ""), (0.515, "")])
    # The axis runs from 12 to 628: 0.51 is at 12 + 0.51 × 616 = 326.2, one step of 9 above the other.
    assert 'cx="326.2" cy="18"' in drawn
    assert 'cx="329.2" cy="9"' in drawn
    # The base line is at 3 × 9 + 90 = 117; the tallest bar is 90 high, the other half of it.
    assert "117V27H" in drawn
    assert "117V72H" in drawn
