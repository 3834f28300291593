"""Citations of receipts in Markdown, HTML and LaTeX, and what is not one."""

from __future__ import annotations

import pytest

from benchsite.errors import InputError
from benchsite.pipeline.claims.tagged import tagged

ID = "3f25b0a4-1111-4222-8333-444455556666"
PAGE = f"https://bench.example/receipts/3f/{ID}/"


def _found(text: str, kind: str) -> list[tuple[int, str, str, str]]:
    return [(one.line, one.text, one.receipt_id, one.metric) for one in tagged(text, kind)]


@pytest.mark.parametrize(
    ("text", "line", "marked", "metric"),
    [
        (f"is [0.534]({PAGE}).", 1, "0.534", ""),
        (f"is [**0.534** [0.47, 0.60]]({PAGE}#recall_at_5).", 1, "0.534 [0.47, 0.60]", "recall_at_5"),
        (f"---\ntitle: a\n---\n\nFirst\nline [0.5][r].\n\n[r]: {PAGE}", 6, "0.5", ""),
        (f"| a | b |\n|---|---|\n| x | [1,234]({PAGE}) |", 3, "1,234", ""),
        (f"[![badge](https://shields.example/{ID}/badge.json)]({PAGE})", 1, "", ""),
        (f"![badge](https://shields.example/{ID}/badge.json)", 1, "", ""),
        (f"<div>\n<a class=x href='{PAGE}'>0.<b>5</b></a></div>", 2, "0.5", ""),
        (f'text <a href="{PAGE}">0.5</a>', 1, "0.5", ""),
    ],
)
def test_citations_in_markdown(text: str, line: int, marked: str, metric: str) -> None:
    assert _found(text, ".md") == [(line, marked, ID, metric)]


@pytest.mark.parametrize(
    "text",
    [
        f"`[0.5]({PAGE})`",
        f"```\n[0.5]({PAGE})\n```",
        f"<!-- [0.5]({PAGE}) -->",
        f"[0.5](https://bench.example/{ID.replace('-4222-', '-7222-')})",
        "[0.5](https://bench.example/receipts/)",
        "[0.5](http://[broken)",
    ],
)
def test_code_comments_and_other_addresses_cite_nothing(text: str) -> None:
    assert _found(text, ".md") == []


def test_citations_in_html_skip_comments_and_pictures_inside_a_link() -> None:
    text = (
        f'<!-- <a href="{PAGE}">1</a>\n-->\n<a title="x" href="{PAGE}#map_at_10">0.5 &amp; more'
        f'<img src="{PAGE}badge.svg"></a> <img src="{PAGE}badge.svg">'
    )
    assert _found(text, ".html") == [(3, "0.5 & more", ID, "map_at_10"), (3, "", ID, "")]


def test_citations_in_latex_skip_comments_and_commands() -> None:
    text = (
        rf"% \href{{{PAGE}}}{{0.1}}"
        "\n"
        rf"Recall \href{{{PAGE}\#recall\_at\_5}}{{\textbf{{0.53}} (53.4\,\%)}} \href{{{PAGE}}}{{never closed"
    )
    assert _found(text, ".tex") == [
        (2, "0.53 (53.4 %)", ID, "recall_at_5"),
        (2, "never closed", ID, ""),
    ]
    (colored,) = _found(rf"\href{{{PAGE}}}{{\textbf{{\textcolor{{red}}{{1\,234{{,}}5}}}}}}", ".tex")
    assert colored[1] == "red 1,234,5"


def test_a_mistyped_id_in_the_address_of_a_receipt_page_is_a_citation() -> None:
    (one,) = _found("[0.5](https://bench.example/receipts/3f/3f25b0a4-1111/)", ".md")
    assert one[2] == "3f25b0a4-1111"


def test_the_context_is_the_text_before_the_link() -> None:
    (one,) = tagged(f"An nDCG@10 of [0.5]({PAGE})", ".md")
    assert one.context == "An nDCG@10 of "


def test_an_endless_paragraph_is_named_by_its_line() -> None:
    with pytest.raises(InputError, match="line 3: a paragraph of 200,"):
        list(tagged(f"a\n\n{'[' * 200_000}[1]({PAGE})", ".md"))


@pytest.mark.parametrize("kind", [".md", ".html", ".tex"])
@pytest.mark.parametrize("piece", ["[", "[a](", "<a ", "<a href=", "<!--", "\\href[", "\\href{", "{", "!["])
def test_repeated_openings_cite_nothing(piece: str, kind: str) -> None:
    """Each took hours at the size limit with a reader whose cost isn't linear."""
    assert _found(piece * 50_000, kind) == []
