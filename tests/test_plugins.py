from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from benchsite import plugins, resources
from benchsite.errors import PrerequisiteError, TrackError, UsageError
from benchsite.pipeline import browser
from benchsite.track import Track


def test_our_own_adapters_are_registered_like_a_strangers() -> None:
    found = plugins.subjects("benchsite.retrieval.adapters")
    assert {"random", "recency", "bm25", "sqlite-fts5"} <= set(found)
    assert all(value.startswith("benchsite.tracks.retrieval.adapters.") for value in found.values())


def test_looking_a_subject_up_does_not_import_it() -> None:
    name = "benchsite.tracks.retrieval.adapters.lexical.sqlite_fts5"
    sys.modules.pop(name, None)
    assert plugins.reference("benchsite.retrieval.adapters", "sqlite-fts5").startswith(name)
    assert name not in sys.modules


def test_a_mistyped_name_is_answered_with_the_near_one() -> None:
    with pytest.raises(UsageError) as caught:
        plugins.reference("benchsite.retrieval.adapters", "sqlite-ft5")
    assert "sqlite-fts5" in caught.value.hint
    with pytest.raises(UsageError, match="track named 'retrival'"):
        plugins.track("retrival")


def test_what_travels_with_the_package_is_found() -> None:
    for name in ("content", "theme", "methodology", "fixtures", "keys"):
        assert resources.folder(name).is_dir()
    with pytest.raises(PrerequisiteError, match="installation: nothing"):
        resources.folder("nothing")


@pytest.fixture
def brought(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Track, Path]]:
    """A track of another package, and the folder of its browser modules."""
    folder = tmp_path / "brought_along"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "rescore-dice.js").write_text("export const DICE = 1;\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield Track("dice", "Dice", "brought_along", browser="rescore-dice.js"), folder
    sys.modules.pop("brought_along", None)


def test_browser_modules_are_those_of_the_tracks_name(brought: tuple[Track, Path]) -> None:
    track, folder = brought
    (folder / "shapes-dice.js").write_text("export const N = 6;\n")
    (folder / "rescore-cards.js").write_text("other\n")
    (folder / "words-dice.js").mkdir()
    assert plugins.browser_modules(track) == {
        "rescore-dice.js": "export const DICE = 1;\n",
        "shapes-dice.js": "export const N = 6;\n",
    }


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\xff\xfe", "track 'dice': rescore-dice.js cannot be read: it is not UTF-8"),
        (b" " * 1_000_001, "track 'dice': rescore-dice.js is too large: 1,000,000 bytes for all modules"),
    ],
    ids=["not UTF-8", "too large"],
)
def test_a_module_that_no_page_can_carry_is_named(brought: tuple[Track, Path], data: bytes, why: str) -> None:
    track, folder = brought
    (folder / "rescore-dice.js").write_bytes(data)
    with pytest.raises(TrackError) as caught:
        plugins.browser_modules(track)
    assert caught.value.message == why


def test_modules_are_too_large_together(brought: tuple[Track, Path]) -> None:
    track, folder = brought
    (folder / "rescore-dice.js").write_bytes(b" " * 600_000)
    (folder / "shapes-dice.js").write_bytes(b" " * 400_000)
    assert len(plugins.browser_modules(track)) == 2
    (folder / "words-dice.js").write_bytes(b" ")
    with pytest.raises(TrackError, match=r"words-dice\.js .*large"):
        plugins.browser_modules(track)


@pytest.mark.parametrize("broken", ["rescore", "none", "bytes"])
def test_a_build_goes_on_without_modules_that_do_not_fit(
    brought: tuple[Track, Path], monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    """The page is the release's, and the note names track and file."""
    track, folder = brought
    if broken == "rescore":
        (folder / "rescore-dice.js").rename(folder / "scoring-dice.js")
    elif broken == "none":
        track = replace(track, browser="gone/rescore-dice.js")
    else:
        (folder / "rescore-dice.js").write_bytes(b"\xff")
    release = browser.verifier()
    monkeypatch.setattr(plugins, "tracks", lambda: {"dice": track})
    made = browser.engine.__wrapped__()
    assert (made.page, made.tracks) == (release, ())
    [note] = made.notes
    assert note.startswith("track 'dice': rescore-dice.js ")
    assert note.endswith(": the numbers of track 'dice' are not checked in the browser")
