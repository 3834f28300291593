from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.methodology import version_key
from benchsite.methodology.status import VersionStatus, version_status
from benchsite.track import Library

VERSIONS = ["1.0.0", "1.1.0", "1.10.0", "2.0.0"]


def pins(*versions: str, track: str = "rubric") -> dict[tuple[str, str], Any]:
    return {
        (track, version): SimpleNamespace(index=place, sha256="00") for place, version in enumerate(versions)
    }


def words(logged: dict[tuple[str, str], Any]) -> list[str]:
    return [version_status("rubric", version, present=VERSIONS, pins=logged).word for version in VERSIONS]


@pytest.mark.parametrize(
    ("logged", "expected"),
    [
        ((), ["superseded", "superseded", "superseded", "current"]),
        (("1.10.0",), ["superseded", "superseded", "current", "proposed"]),
        (("1.0.0", "1.1.0"), ["superseded", "current", "proposed", "proposed"]),
        (("2.0.0",), ["superseded", "superseded", "superseded", "current"]),
        (("2.0.0", "1.0.0"), ["superseded", "superseded", "superseded", "current"]),
    ],
)
def test_the_latest_version_that_the_log_pins_is_in_force(
    logged: tuple[str, ...], expected: list[str]
) -> None:
    """By number, not by text (1.10.0 is later than 1.1.0) and not by place in the log (the last case)."""
    assert words(pins(*logged)) == expected


def test_the_pins_of_another_track_decide_nothing() -> None:
    assert words(pins("1.0.0", track="retrieval")) == words({})


def test_a_standing_names_the_version_in_force_and_the_entry_that_pins_its_own() -> None:
    logged = pins("1.0.0", "1.10.0")
    old = version_status("rubric", "1.0.0", present=VERSIONS, pins=logged)
    assert (old.current, old.pin) == ("1.10.0", logged["rubric", "1.0.0"])
    assert old.superseded
    assert not old.proposed
    assert version_status("rubric", "1.1.0", present=VERSIONS, pins=logged).pin is None
    assert version_status("rubric", "2.0.0", present=VERSIONS, pins=logged).proposed


def test_a_version_that_is_nowhere_on_disk_has_a_standing_too() -> None:
    assert version_status("rubric", "0.1.0", present=VERSIONS, pins={}) == VersionStatus(
        "superseded", "2.0.0", None
    )
    assert version_status("rubric", "1.0.0", present=(), pins={}) == VersionStatus("current", "1.0.0", None)
    assert version_status("rubric", "1.0.0", present=(), pins=pins("3.0.0")).superseded


def test_a_library_without_a_log_goes_by_what_is_on_disk() -> None:
    document = SimpleNamespace(data=SimpleNamespace(track="rubric", version="1.1.0"))
    library = Library([document], lambda _id, _sha: None)  # type: ignore[list-item]  # only its name is read
    assert library.standing("rubric", "1.0.0").superseded
    assert library.standing("rubric", "1.1.0").word == "current"


NUMBERS = st.tuples(*[st.integers(0, 12)] * 3).map(lambda parts: ".".join(map(str, parts)))


@given(st.sets(NUMBERS, min_size=1, max_size=8), st.data())
def test_one_version_is_in_force_and_numbers_order_the_rest(present: set[str], data: st.DataObject) -> None:
    logged = data.draw(st.sets(st.sampled_from(sorted(present))))
    found = {
        version: version_status("rubric", version, present=present, pins=pins(*logged)) for version in present
    }
    (current,) = (version for version, standing in found.items() if standing.word == "current")
    assert {standing.current for standing in found.values()} == {current}
    assert not logged or current in logged
    for version, standing in found.items():
        assert standing.superseded is (version_key(version) < version_key(current))
        assert standing.proposed is (version_key(version) > version_key(current))
