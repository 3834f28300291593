from __future__ import annotations

from typing import Any

import click
import pytest

from benchsite.errors import InputError, UsageError
from benchsite.tracks.retrieval.command import RetrievalCommand

ENTRY: dict[str, Any] = {"track": "retrieval", "adapter": "bm25", "fixture": "f"}
TWENTY = ",".join(map(str, range(1, 21)))


def ks(text: str) -> Any:
    option = next(option for option in RetrievalCommand().parameters() if option.name == "k")
    return option.type.convert(text, option, None)


def test_cut_offs_are_sorted_and_counted_once():
    assert ks("10,1,5,10") == (1, 5, 10)
    assert ks(TWENTY) == tuple(range(1, 21))
    assert RetrievalCommand().suite({**ENTRY, "k": [1, 10, 1000]}, "").request["ks"] == (1, 10, 1000)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("0", "between 1 and 1,000"),
        ("1001", "between 1 and 1,000"),
        (TWENTY + ",21", "at most 20"),
        ("a", "list"),
    ],
)
def test_cut_offs_that_no_receipt_may_have_are_refused(text: str, says: str):
    with pytest.raises(click.BadParameter, match=says):
        ks(text)


@pytest.mark.parametrize("k", [[], [0], [1001], list(range(1, 22))])
def test_a_suite_may_ask_for_no_more_than_the_command_line(k: list[int]):
    with pytest.raises(InputError, match="^k"):
        RetrievalCommand().suite({**ENTRY, "k": k}, "")


def test_a_receipt_without_settings_cannot_be_run_again():
    """Schema 0.0.1 recorded neither seed nor options."""
    with pytest.raises(UsageError, match=r"schema 0\.0\.1 does not record its seed"):
        RetrievalCommand().again({"benchVersion": "0.0.1", "perQuery": []})
