from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchsite.errors import BenchsiteError, ThemeError
from benchsite.history import Header, Rescore, Verdict
from benchsite.site.marks import Mark
from benchsite.site.render import Renderer, relative_root, site_root
from benchsite.track import Page, Track
from benchsite.tracks.retrieval.pages.board import LEADERBOARD

TRIED: Any = SimpleNamespace(package="triedtrack", title="Tried")


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
        "cells": '{{ cells(texts, ("n", "")) }}',
        "rows": '{{ rows(records, ("n", "")) }}',
        "mark": "{{ mark(found) }}{{ receipt_path(name) }}",
        "site": "{{ site_url }}log/",
        "checklist": "{{ checklist(header, document, about, here=true)[2].answer }}",
        "broken": "line one\n{% if %}",
    }.items():
        (package / "templates" / name).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "triedtrack", raising=False)  # that of the test before lies elsewhere
    return Renderer({"tried": TRIED}, site_url="https://bench.invalid/x/")


CHART = "def steps(count):\n    return f'<svg>{count}</svg>'\nCHARTS = {'steps': steps}\n"


@pytest.mark.parametrize(
    ("charts", "drawn"),
    [
        (CHART, "<svg>3</svg>"),
        ("CHARTS = {'steps': 7}\n", "TrackError: track 'drawn': CHARTS does not map names to functions"),
        ("CHARTS = {}\n", "KeyError: 'steps'"),
        ("import no_such_module\n", "track 'drawn' failed in drawntrack.charts: ModuleNotFoundError"),
    ],
    ids=["a chart", "no function", "no chart", "fails"],
)
def test_a_track_of_another_package_brings_charts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, charts: str, drawn: str
):
    package = tmp_path / "drawntrack"
    (package / "templates").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "charts.py").write_text(charts)
    (package / "templates/page").write_text('{{ chart("drawn.steps", 3) }}')
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.partition(".")[0] == "drawntrack"]:
        monkeypatch.delitem(sys.modules, name)
    made = Renderer({"drawn": Track("drawn", "Drawn", "drawntrack")})
    if drawn.startswith("<svg>"):
        assert made.body(Page("drawn/", template="drawn/page")) == drawn
        return
    with pytest.raises(ThemeError) as caught:
        made.body(Page("drawn/", template="drawn/page"))
    assert drawn in caught.value.message


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
    with pytest.raises(BenchsiteError, match="/a/: .*tried/unknown.*'absent'"):
        renderer.body(Page("a/", template="tried/unknown"))


def test_a_broken_template_is_named_with_its_line(renderer: Renderer):
    with pytest.raises(BenchsiteError, match="/a/: template (tried/)?broken:2"):
        renderer.body(Page("a/", template="tried/broken"))


def test_a_missing_template_is_named(renderer: Renderer):
    with pytest.raises(BenchsiteError, match="template tried/nowhere"):
        renderer.body(Page("a/", template="tried/nowhere"))


HOSTILE = "<b>\u202e&"
SHOWN = "&lt;b&gt;\\u202e&amp;"


def test_text_in_cells_and_rows_is_as_inert_as_anywhere(renderer: Renderer):
    body = renderer.body(Page("a/", template="tried/cells", context={"texts": (HOSTILE, "1")}))
    assert body == f'<td class="n">{SHOWN}</td><td>1</td>'
    records = [SimpleNamespace(cells=(HOSTILE, "1")), SimpleNamespace(cells=("2", "'"))]
    body = renderer.body(Page("a/", template="tried/rows", context={"records": records}))
    assert body == (
        f'<tr><td class="n">{SHOWN}</td><td>1</td></tr>\n<tr><td class="n">2</td><td>&#39;</td></tr>\n'
    )


def test_cells_and_their_classes_must_be_as_many(renderer: Renderer):
    with pytest.raises(ThemeError, match="/a/: .*tried/cells: ValueError") as caught:
        renderer.body(Page("a/", template="tried/cells", context={"texts": ("1",)}))
    assert caught.value.hint == "report it to the maintainers of triedtrack"
    records = [SimpleNamespace(cells=cells) for cells in (("1", "2", "3"), ("4",))]
    with pytest.raises(ThemeError, match="/a/: .*tried/rows: ValueError"):
        renderer.body(Page("a/", template="tried/rows", context={"records": records}))


def test_a_mark_is_glyph_word_and_tone_and_a_receipt_has_one_path(renderer: Renderer):
    context = {"found": Mark("✓", "<ok>", "good"), "name": "abc"}
    assert renderer.body(Page("a/", template="tried/mark", context=context)) == (
        '<span class="state good"><span aria-hidden="true">✓</span> &lt;ok&gt;</span>receipts/ab/abc/'
    )


@pytest.mark.parametrize(
    ("given", "root"),
    [("", ""), ("https://a.invalid", "https://a.invalid/"), ("https://a.invalid/", "https://a.invalid/")],
)
def test_a_path_can_follow_the_sites_address(given: str, root: str):
    assert site_root(given) == root


def test_templates_see_the_address_ready_for_a_path(renderer: Renderer):
    assert renderer.body(Page("a/", template="tried/site")) == "https://bench.invalid/x/log/"


DIGEST = "sha256:" + "9c" * 32


@pytest.mark.parametrize(("images", "answer"), [({"v1": DIGEST}, "pass"), ({}, "not checked")])
def test_the_checklist_knows_the_images_that_releases_announced(
    renderer: Renderer, images: dict[str, str], answer: str
):
    header = Header("a", "t", "p", "b", "s", 1, 3, Verdict.LOGGED, Rescore.MATCHES, ())
    context = {
        "header": header,
        "about": LEADERBOARD,
        "document": {"benchVersion": "1", "environment": {"containerImage": f"x@{DIGEST}"}},
    }
    told = Renderer({"tried": TRIED}, images=images)
    assert told.body(Page("a/", template="tried/checklist", context=context)) == answer
