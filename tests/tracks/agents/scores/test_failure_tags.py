from __future__ import annotations

import pytest
from agent_traces import ALONE, IMPORTED, TEAM, event

from benchsite.tracks.agents.scores.failure_tags import MAST, tags


def decision(number: int, reason: str, winner: object = None):
    return event(number, "system", "act", {"kind": "termination", "reason": reason, "winner": winner})


def call(number: int, actor: str, tool: str, given: object, **rest: object):
    return event(number, actor, "tool_call", {"tool": tool, "input": given, **rest})


def result(number: int, *, failed: bool):
    return event(number, "a", "tool_result", {"error": failed})


def names(events: list, *, success: bool = False) -> list[tuple[str, tuple[str, ...]]]:
    return [(found.tag, found.events) for found in tags(events, success=success)]


@pytest.mark.parametrize("trace", [ALONE, TEAM, IMPORTED, []])
def test_a_run_without_such_signs_has_no_tag(trace):
    assert names(trace) == []


@pytest.mark.parametrize(
    ("reason", "tag", "mast"),
    [
        ("consensus_reached", "premature_consensus", "FM-3.1"),
        ("no_meaningful_change", "stalled_discussion", None),
        ("max_rounds_reached", "round_budget_exhausted", "FM-1.5"),
    ],
)
def test_a_discussion_that_stops_on_a_wrong_answer_is_tagged_by_its_reason(reason, tag, mast):
    (found,) = tags([decision(1, "continue"), decision(2, reason)], success=False)
    assert (found.tag, found.mast, found.events) == (tag, mast, ("e2",))
    assert names([decision(2, reason)], success=True) == []


def test_branches_that_collapse_are_tagged_in_any_run():
    for success in (True, False):
        assert names([decision(1, "invalid_or_failed_branch")], success=success) == [
            ("branch_collapse", ("e1",))
        ]


def test_a_winner_that_no_revision_changes_is_locked_in():
    revise = event(2, "a", "revise")
    locked = [decision(1, "continue", "42"), revise, decision(3, "continue", "42")]
    assert names(locked) == [("aggregation_lock_in", ("e1", "e3"))]
    assert names(locked, success=True) == []
    assert names([locked[0], locked[2]]) == [], "nothing was revised"
    assert names([locked[0], locked[2], revise]) == [], "revised later"
    assert names([*locked[:2], decision(3, "continue", "43")]) == []
    assert names([decision(1, "continue", ""), revise, decision(3, "continue", "")]) == []
    assert names([decision(1, "continue", ["x"]), revise, decision(3, "continue", ["x"])]) == []
    assert names(locked[:1]) == []


def test_three_failures_in_a_row_are_a_cascade():
    fails = [result(number, failed=True) for number in range(1, 6)]
    assert names(fails[:2]) == []
    assert names([*fails[:2], result(9, failed=False), *fails[2:4]]) == []
    assert names([fails[0], event(7, "a", "act"), *fails[1:3]], success=True) == [
        ("tool_error_cascade", ("e1", "e2", "e3"))
    ]
    two_rows = [*fails[:3], result(9, failed=False), *[result(n, failed=True) for n in (10, 11, 12, 13)]]
    assert names(two_rows) == [("tool_error_cascade", ("e10", "e11", "e12", "e13"))]


def test_one_call_made_three_times_by_one_actor_is_repetition():
    same = [call(number, "a", "search", {"q": "x", "n": 1}) for number in (1, 2)]
    third = call(3, "a", "search", {"n": 1, "q": "x"})
    assert names([*same, call(3, "b", "search", {"q": "x", "n": 1})]) == []
    assert names([*same, call(3, "a", "find", {"q": "x", "n": 1})]) == []
    assert names([*same, call(3, "a", "search", {"q": "y", "n": 1})]) == []
    assert names([call(n, "a", "search", "x", kind="send") for n in (1, 2, 3)]) == []
    (found,) = tags([*same, third], success=True)
    assert (found.tag, found.mast, found.events) == ("step_repetition", "FM-1.3", ("e1", "e2", "e3"))


def test_tags_are_given_in_one_order():
    events = [decision(1, "max_rounds_reached"), *[result(n, failed=True) for n in (2, 3, 4)]]
    events += [decision(5, "consensus_reached"), *[call(n, "a", "t", None) for n in (6, 7, 8)]]
    found = [tag for tag, _ in names(events)]
    assert found == [tag for tag in MAST if tag in found]
    assert len(found) == 4
