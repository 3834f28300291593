"""Pages of which a track has very many: each in the frame of its folder; one that fails is excluded with a note."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from agents_record import AgentsRecord, renders

from benchsite.errors import InputError, ThemeError
from benchsite.pipeline.building.many import Many, parents
from benchsite.site.shell import Shell
from benchsite.track import Page

FOLDER = "agents/desk/tasks/"
SHELL = Shell(("<receipt>", ""), ("body",), folders={FOLDER: Shell(("<task>", "</task>"), ("body",))})


@pytest.fixture(scope="module")
def pages() -> list[Page]:
    record = AgentsRecord()
    record.run("null", "ss" + "f" * 8)
    return [page for page in record.pages().values() if page.many and page.path.startswith(FOLDER)]


def many(staging: Path, pages: list[Page], *, is_own: bool) -> Many:
    track = SimpleNamespace(name="agents", is_own=is_own)
    instance: Any = SimpleNamespace(tracks={"agents": track})
    return Many(instance, renders(), SHELL, staging, pages)


def test_each_task_has_a_page_in_the_frame_of_its_folder(tmp_path: Path, pages: list[Page]):
    notes: list[str] = []
    names = [f"{'calendar' if i < 5 else 'email'}-{i:03d}" for i in range(10)]
    assert parents(pages) == [FOLDER]
    assert list(many(tmp_path, pages, is_own=True).write(notes)) == [f"{FOLDER}{name}/" for name in names]
    for number, name in enumerate(names):
        html = (tmp_path / FOLDER / name / "index.html").read_text()
        assert html.startswith("<task>")
        assert re.search(rf"<h1\b[^>]*>Please do task {number}\.</h1>", html)
    assert notes == []


def test_a_page_of_another_package_that_fails_is_excluded_with_a_note(tmp_path: Path, pages: list[Page]):
    notes: list[str] = []
    broken = replace(pages[1], context={})
    found = list(many(tmp_path, [pages[0], broken, pages[2]], is_own=False).write(notes))
    assert found == [pages[0].path, pages[2].path]
    assert not (tmp_path / broken.path).exists()
    (note,) = notes
    assert f"page /{broken.path}" in note
    assert note.endswith("the page is excluded")


def test_a_page_of_ours_that_fails_is_a_bug(tmp_path: Path, pages: list[Page]):
    with pytest.raises(ThemeError, match="page /agents/desk/tasks/calendar-001/"):
        list(many(tmp_path, [replace(pages[1], context={})], is_own=True).write([]))


def test_prose_where_one_belongs_is_refused(tmp_path: Path, pages: list[Page]):
    taken = replace(many(tmp_path, pages, is_own=True), shell=replace(SHELL, prose={pages[3].path: "x.md"}))
    with pytest.raises(InputError, match=r"content/x\.md "):
        list(taken.write([]))
    assert not list(tmp_path.iterdir())
