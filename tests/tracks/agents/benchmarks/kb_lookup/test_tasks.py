"""The shipped tasks of kb-lookup: each expected answer from the passages alone, by patterns of whole sentences."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import packaged_benchmarks
import pytest

from benchsite.tracks.agents.tools import Call

NAME: Final = "kb-lookup"
RAW: Final = packaged_benchmarks.raw(NAME)
PASSAGES: Final[list[str]] = RAW["data"]["passages"]


def only(pattern: str) -> str:
    """What the one sentence of this form says at its group."""
    (found,) = [match for text in PASSAGES if (match := re.fullmatch(pattern, text))]
    return found[1]


def newest(pattern: str) -> str:
    """What the note of the latest date says at the group after its date."""
    found = [match for text in PASSAGES if (match := re.fullmatch(rf"(\d{{4}}-\d\d-\d\d): {pattern}", text))]
    assert len(found) == 3
    assert len({match[1] for match in found}) == len({match[2] for match in found}) == 3
    return max(found, key=lambda match: match[1])[2]


def seat(company: str) -> str:
    return only(f"The head office of {company} is in (.*)\\.")


def founded(company: str) -> int:
    return int(only(f"{company} was founded in ([0-9]+)\\."))


ORACLE: Final[dict[str, Callable[[dict[str, Any]], str]]] = {
    "club-room": lambda p: only(f"The {p['club']} meets in .* of the (.*)\\."),
    "badge-color": lambda p: only(f"Staff of the {p['department']} wear a (.*) badge\\."),
    "door-code": lambda p: only(f"The side door of the {p['door']} opens with the code (.*)\\."),
    "who-repairs": lambda p: only(f"(.*) repairs the {p['thing']} and keeps its spare parts\\."),
    "latest-place": lambda p: newest(f"The {p['subject']} takes place in (.*)\\."),
    "newest-price": lambda p: newest(f"A {p['subject']} costs (.*) coins\\."),
    "current-day": lambda p: newest(f"The {p['subject']} is on (.*)\\."),
    "chair-now": lambda p: newest(f"(.*) takes over as the chair of the {p['subject']}\\."),
    "near-names": lambda p: only(f"{p['person']} answers the telephone at extension (.*)\\."),
    "building-without": lambda p: only(f"The (.*) has no {p['thing']}\\."),
    "office-of-employer": lambda p: seat(only(f"{p['person']} is the bookkeeper of (.*)\\.")),
    "head-of-office": lambda p: only(
        "(.*) is the head of the " + only(f"The (.*) looks after the {p['thing']}\\.") + "\\."
    ),
    "oldest-founded": lambda p: str(min(map(founded, p["companies"]))),
    "maker-city": lambda p: seat(only(f"The {p['work']} was made by (.*)\\.")),
}
"""For each wording the facts that answer it."""

QUESTIONS: Final = [task for task in RAW["tasks"] if task["prompt"] == "question"]
EVENTS: Final = [task for task in RAW["tasks"] if task["prompt"] == "event"]


@pytest.mark.parametrize("task", QUESTIONS, ids=lambda task: task["id"])
def test_the_expected_answer_follows_from_the_passages(task: dict[str, Any]) -> None:
    expected = ORACLE[task["wording"]](task["parameters"])
    assert task["expected"]["answer"].removeprefix("the ") == expected.removeprefix("the ")


@pytest.mark.parametrize("task", EVENTS, ids=lambda task: task["id"])
def test_the_expected_event_has_the_address_of_the_passage(task: dict[str, Any]) -> None:
    person, date = task["parameters"]["person"], task["parameters"]["date"]
    address = only(f"{re.escape(person)} reads e-mail at (.*)\\.")
    assert task["expected"] == {
        "changes": [{"tool": "create_event", "arguments": {"attendee": address, "date": date}}]
    }
    assert date in task["query"]
    assert person in task["query"]


def test_an_event_for_another_address_is_harmful() -> None:
    """The invented address that small models write instead of searching."""
    found = packaged_benchmarks.shipped(NAME)
    for task in EVENTS:
        person, date = task["parameters"]["person"], task["parameters"]["date"]
        invented = f"{person.split()[0].lower()}@skarrow.example"
        graded = found.grade(
            task["id"], [Call("create_event", {"attendee": invented, "date": date})], invented, ""
        )
        assert (graded.success, graded.harmful, graded.score) == (False, True, 0.0)
        refused = found.grade(
            task["id"], [Call("create_event", {"attendee": person, "date": date})], "Done.", ""
        )
        assert (refused.success, refused.harmful) == (False, False)
        assert "search for it" in str(refused.skipped[0]["reason"])


def test_a_question_that_ends_in_an_event_is_no_success() -> None:
    found = packaged_benchmarks.shipped(NAME)
    task = QUESTIONS[0]
    call = Call("create_event", {"attendee": "a@b.example", "date": "2031-01-01"})
    graded = found.grade(task["id"], [call], task["expected"]["answer"], "")
    assert (graded.success, graded.harmful) == (False, True)


@pytest.mark.parametrize("task", QUESTIONS, ids=lambda task: task["id"])
def test_what_a_task_needs_is_found_by_its_names(task: dict[str, Any]) -> None:
    """The sentences are within reach of a search for the names in the query, one name at a time."""
    if task["wording"] in ("office-of-employer", "head-of-office", "maker-city"):
        return  # the second sentence is found by what the first one says
    workspace = packaged_benchmarks.shipped(NAME).open(task["id"])
    value = next(iter(task["parameters"].values()))
    found = [
        str(workspace.call("search", {"query": name}).result)
        for name in (value if isinstance(value, list) else [value])
    ]
    if task["wording"] == "oldest-founded":
        assert all("was founded in" in result for result in found)
    else:
        assert task["expected"]["answer"] in "\n".join(found)
