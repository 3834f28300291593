"""The leaderboards of a site as values: which ones there are, and tracks of other packages that fail."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from boards import begin

from benchsite.board import Boards, boards
from benchsite.errors import TrackError
from benchsite.track import Track
from benchsite.tracks.retrieval import TRACK

HEAD = "from dataclasses import replace\nfrom benchsite.board import Leaderboard\nfrom benchsite.track import Track\n"
OWN = "TRACK = Track('foreign', 'Foreign', 'foreign_track')\n"


@pytest.fixture
def foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Track]]:
    """Make a track of another package from the text of its part `board`."""

    def make(text: str) -> Track:
        package = tmp_path / "foreign_track"
        package.mkdir()
        (package / "__init__.py").write_text("")
        (package / "board.py").write_text(HEAD + OWN + text)
        monkeypatch.syspath_prepend(str(tmp_path))
        return Track("foreign", "Foreign", "foreign_track")

    yield make
    for name in [name for name in sys.modules if name.partition(".")[0] == "foreign_track"]:
        del sys.modules[name]


def made_with(other: Track) -> Boards:
    record = begin()
    record.publish("one", 0.5)
    return boards(record.history(), [other, TRACK], record.body, record.library)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("LEADERBOARD = 7\n", "is not a Leaderboard of this track"),
        (
            "LEADERBOARD = Leaderboard(Track('retrieval', 'R', 'foreign_track'), 'x')\n",
            "is not a Leaderboard of this track",
        ),
        ("", "AttributeError"),
        ("LEADERBOARD = Leaderboard(TRACK, 'x', expected=lambda library: 1 / 0)\n", "ZeroDivisionError"),
    ],
    ids=["no description", "of another track", "none", "fails"],
)
def test_a_track_of_another_package_that_fails_leaves_the_others_their_leaderboards(
    foreign: Callable[[str], Track], text: str, says: str
) -> None:
    found = made_with(foreign(text))
    assert [board.path for board in found.current] == ["retrieval/sample-notes-v1/"]
    assert list(found.failures) == ["foreign"]
    assert says in found.failures["foreign"].message


def test_a_track_whose_pages_fail_is_no_longer_quoted() -> None:
    record = begin()
    record.publish("one", 0.5)
    found = boards(record.history(), [TRACK], record.body, record.library)
    left = found.without("retrieval", TrackError("track 'retrieval' failed"))
    assert left.current == ()
    assert left.failures["retrieval"].message == "track 'retrieval' failed"
    assert len(found.current) == 1
