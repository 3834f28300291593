"""Equal budget: when another attempt starts, when one is accepted, and how attempts vote. A completion has 12 tokens."""

from __future__ import annotations

from typing import Any

import pytest
from agents_systems import Harness, calls, says

from benchsite.errors import InputError
from benchsite.tracks.agents.systems.graph.budget import SasMajority, SasRetry


def half(expression: str) -> str:
    raise ValueError(expression)


def run(system: Any, *script: Any, tools: Any = None, **options: Any) -> tuple[Any, Harness]:
    harness = Harness(script, tools or {})
    return harness.run(system(**options))["answer"], harness


def test_samples_are_drawn_as_long_as_the_mean_of_them_fits_into_the_budget() -> None:
    """12 + 12 ≤ 36 and 24 + 12 ≤ 36, but 36 + 12 > 36: three attempts."""
    answer, harness = run(SasMajority, says("5"), says("4"), says("4."), budget=36)
    assert (answer, len(harness.asked)) == ("4", 3)
    assert [one.state_id[:11] for one in harness.asked] == [f"{n}.0/answer/" for n in range(3)]
    assert len({one.settings["seed"] for one in harness.asked}) == 3, "independent samples"
    assert {len(one.messages) for one in harness.asked} == {2}, "attempts know nothing of each other"
    (note,) = harness.notes("vote")
    assert (note["vote_source"], note["groups"]) == (
        *("deterministic", [["attempt-002", "attempt-003"], ["attempt-001"]]),
    )


@pytest.mark.parametrize(("budget", "attempts"), [(1, 1), (23, 1), (24, 2), (120, 10)])
def test_the_first_attempt_always_runs_and_the_budget_is_kept(budget: int, attempts: int) -> None:
    assert len(run(SasMajority, *[says("4")] * 20, budget=budget)[1].asked) == attempts


def test_completions_of_no_tokens_do_not_go_on_for_ever() -> None:
    assert len(run(SasMajority, *[says("4", (0, 0))] * 300, budget=5)[1].asked) == 200


def test_a_model_that_states_no_tokens_cannot_spend_a_budget() -> None:
    with pytest.raises(InputError, match="sas-majority: a model states no tokens"):
        run(SasMajority, says("4", (None, 2)), budget=5)


def test_a_direct_answer_is_accepted_at_once() -> None:
    answer, harness = run(SasRetry, says("4"), budget=1000)
    assert (answer, len(harness.asked), harness.notes("vote")) == ("4", 1, [])
    assert harness.asked[0].settings == {"temperature": 0.0, "max_tokens": 512}, "as sas asks"


@pytest.mark.parametrize("noise", ["I need to search first", "NULL", "error: no such table", ""])
def test_what_is_no_answer_is_tried_again_with_samples(noise: str) -> None:
    answer, harness = run(SasRetry, says(noise), says(noise), says("4"), budget=1000)
    assert answer == "4"
    assert [one.settings["temperature"] for one in harness.asked] == [0.0, 0.7, 0.7]


def test_an_answer_after_a_failed_call_is_accepted_when_it_comes_again() -> None:
    attempt = (calls(expression="x"), says("7"))
    other = (calls(expression="x"), says("8"))
    answer, harness = run(SasRetry, *attempt, *other, *attempt, tools={"calculator": half}, budget=1000)
    assert (answer, len(harness.asked)) == ("7", 6)
    answer, harness = run(SasRetry, *attempt, *other, tools={"calculator": half}, budget=50)
    assert answer == "7", "the budget is spent: a tie, so the signature decides"
    assert len(harness.notes("vote")) == 1


def test_each_attempt_may_call_every_tool_again() -> None:
    attempt = (*[calls(expression="x")] * 3, says("NULL"))
    _, harness = run(SasRetry, *attempt * 2, tools={"calculator": half}, budget=100)
    assert len(harness.called) == 6
