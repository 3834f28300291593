from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchsite.site import prose
from benchsite.unseen import is_invisible


def test_a_document_is_cut_at_its_numbered_headings():
    found = prose.sections("Intro.\n\n## 1 Score\n\nText *R*.\n\n## 2 Rest\n\nMore.\n")
    assert [(section.anchor, str(section.title)) for section in found] == [
        ("", ""),
        ("1-score", "1 Score"),
        ("2-rest", "2 Rest"),
    ]
    assert str(found[1].body).strip() == "<p>Text <em>R</em>.</p>"
    assert found[2].source.strip() == "More."


def test_raw_html_is_shown_and_never_interpreted():
    (section,) = prose.sections("a <script>x</script>\n\n<div onclick=y>b</div>\n")
    assert "<script" not in section.body
    assert "<div" not in section.body
    assert "&lt;script&gt;" in section.body


def test_tables_scroll_and_align_without_a_style_attribute():
    (section,) = prose.sections("| a | b |\n|---|--:|\n| x | 1 |\n")
    assert section.body.startswith(
        '<div class="scroll" role="region" aria-label="Table" tabindex="0"><table>'
    )
    assert '<td align="right">1</td>' in section.body
    assert "style=" not in section.body


class Seen(HTMLParser):
    """The elements of a page with their attributes, as a browser reads them, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def seen(text: str) -> Seen:
    return Seen("".join(f"{section.title}{section.body}" for section in prose.sections(text)))


HOSTILE = [
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x]( javascript:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](&#x6A;avascript:alert(1))",
    "[x](java&Tab;script:alert(1))",
    "[x](java&NewLine;script&colon;alert(1))",
    "[x](java\\script:alert(1))",
    '[x](<javascript:alert(1)> "t")',
    "[x](<java\tscript:alert(1)>)",
    "[x](java\u200bscript:alert(1))",
    "[x](\x01javascript:alert(1))",
    "[x]: javascript:alert(1)\n\n[x]",
    "[y]: <&#74;avascript&#58;alert(1)>\n\n[x][y]",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](vbscript:msgbox(1))",
    "[x](file:///etc/passwd)",
    "[x](blob:https://a.example/1)",
    "<javascript:alert(1)>",
    "[![i](javascript:alert(1))](javascript:alert(2))",
    "## [x](javascript:alert(1)) {#x onclick=y}",
    "| a |\n|---|\n| [x](javascript:alert(1)) |",
    "<a href=javascript:alert(1)>x</a>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_links_of_other_schemes_are_words(text: str):
    found = seen(text)
    assert not any(
        name in ("href", "src") and value
        for _, held in found.elements
        for name, value in held.items()
        if (value or "")[:1] != "#"
    )
    assert not any(name.startswith("on") for _, held in found.elements for name in held)
    assert "x" in found.text or "i" in found.text


@pytest.mark.parametrize(
    "address",
    [
        "https://a.example/b?c=d:e#f",
        "HTTP://a.example/",
        "mailto:a@b.example",
        "#3-score",
        "../1.0.0/",
        "a/b:c",
        "?q=a:b",
    ],
)
def test_links_that_a_page_may_hold_stay(address: str):
    (found,) = [held for tag, held in seen(f"[words]({address})").elements if tag == "a"]
    assert found["href"] == address


def test_an_address_in_angle_brackets_stays():
    assert [
        held["href"] for tag, held in seen("<https://a.example/> <a@b.example>").elements if tag == "a"
    ] == [
        "https://a.example/",
        "mailto:a@b.example",
    ]


@pytest.mark.parametrize(
    "source",
    [
        "https://evil.example/p.png",
        "//evil.example/p",
        "\\\\\\\\evil.example/p",
        "data:image/png;base64,AAAA",
        "/&#92;evil.example/p",
        "&#47;/evil.example",
    ],
)
def test_a_foreign_image_is_its_description(source: str):
    found = seen(f"before ![a plot]({source}) after")
    assert not any(tag == "img" for tag, _ in found.elements)
    assert "before a plot after" in found.text


def test_an_image_of_the_site_stays():
    (found,) = [held for tag, held in seen("![a plot](plots/one.png)").elements if tag == "img"]
    assert found == {"src": "plots/one.png", "alt": "a plot"}


@pytest.mark.parametrize(
    "written", ["\u202e", "&#x202e;", "&#8238;", "&#X202E;", "&rlm;", "&zwj;", "&shy;", "\ufeff", "\u2066"]
)
@pytest.mark.parametrize(
    "around", ["a {} b", "`a {} b`", "[a {} b](https://a.example)", "    a {} b", "## a {} b"]
)
def test_characters_that_reorder_or_hide_are_written_out(written: str, around: str):
    found = seen(around.format(written))
    assert not any(is_invisible(character) for character in found.text if character != "\n")
    assert "\\u" in found.text


def test_line_ends_of_every_kind_end_lines():
    assert [str(section.title) for section in prose.sections("a\r\n\r\n## 1 B\r\n\r\nc\r")] == ["", "1 B"]


PIECES = st.sampled_from(
    [
        "[x](",
        "![y](",
        ")",
        "<",
        ">",
        "javascript",
        ":",
        "&#58;",
        "&colon;",
        "&Tab;",
        "data:",
        "https://a.example",
        "//",
        "\\",
        "[r]",
        "[r]: ",
        "\n",
        " ",
        "\u202e",
        "&rlm;",
        "`",
        "**",
        "|",
        "\x02",
        "\x03",
        "amp",
        "a@b.c",
        "#",
        '"t"',
        "JAVA",
        "script:",
    ]
)


@given(st.lists(PIECES, max_size=14).map("".join))
@example('![y]("t"[x]([x]()')
def test_no_text_at_all_makes_a_hostile_page(text: str):
    found = seen(text)
    for _, held in found.elements:
        for name, value in held.items():
            assert not name.startswith("on")
            if name in ("href", "src"):
                read = "".join((value or "").split())
                before, colon, _ = read.partition(":")
                scheme = before.lower() if colon and not set(before) & set("/\\?#") else ""
                assert scheme in ({"", "http", "https", "mailto"} if name == "href" else {""}), value
            if name == "src":
                assert not urlsplit((value or "").replace("\\", "/")).netloc
    assert not any(is_invisible(character) for character in found.text if character not in "\n\t")
