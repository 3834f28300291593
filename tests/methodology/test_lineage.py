"""Changes are listed along the line of descent, and a copied version's stale values are found."""

from __future__ import annotations

from typing import Any

import pytest
from documents import version_files

from benchsite import methodology
from benchsite.methodology import Methodology
from benchsite.methodology.lineage import ancestry, descendants, predecessor
from benchsite.methodology.stale_values import StaleLine, stale_lines


def version(number: str, based_on: str | None = None, text: str = "# T\n", **parameters: Any) -> Methodology:
    members = {
        "title": "T",
        "published": "2026-01-01",
        "summary": "S",
        "receiptSchema": "1.0.0",
        "measures": [],
        "changes": [{"type": "added", "text": "x"}],
        **({"basedOn": based_on} if based_on else {}),
    }
    lines = "".join(f"{key}: {value}\n" for key, value in members.items())
    data = f"track: rubric\nversion: {number}\nparameters: {parameters or '{}'}\n{lines}"
    files = version_files(data.encode(), text.encode())
    return methodology.parse(members, files=files, where=f"rubric/{number}")


V130, V200 = version("1.3.0", "1.2.0"), version("2.0.0", "1.3.0")
V140, V210 = version("1.4.0", "1.3.0"), version("2.1.0", "1.3.0")
ALL = [V130, V140, V200, V210]


def test_a_version_descends_from_the_one_that_it_names_not_from_the_one_before_it() -> None:
    assert predecessor(V130, ALL) is None  # 1.2.0 is not here
    assert [predecessor(item, ALL) for item in (V140, V200, V210)] == [V130] * 3
    assert ancestry(V210, ALL) == [V130, V210]
    assert descendants(V130, ALL) == [V140, V200, V210]
    assert descendants(V200, ALL) == []


def test_a_circle_of_names_ends() -> None:
    one, two = version("1.0.0", "1.1.0"), version("1.1.0", "1.0.0")
    assert ancestry(one, [one, two]) == [two, one]


WORDS = (
    "Weights are 2/5 and 3/5.\n40% and 60% of it.\nSection 12/5, 140% or 2/50 aside.\nThe penalty is 10.\n10.5 is not.\n"
    "Leaderboards rank by `ndcg_at_10`.\n"
)


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ({"weight": "2/5"}, {"weight": "1/2"}, [1, 2]),
        ({"penalty": 10}, {"penalty": 4}, [4, 6]),
        ({"headlineK": 10}, {"headlineK": 5}, [4, 6]),
        ({"penalty": 10}, {"penalty": 10}, []),
        ({"sessions": 1}, {"sessions": 3}, []),
        ({"shown": True}, {"shown": False}, []),
        ({"share": 0.4}, {"share": 0.5}, [2]),
    ],
)
def test_lines_with_the_old_value_are_found(
    old: dict[str, Any], new: dict[str, Any], lines: list[int]
) -> None:
    found = list(stale_lines(version("1.0.0", None, **old), version("1.1.0", "1.0.0", WORDS, **new)))
    assert [(item.file, item.number) for item in found] == [("text.md", number) for number in lines]
    for item in found:
        assert item == StaleLine(*item[:3], "text.md", item.number, WORDS.splitlines()[item.number - 1])
