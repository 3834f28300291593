"""Coordination from run columns, computed by hand with the definitions of arXiv 2512.08296."""

from __future__ import annotations

from benchsite.tracks.agents.record.runs import Run
from benchsite.tracks.agents.scores.coordination import Coordination, coordinate


def ran(success: bool, turns: int | None, messages: int | None = 0, redundancy: float | None = None) -> Run:  # noqa: FBT001
    return Run(
        outcome="success" if success else "failure",
        turns=turns,
        agent_to_agent=messages,
        system_mediated=0,
        redundancy=redundancy,
    )


def test_coordination_by_hand():
    # Over t1 and t2: turns (6 + 10)/2 = 8 against (4 + 4)/2 = 4, messages (3 + 1)/2 = 2; successes 3/4 against 1/2.
    multi = {
        "t1": [ran(True, 4, 2, 0.5), ran(True, 8, 4, 0.25)],
        "t2": [ran(True, 10, 2), ran(False, 10, 0)],
        "only multi": [ran(False, 99)],
    }
    single = {"t1": [ran(True, 4)], "t2": [ran(False, 4)], "only single": [ran(False, 99)]}
    assert coordinate(multi, single) == Coordination(
        tasks=2,
        counted=2,
        overhead=1.0,
        message_density=0.25,
        redundancy=0.375,
        efficiency=0.375,
        error_amplification=0.5,
    )


def test_a_task_without_turns_counts_for_errors_only():
    # Of t2 a run states no turns: overhead 6/4 - 1, efficiency 1 ÷ 1.5; errors 1/2 against 1.
    multi = {"t1": [ran(True, 6, 3)], "t2": [ran(False, None)]}
    single = {"t1": [ran(False, 4)], "t2": [ran(False, 4)]}
    found = coordinate(multi, single)
    assert (found.tasks, found.counted, found.overhead, found.message_density) == (2, 1, 0.5, 0.5)
    assert (found.efficiency, found.error_amplification) == (1 / 1.5, 0.5)


def test_messages_that_are_not_stated_are_blank():
    found = coordinate({"t": [ran(True, 6, None)]}, {"t": [ran(True, 4)]})
    assert (found.overhead, found.message_density) == (0.5, None)


def test_what_cannot_be_divided_is_blank():
    # No turn, and a single agent that never fails.
    nothing = coordinate({"t": [ran(True, 0)]}, {"t": [ran(True, 0)]})
    assert nothing == Coordination(1, 1, None, None, None, None, None)
    assert (
        coordinate({}, {})
        == coordinate({"t": []}, {"t": []})
        == Coordination(0, 0, None, None, None, None, None)
    )
