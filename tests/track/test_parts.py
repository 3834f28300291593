"""The parts of a track by their names: in a package's folders, at its top, and of our own tracks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchsite import plugins
from benchsite.errors import TrackError
from benchsite.track import Track

REQUIRED = (
    *("payload", "engines", "verification", "provenance"),
    *("board", "receipt_page", "runner", "command"),
)
Write = Callable[[dict[str, str]], Track]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[Write]:
    """Write a package under a name of its own, and give its track."""
    package = f"folders_{abs(hash(request.node.name))}"
    monkeypatch.syspath_prepend(str(tmp_path))

    def made(files: dict[str, str]) -> Track:
        for name, text in {"__init__.py": "", **files}.items():
            path = tmp_path / package / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return Track("x", "X", package)

    yield made
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        del sys.modules[name]


def needs(word: str) -> str:
    return f"def needs(document):\n    return frozenset([{word!r}])\n"


def test_a_small_package_has_its_parts_at_the_top(write: Write) -> None:
    flat = {"verification.py": needs("top")}
    assert write(flat).needs({}) == {"top"}


def test_the_folder_goes_before_the_top(write: Write) -> None:
    files = {
        "record/__init__.py": "",
        "record/verification.py": needs("folder"),
        "verification.py": needs("top"),
    }
    assert write(files).needs({}) == {"folder"}


def test_a_folder_without_the_part_hides_nothing(write: Write) -> None:
    files = {"record/__init__.py": "", "record/tables.py": "", "verification.py": needs("top")}
    assert write(files).needs({}) == {"top"}


def test_a_folder_that_fails_names_the_track_and_the_part(write: Write) -> None:
    track = write({"record/__init__.py": "1 / 0\n", "verification.py": needs("top")})
    with pytest.raises(TrackError, match=r"track 'x' failed in folders_\d+\.verification: ZeroDivisionError"):
        track.needs({})


@pytest.mark.parametrize("name", ["agents", "retrieval", "rubric"])
def test_our_tracks_have_every_part(name: str) -> None:
    track = plugins.track(name)
    parts = {part: track.part(part) for part in REQUIRED}
    assert {part: module.__name__.rpartition(".")[2] for part, module in parts.items()} == {
        part: part for part in REQUIRED
    }
    assert all(module.__name__.startswith(f"{track.package}.") for module in parts.values())
