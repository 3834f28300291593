from __future__ import annotations

from pathlib import Path

import pytest

from benchsite.errors import BenchsiteError
from benchsite.site.render import Renderer, relative_root
from benchsite.track import Page


@pytest.fixture
def renderer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Renderer:
    """A renderer with a track of one file a template, `tried/<name>`."""
    package = tmp_path / "triedtrack"
    (package / "templates").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    for name, text in {
        "text": '<p title="{{ text }}">{{ text }}</p>',
        "link": '{{ url("log/") }} {{ url("") }}',
        "unknown": "line one\n{{ absent }}",
        "broken": "line one\n{% if %}",
    }.items():
        (package / "templates" / name).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    return Renderer({"tried": "triedtrack"}, site_url="https://bench.invalid/x/")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ('" onload="x', "&#34; onload=&#34;x"),
        ("abc\u202edcba", "abc\\u202edcba"),
        ("a\x00b\u200b", "a\\u0000b\\u200b"),
    ],
)
def test_foreign_text_is_inert_in_content_and_in_attributes(renderer: Renderer, text: str, shown: str):
    body = renderer.body(Page("a/", template="tried/text", context={"text": text}))
    assert body == f'<p title="{shown}">{shown}</p>'


@pytest.mark.parametrize(
    ("path", "links"),
    [("", "log/ ./"), ("retrieval/", "../log/ ../"), ("receipts/ab/id/", "../../../log/ ../../../")],
)
def test_links_are_relative_to_the_page(renderer: Renderer, path: str, links: str):
    assert renderer.body(Page(path, template="tried/link")) == links


def test_the_way_to_the_root_counts_folders():
    assert relative_root("") == ""
    assert relative_root("receipts/ab/id/") == "../../../"


def test_an_unknown_name_is_an_error_that_names_page_and_template(renderer: Renderer):
    with pytest.raises(BenchsiteError, match=r"page /a/: template tried/unknown.*'absent' is undefined"):
        renderer.body(Page("a/", template="tried/unknown"))


def test_a_broken_template_is_named_with_its_line(renderer: Renderer):
    with pytest.raises(BenchsiteError, match=r"page /a/: template (tried/)?broken:2"):
        renderer.body(Page("a/", template="tried/broken"))


def test_a_missing_template_is_named(renderer: Renderer):
    with pytest.raises(BenchsiteError, match="template tried/nowhere"):
        renderer.body(Page("a/", template="tried/nowhere"))
