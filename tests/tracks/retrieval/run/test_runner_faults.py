from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from examples import some
from harbour import DOCUMENT, errors, faults, measured, query, rows

from benchsite import canonical
from benchsite.isolation import source
from benchsite.tracks.retrieval import fixture as fixtures
from benchsite.tracks.retrieval.run.programs import program
from benchsite.tracks.retrieval.run.runner import Settings, measure

pytestmark = pytest.mark.usefixtures("hostile")


def test_raising_queries_fail_alone(context: Any) -> None:
    measurement = measured(context, "raises:Raises")
    assert errors(measurement) == {"q1": "raised", "q5": "raised"}
    assert faults(measurement) == {"failed": 2}
    assert rows(measurement)["q1"]["retrieved"] == []
    assert rows(measurement)["q1"]["latencyMs"] is None
    # q1 and q5 score 0 and still count.
    assert measurement.payload["denominators"]["success_at_2"] == {"num": 3, "den": 5, "excluded": 2}


@pytest.mark.stories
def test_a_hanging_query_costs_only_itself(context: Any) -> None:
    measurement = measured(context, "hangs:Hangs", timeout_s=2)
    assert errors(measurement) == {"q1": "timeout", "q5": "timeout"}
    assert faults(measurement) == {"timedOut": 2}
    assert rows(measurement)["q2"]["retrieved"] == ["a/3"]


def test_a_dying_process_is_replaced_and_ingests_again(context: Any) -> None:
    measurement = measured(context, "dies:Dies")
    assert errors(measurement) == {"q1": "crashed", "q5": "crashed"}
    assert faults(measurement) == {"failed": 2}
    assert rows(measurement)["q4"]["retrieved"] == ["b/2"]


@pytest.mark.stories
def test_after_three_strikes_the_rest_of_a_scope_is_not_asked(context: Any) -> None:
    measurement = measured(context, "hangs:HangsAlways", timeout_s=0.2)
    assert errors(measurement) == dict.fromkeys(["q1", "q2", "q3", "q4", "q5", "q6", "q7"], "timeout")
    assert faults(measurement) == {"timedOut": 7}
    # Two scopes, three strikes each, 0.2 s a strike: the seventh query was never asked.
    assert measurement.payload["timing"]["n"] == 0
    assert measurement.payload["timing"]["first_query_ms"] is None
    assert measurement.payload["scores"]["success_at_2"] == 0.0
    assert measurement.payload["scores"]["abstention_rate"] == 0.0


def test_a_process_that_cannot_come_back(context: Any) -> None:
    measurement = measured(context, "dies:DiesOnSecondStart")
    assert errors(measurement) == dict.fromkeys(["q1", "q2", "q3", "q4", "q5", "q6", "q7"], "crashed")


def test_ingest_that_fails_fails_its_queries(context: Any) -> None:
    measurement = measured(context, "raises:RaisesOnIngest")
    assert set(errors(measurement).values()) == {"raised"}
    assert len(errors(measurement)) == 7
    assert measurement.payload["timing"]["ingest_throughput_items_per_sec"] is None


def test_a_process_that_dies_in_an_ingest_costs_its_scope(context: Any) -> None:
    measurement = measured(context, "dies:DiesOnIngest")
    assert errors(measurement) == dict.fromkeys(["q1", "q2", "q3"], "crashed")
    assert faults(measurement) == {"failed": 3}
    assert rows(measurement)["q4"]["retrieved"] == ["b/2"]
    assert "first failure: ingest: the adapter ended (exit code 3)" in measurement.notes


def test_duplicates_are_kept_and_counted(context: Any) -> None:
    measurement = measured(context, "answers:Duplicates")
    assert rows(measurement)["q1"]["retrieved"] == ["a/answer", "a/answer"]
    assert rows(measurement)["q2"]["retrieved"] == ["a/3", "a/3"]
    assert rows(measurement)["q2"]["rank"] == 1
    # q1, q2, q3, q4, q5 and q7 each have one repeated id; q1 had four hits for k = 2.
    assert faults(measurement) == {"duplicates": 6, "overK": 1}


def test_unknown_ids_are_hashed_and_foreign(context: Any) -> None:
    measurement = measured(context, "answers:UnknownIds", ks=(3,))
    # echo -n made-up | sha256sum; the second id is the three bytes ed a0 80.
    unknown = [
        "?" + canonical.sha256_hex(b"made-up")[:12],
        "?" + canonical.sha256_hex(b"\xed\xa0\x80")[:12],
    ]
    assert rows(measurement)["q2"]["retrieved"] == [*unknown, "a/3"]
    assert rows(measurement)["q2"]["foreign"] == unknown
    assert rows(measurement)["q2"]["rank"] == 3
    assert faults(measurement) == {"foreignIds": 14, "overK": 1}
    assert b"made-up" not in canonical.dumps(measurement.payload)


