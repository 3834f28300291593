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


@pytest.mark.parametrize("value", ['"61.5"', "true", "[61.5]", "2026-11-25"])
@pytest.mark.parametrize("stated", ["\nvalue = 60.3", ", value = 60.3"])
def test_a_value_that_is_no_number_is_named(stated: str, value: str) -> None:
    """Of a claim, and of an objection to one."""
    text = grids.packaged()["locomo"].decode()
    assert stated in text
    changed = text.replace(stated, stated.replace("60.3", value), 1)
    with pytest.raises(InputError, match=r"value: is not a number: write 61\.5, without quotes"):
        grids.read(changed.encode(), "g")
