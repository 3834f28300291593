"""A leaderboard as Markdown and LaTeX: what is in a cell stays in it, whatever a name holds."""

from __future__ import annotations

from dataclasses import replace

import pytest
from markdown_it import MarkdownIt
from puzzles import PUZZLES, header, pages

from benchsite.history import Header
from benchsite.markup import LONGEST, latex, markdown

HOSTILE = (
    "a|b\n| c | <img src=x onerror=alert(1)> [x](javascript:alert(1)) `code` **bold** \\ $x$ \u202e @you"
)


def called(name: str) -> Header:
    found = header("one", 40, 2)
    assert found.summary is not None
    return replace(
        found, summary=replace(found.summary, subject=replace(found.summary.subject, name=name, version="1"))
    )


def table(name: str, kind: str) -> str:
    return (
        pages(called(name), header("two", 30, 2), about=PUZZLES)[f"api/v1/puzzles/easy.{kind}"].data or b""
    ).decode()


def test_markdown_has_rank_name_value_interval_and_own_columns():
    assert table("one", "md").splitlines()[2:] == [
        "| Rank | System | Solved | 95% CI | Cost |",
        "| :-- | :-- | --: | --: | --: |",
        "| 1 | one (1) | 40.0 | &#91;38.0, 42.0&#93; | 4.00 |",
        "| 2 | two (1) | 30.0 | &#91;28.0, 32.0&#93; | 3.00 |",
    ]


def test_latex_is_a_table_with_rules():
    assert table("one", "tex").splitlines() == [
        "% \\usepackage{booktabs}",
        "\\begin{tabular}{llrrr}",
        "\\toprule",
        "Rank & System & Solved & 95\\% CI & Cost \\\\",
        "\\midrule",
        "1 & one (1) & 40.0 & [38.0, 42.0] & 4.00 \\\\",
        "2 & two (1) & 30.0 & [28.0, 32.0] & 3.00 \\\\",
        "\\bottomrule",
        "\\end{tabular}",
        "% Easy, methodology 1.0.0. Path puzzles/easy/1.0.0/",
    ]


def test_a_name_is_text_in_markdown():
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(table(HOSTILE, "md"))
    assert html.count("<tr>") == 3
    assert html.count("<td ") + html.count("<th ") == 15
    for part in ("<img", "<a ", "<code", "<em>", "\u202e"):
        assert part not in html
    assert (
        "a|b | c | &lt;img src=x onerror=alert(1)&gt; [x](javascript:alert(1)) `code` **bold** \\ $x$" in html
    )


def test_a_name_is_text_in_latex():
    line = table(HOSTILE, "tex").splitlines()[5]
    assert line.count(" & ") == 4
    assert "\\$x\\$" in line
    assert "\\textbackslash{} " in line
    assert "\u202e" not in line


@pytest.mark.parametrize("write", [latex, markdown])
def test_a_long_name_is_cut(write):
    assert write("n" * 10_000) == "n" * (LONGEST - 1) + "…"