def test_ids_of_another_scope_keep_their_name_and_are_foreign(context: Any) -> None:
    measurement = measured(context, "answers:Remembers", ks=(5,))
    assert rows(measurement)["q5"]["retrieved"] == ["a/answer", "a/2", "b/1"]
    assert rows(measurement)["q5"]["foreign"] == ["a/answer", "a/2"]
    assert rows(measurement)["q1"]["foreign"] == []
    # q4 finds the car of the other conversation too.
    assert faults(measurement) == {"foreignIds": 3}


def test_scores_outside_the_contract_are_counted_and_change_nothing(context: Any) -> None:
    measurement = measured(context, "answers:BadScores", ks=(8,))
    assert rows(measurement)["q1"]["retrieved"] == ["a/answer", "a/2", "a/3"]
    # Scope a has three items (nan, inf, -0.1) and three queries; scope b two (nan, inf) and four.
    assert faults(measurement) == {"badScores": 3 * 3 + 4 * 2}


def test_more_than_k_is_cut_and_counted(context: Any) -> None:
    measurement = measured(context, "answers:OverK")
    assert {len(row["retrieved"]) for row in measurement.payload["perQuery"]} == {2}
    assert faults(measurement) == {"overK": 7}


@pytest.mark.parametrize(
    ("text", "error"),
    some(
        [
            ("none", "protocol"),
            ("text", "protocol"),
            ("object", "protocol"),
            ("ids", "protocol"),
            ("pairs", "protocol"),
            ("numbers", "protocol"),
            ("content", "protocol"),
            ("bytes", "protocol"),
            ("lazy", "protocol"),
            ("missing", "raised"),
        ],
        gate=4,
    ),
)
def test_results_of_a_wrong_type(context: Any, text: str, error: str) -> None:
    document = {**DOCUMENT, "queries": [query("wrong", text, "a", "a/3"), query("right", "fine", "a", "a/3")]}
    small = fixtures.parse(json.dumps(document).encode(), where="small")
    spec = program("subject", "answers:WrongTypes")
    measurement = measure(small, spec, Settings(ks=(1,), seed=0, timeout_s=10), context)
    assert errors(measurement) == {"wrong": error}


@pytest.mark.parametrize(
    ("reference", "first"),
    [
        ("raises:Raises", "first failure: query: RuntimeError: no boats\nplease"),
        pytest.param(
            "answers:Huge",
            "first failure: query: a frame is larger than 8 MiB",
            marks=pytest.mark.stories,
        ),
    ],
)
def test_the_first_failure_is_told_and_is_in_no_receipt(context: Any, reference: str, first: str) -> None:
    measurement = measured(context, reference)
    assert first in measurement.notes
    assert "RuntimeError" not in json.dumps(measurement.payload)


def test_failures_are_counted_by_what_they_say(context: Any) -> None:
    """Of seven queries two are about boats; the most frequent error is first."""
    notes = measured(context, "raises:RaisesTwoErrors").notes
    assert [note for note in notes if " × " in note] == [
        "5 × query: KeyError: 'index'",
        "2 × query: RuntimeError: no boats\\nplease",
    ]
    assert not [note for note in measured(context, "raises:Raises").notes if " × " in note], "one kind"


def test_prints_and_huge_answers(context: Any) -> None:
    assert errors(measured(context, "talks:Prints")) == {}
    assert set(errors(measured(context, "answers:Huge", limit=1)).values()) == {"protocol"}


def test_a_program_in_any_language(context: Any, hostile: Callable[[str], Path]) -> None:
    command = (sys.executable, str(hostile("program.py")), "honest")
    measurement = measured(context, None, command=command)
    assert rows(measurement)["q1"]["retrieved"] == ["a/answer"]
    assert measurement.payload["adapter"]["name"] == "program"
    assert measurement.config["subjectSha256"] == source.of_program(command).sha256()


def test_a_program_that_breaks_the_protocol(context: Any, hostile: Callable[[str], Path]) -> None:
    measurement = measured(
        context, None, command=(sys.executable, str(hostile("program.py")), "garbage"), limit=4
    )
    assert set(errors(measurement).values()) == {"protocol"}


@pytest.mark.parametrize(("habit", "error"), [("half", "timeout"), ("half-and-ends", "crashed")])
def test_half_a_frame_is_no_answer(
    context: Any, hostile: Callable[[str], Path], habit: str, error: str
) -> None:
    command = (sys.executable, str(hostile("program.py")), habit)
    measurement = measured(context, None, command=command, timeout_s=2, limit=1)
    assert errors(measurement) == {"q1": error}
    assert rows(measurement)["q1"]["retrieved"] == []


def test_the_stderr_of_the_process_that_failed_first_is_shown(context: Any) -> None:
    """A class adapter's exception is shown with the place in its file; no receipt holds it."""
    measurement = measured(context, "raises:Raises")
    shown = next(note for note in measurement.notes if note.startswith("adapter stderr:\n"))
    assert "raises.py" in shown
    assert shown.endswith("RuntimeError: no boats\n  please")
    assert "worker.py" not in shown
    assert "boats" not in json.dumps(measurement.payload)
