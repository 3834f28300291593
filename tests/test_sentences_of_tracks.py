"""Python and JavaScript say each message of a track, and neither has one of its own."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

_QUOTED = re.compile(r'"([A-Za-z/-]+)"')


def quoted(*files: Path) -> set[str]:
    return {word for file in files for word in _QUOTED.findall(file.read_text(encoding="utf-8"))}


@pytest.mark.parametrize(
    ("track", "python", "javascript"),
    [
        ("agents", ("violations.py",), ("agents-violations.js",)),
        ("retrieval", ("violations.py",), ("retrieval-invariants.js",)),
        ("rubric", ("violations.py", "consistency.py"), ("rubric-demands.js", "rubric-consistency.js")),
    ],
)
def test_every_message_of_a_track_is_said_in_both_languages(
    root: Path, track: str, python: tuple[str, ...], javascript: tuple[str, ...]
) -> None:
    sentences = import_module(f"benchsite.tracks.{track}.sentences")
    folder = root / "benchsite/tracks" / track
    for said in (
        quoted(*(folder / name for name in python)),
        quoted(*(root / "theme/verify" / name for name in javascript)),
    ):
        assert sentences.MESSAGES.keys() - said == set()
