"""What a judge says: which judgments can be used, and how their indices are read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from agents_systems import artifact, says, session

from benchsite.tracks.agents.systems.agent.session import Position
from benchsite.tracks.agents.systems.team.judge import CHOICE, COMPARISON, choose, compare

AT = Position("debate", 1)
FOUR = [artifact(answer, f"worker-{place}") for place, answer in enumerate("abcd", 1)]


def judged(text: str, responded: str = "judge-1", **options: Any) -> Any:
    run, _ = session([says(text, responded=responded)], **options)
    return compare(run, FOUR, {}, AT)


def groups(**told: Any) -> Any:
    found = judged(json.dumps({"groups": [], **told}))
    return found.judgment and (found.judgment.groups, sorted(found.judgment.invalid))


def test_the_judge_reads_the_task_the_answers_and_those_before() -> None:
    run, harness = session([says("{}")])
    before = {"worker-2": artifact("x", "worker-2")}
    compare(run, [FOUR[0], artifact("b", "worker-2", evidence_summary=("q() -> b",))], before, AT)
    (asked,) = harness.asked
    assert (asked.role, asked.actor, asked.event) == ("judge", "system", "plan")
    assert asked.settings["schema"] == COMPARISON
    assert asked.settings["temperature"] == 0
    assert asked.last == "0: a\n1: b (before: x) | evidence: q() -> b\n\nTask: What is 2 + 2?"


def test_a_merge_is_shown_but_is_no_candidate() -> None:
    run, harness = session([says('{"groups": [[0, 1, 2]]}')])
    found = compare(run, FOUR[:2], {"lead": artifact("before")}, AT, merged=[artifact("now", "lead")])
    assert harness.asked[0].last.startswith("Combined answer: now (before: before)\n0: a\n1: b\n")
    assert found.judgment.groups == ((0, 1),)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({"groups": [[0, 1, 2], [3]]}, (((0, 1, 2), (3,)), [])),
        # answers that the judge leaves out are groups of one
        ({"groups": [[0, 2]]}, (((0, 2), (1,), (3,)), [])),
        ({"groups": [[0]], "invalid_indices": [1, 3]}, (((0,), (2,)), [1, 3])),
        # an invalid answer is in no group
        ({"groups": [[0, 1], [2, 3]], "invalid_indices": [1]}, (((0,), (2, 3)), [1])),
        # an answer is in one group
        ({"groups": [[0, 1], [1, 2], [3, 3]]}, (((0, 1), (2,), (3,)), [])),
        # indices that are none
        (
            {"groups": [[0, 4, -1, "1", 1.0, True, None]], "invalid_indices": ["x", 9]},
            (((0,), (1,), (2,), (3,)), []),
        ),
        ({"groups": [[], 3, "x", [3]]}, (((3,), (0,), (1,), (2,)), [])),
        # all invalid
        ({"groups": [], "invalid_indices": [0, 1, 2, 3]}, ((), [0, 1, 2, 3])),
    ],
)
def test_indices(told: dict[str, Any], expected: Any) -> None:
    assert groups(**told) == expected


@pytest.mark.parametrize(
    ("text", "why_not"),
    [
        ("", "parse_error"),
        ("They agree.", "parse_error"),
        ('{"groups": [[0, 1], [2', "parse_error"),  # half cut
        ('{"winner_index": 0}', "parse_error"),
        ('{"groups": "all"}', "parse_error"),
        ('{"groups": []}', "empty_judgment"),
        ('{"groups": [[]], "invalid_indices": [7]}', "empty_judgment"),
    ],
)
def test_a_judgment_that_cannot_be_used(text: str, why_not: str) -> None:
    found = judged(text)
    assert (found.judgment, found.why_not) == (None, why_not)
    assert (found.token_in, found.token_out, found.latency_ms, found.cost_usd) == (10, 2, 1.5, 0.0)


@pytest.mark.parametrize("text", ['```json\n{"groups": [[0, 1]]}\n```', 'Sure: {"groups": [[0, 1]]} Done.'])
def test_a_fence_and_prose_around_json_are_read(text: str) -> None:
    assert judged(text).judgment.groups == ((0, 1), (2,), (3,))


def test_a_script_that_names_no_model_judges_nothing() -> None:
    run, harness = session([says('{"groups": [[0, 1]]}', responded="simulated")])
    first, then = compare(run, FOUR, {}, AT), choose(run, FOUR, AT)
    assert (first.why_not, first.token_in) == ("mock", 10)
    assert (then.why_not, then.token_in, len(harness.asked)) == ("mock", None, 1), "it is asked once in a run"


def test_a_missing_judge_judges_nothing() -> None:
    run, harness = session()
    run.models = {}
    found = compare(run, FOUR, {}, AT)
    assert (found.why_not, found.token_in, harness.asked) == ("mock", None, [])


def test_other_members_are_read_strictly() -> None:
    told = {
        "groups": [[0]],
        "is_substantive": "yes",
        "should_stop_for_no_progress": 1,
        "progress_status": "great",
        "expected_improvement": "huge",
        "explanation": "x" * 500,
    }
    made = judged(json.dumps(told)).judgment
    assert (made.is_substantive, made.should_stop, made.progress_status) == (False, False, "unclear")
    assert (made.expected_improvement, len(made.explanation)) == (None, 400)


@pytest.mark.parametrize(
    ("told", "winner"),
    [
        ({"winner_index": 2}, 2),
        ({"winner_index": 4}, None),
        ({"winner_index": -1}, None),
        ({"winner_index": "2"}, None),
        ({"winner_index": 2, "invalid_indices": [2]}, None),
        ({}, None),
    ],
)
def test_a_choice_without_a_winner_cannot_be_used(told: dict[str, Any], winner: int | None) -> None:
    run, harness = session([says(json.dumps({"groups": [[0, 1]], **told}))])
    found = choose(run, FOUR, AT)
    assert harness.asked[0].settings["schema"] == CHOICE
    assert (found.judgment.winner if found.judgment else None) == winner
    assert found.why_not == (None if winner is not None else "parse_error")


def test_what_the_judge_does_not_read_is_recorded() -> None:
    run, harness = session([says("{}")])
    compare(run, [artifact("a" * 601, "worker-1"), artifact("b" * 600, "worker-2")], {}, AT)
    assert f"0: {'a' * 599}…\n1: {'b' * 600}\n" in harness.asked[0].last
    (cut,) = harness.notes("truncation")
    assert (cut["agent"], cut["characters"], cut["kept"]) == ("worker-1", 601, 600)
