"""The shipped tasks of table-ops: each expected answer from the rows, by plain Python."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, Final

import packaged_benchmarks
import pytest

NAME: Final = "table-ops"
RAW: Final = packaged_benchmarks.raw(NAME)


def rows(table: str) -> list[dict[str, Any]]:
    held = RAW["data"]["tables"][table]
    return [dict(zip(held["columns"], row, strict=True)) for row in held["rows"]]


BOATS: Final = rows("boats")
TRIPS: Final = rows("trips")
HARBOR: Final = {boat["boat"]: boat["harbor"] for boat in BOATS}
BUILT: Final = {boat["boat"]: boat["built"] for boat in BOATS}
MONTHS: Final = {"April": "04", "May": "05", "June": "06", "July": "07", "August": "08"}
IDLE: Final = sorted(set(HARBOR) - {trip["boat"] for trip in TRIPS})


def total(column: str, entries: Iterable[dict[str, Any]]) -> int:
    return sum(entry[column] for entry in entries)


def trips(**wanted: str) -> list[dict[str, Any]]:
    """Trips of a boat, of the boats of a harbor, in a month of 2031."""
    found = TRIPS
    if "boat" in wanted:
        found = [trip for trip in found if trip["boat"] == wanted["boat"]]
    if "harbor" in wanted:
        found = [trip for trip in found if HARBOR[trip["boat"]] == wanted["harbor"]]
    if "month" in wanted:
        found = [trip for trip in found if trip["day"].split("-")[:2] == ["2031", MONTHS[wanted["month"]]]]
    return found


def alone(ranked: list[Any], place: int, key: Callable[[Any], Any]) -> Any:
    """The entry at a place of a ranking that no neighbor shares."""
    near = ranked[max(0, place - 1) : place] + ranked[place + 1 : place + 2]
    assert all(key(other) != key(ranked[place]) for other in near)
    return ranked[place]


def by_guests(month: str) -> list[tuple[str, int]]:
    sums: dict[str, int] = defaultdict(int)
    for trip in trips(month=month):
        sums[trip["boat"]] += trip["guests"]
    return sorted(sums.items(), key=lambda entry: -entry[1])


def busiest(k: int) -> str:
    counts = {boat: len(trips(boat=boat)) for boat in HARBOR}
    return ", ".join(sorted(counts, key=lambda boat: (-counts[boat], boat))[:k])


def share(harbor: str) -> int:
    exact = Fraction(100 * len(trips(harbor=harbor)), len(TRIPS))
    assert exact % 1 != Fraction(1, 2), "rounding would be a matter of taste"
    return round(exact)


def in_harbor(harbor: str) -> list[dict[str, Any]]:
    return [boat for boat in BOATS if boat["harbor"] == harbor]


ORACLE: Final[dict[str, Callable[[dict[str, Any]], object]]] = {
    "guests-of-boat": lambda p: total("guests", trips(**p)),
    "fees-of-boat": lambda p: total("fee", trips(**p)),
    "seats-of-harbor": lambda p: total("seats", in_harbor(p["harbor"])),
    "largest-fee": lambda p: max(trip["fee"] for trip in trips(**p)),
    "guests-in-month": lambda p: total("guests", trips(**p)),
    "boat-in-month": lambda p: total("fee", trips(**p)),
    "fees-between": lambda p: total("fee", (t for t in TRIPS if p["start"] <= t["day"] <= p["end"])),
    "oldest-boat": lambda p: alone(
        sorted(in_harbor(p["harbor"]), key=lambda b: b["built"]), 0, lambda b: b["built"]
    )["boat"],
    "fullest-trip": lambda p: alone(sorted(trips(**p), key=lambda t: -t["guests"]), 0, lambda t: t["guests"])[
        "trip"
    ],
    "fee-range": lambda p: max(t["fee"] for t in trips(**p)) - min(t["fee"] for t in trips(**p)),
    "cheap-and-full": lambda p: total(
        "guests", (t for t in TRIPS if t["fee"] < p["fee"] and t["guests"] >= p["guests"])
    ),
    "fees-of-harbor": lambda p: total("fee", trips(**p)),
    "guests-on-older": lambda p: total("guests", (t for t in TRIPS if BUILT[t["boat"]] < p["year"])),
    "most-trips": lambda p: busiest(p["k"]),
    "second-boat": lambda p: alone(by_guests(p["month"]), 1, lambda entry: entry[1])[0],
    "share-of-trips": lambda p: share(p["harbor"]),
    "never-out": lambda _: ", ".join(IDLE),
    "idle-seats": lambda p: total("seats", (b for b in in_harbor(p["harbor"]) if b["boat"] in IDLE)),
}
"""The question of each wording, over the rows."""


@pytest.mark.parametrize("task", RAW["tasks"], ids=lambda task: task["id"])
def test_the_expected_answer_follows_from_the_rows(task: dict[str, Any]) -> None:
    assert task["expected"]["answer"] == str(ORACLE[task["wording"]](task["parameters"]))
    for value in task["parameters"].values():
        assert str(value) in task["query"]


def test_the_tables_are_sound() -> None:
    assert len(HARBOR) == len(BOATS)
    assert len({trip["trip"] for trip in TRIPS}) == len(TRIPS)
    assert all(trip["boat"] in HARBOR for trip in TRIPS)
    assert all(
        trip["guests"] <= boat["seats"] for trip in TRIPS for boat in BOATS if boat["boat"] == trip["boat"]
    )


def test_an_idle_boat_is_never_all_that_its_harbor_has() -> None:
    """Else the answer without the anti-join would be right."""
    for task in RAW["tasks"]:
        if task["wording"] == "idle-seats":
            assert {boat["boat"] for boat in in_harbor(task["parameters"]["harbor"])} - set(IDLE)
