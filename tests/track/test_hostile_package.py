"""A track's package of others may raise anything, end the process, or name any path: it is named, and the rest goes on."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchsite import plugins
from benchsite.errors import TrackError
from benchsite.track import Page, Track
from benchsite.track.page_path import misplaced


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Track]]:
    """A track whose part `verification` is this text."""

    def made(text: str) -> Track:
        folder = tmp_path / "hostile_track"
        folder.mkdir()
        (folder / "__init__.py").write_text("")
        (folder / "verification.py").write_text(text)
        return Track("hostile", "Hostile", "hostile_track")

    plugins.tracks()  # which protects every process that loads tracks
    monkeypatch.syspath_prepend(str(tmp_path))
    yield made
    for name in [name for name in sys.modules if name.partition(".")[0] == "hostile_track"]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("class X(BaseException): pass\ndef needs(*given): raise X('boom')\n", "X: boom"),
        ("def needs(*given): raise GeneratorExit\n", "RuntimeError: GeneratorExit"),
        ("def needs(*given): raise SystemExit(0)\n", "SystemExit: 0"),
        ("import os\ndef needs(*given): os._exit(0)\n", "SystemExit: os._exit(0)"),
        ("class E(Exception):\n    def __str__(self): raise ValueError\ndef needs(*given): raise E\n", "E without a text"),
        ("class X(BaseException): pass\nraise X('at import')\n", "X: at import"),
        ("import os\nos._exit(0)\n", "SystemExit: os._exit(0)"),
    ],
)  # fmt: skip
def test_whatever_is_raised_is_an_error_of_the_track(package: Callable[[str], Track], body: str, said: str):
    before = os._exit
    with pytest.raises(TrackError) as caught:
        package(body).needs({})
    assert said in caught.value.message
    assert os._exit is before


def test_an_interrupt_is_the_persons(package: Callable[[str], Track]):
    with pytest.raises(KeyboardInterrupt):
        package("def needs(*given): raise KeyboardInterrupt\n").needs({})


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("sums/a\0b", "is not a path"),
        ("sums/\ud800", "is not a path"),
        ("sums/\u202ea", "is not a path"),
        ("sums//x", "is not a path"),
        ("sums/./x", "is not a path"),
        ("sums/a\\b", "is not a path"),
        ("sums/" + "a" * 300 + "/x.json", "is too long for a path"),
        ("sums/" + "é" * 101, "is too long for a path"),
        ("sums/" + "a/" * 600, "is too long for a path"),
        ("sums/../x", "is not below /sums/"),
        ("other/x", "is not below /sums/"),
    ],
)
def test_a_path_that_no_site_can_have_is_refused(path: str, why: str):
    with pytest.raises(TrackError) as caught:
        list(Track("sums", "Sums", "sums_track").own_pages([Page(path, data=b"x")]))
    assert caught.value.message.endswith(why)
    caught.value.message.encode("utf-8")


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ("sums/a", "sums/a/b", "is a file and a folder"),
        ("sums/a/b", "sums/a", "is a file and a folder"),
        ("sums/a", "sums/a/", "is a file and a folder"),
        ("sums/x/", "sums/x/index.html", "is made twice"),
        ("sums/x/", "sums/x/", "is made twice"),
        ("sums/x/", "sums/x/y/", ""),
        ("sums/", "api/v1/sums/a.json", ""),
    ],
)
def test_two_paths_that_no_folder_can_hold_are_refused(first: str, second: str, why: str):
    files, folders = set[str](), set[str]()
    assert misplaced(first, "sums", files, folders) == ""
    assert misplaced(second, "sums", files, folders) == why
