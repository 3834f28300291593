"""Files of a grid that a parser of TOML would fail on or take minutes for."""

from __future__ import annotations

import pytest

from benchsite.errors import InputError
from benchsite.tracks.retrieval import grids


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = " + 2000 * "[", "nested too deeply"),
        ("a = " + 5000 * "9", "a number is too long"),
        (".".join(300 * "a") + " = 1", "line 1 has more than 200 dots"),
    ],
)
def test_a_file_that_exhausts_the_parser_is_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        grids.read(text.encode(), "g")
