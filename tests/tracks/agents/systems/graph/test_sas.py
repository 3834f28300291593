"""The single agent: its tool loop, step by step, from scripts of completions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from agents_systems import EXAMPLE, TASK, Harness, calls, says

from benchsite.tracks.agents.benchmarks import Example, Step
from benchsite.tracks.agents.systems.agent import prompts
from benchsite.tracks.agents.systems.graph.sas import Sas


def evaluate(expression: str) -> str:
    if expression == "2 +":
        raise ValueError("half an expression")
    return {"2 + 2": "4"}[expression]


TOOLS = {"calculator": evaluate}


def run(*script: Any, task: Any = TASK, tools: Any = None, **options: Any) -> tuple[Any, Harness]:
    harness = Harness(script, TOOLS if tools is None else tools, task)
    return harness.run(Sas(**options))["answer"], harness


def test_a_call_and_an_answer_are_two_requests() -> None:
    answer, harness = run(calls(expression="2 + 2"), says("4"))
    assert answer == "4"
    assert harness.called == [("sas", "calculator", {"expression": "2 + 2"})]
    first, second = harness.asked
    assert [message["role"] for message in first.messages] == ["system", "user"]
    assert (first.role, first.actor, first.event, first.tools) == ("worker", "sas", "act", ["calculator"])
    assert second.messages[2:] == [
        {
            "role": "assistant",
            "content": "",
            "calls": [{"tool": "calculator", "arguments": {"expression": "2 + 2"}}],
        },
        {"role": "tool", "content": "4"},
    ]
    assert harness.events == []


def test_the_fixed_part_comes_first_and_the_task_last() -> None:
    step = Step("calculator", {"expression": "1 + 1"}, "2")
    task = replace(TASK, instructions="One number.", examples=(replace(EXAMPLE, steps=(step,)),))
    _, harness = run(calls(expression="2 + 2"), says("4"), task=task)
    assert [(one["role"], one["content"]) for one in harness.asked[0].messages] == [
        ("system", f"{prompts.WORKER}\n\nOne number."),
        ("user", "Task: What is 1 + 1?"),
        ("assistant", ""),
        ("tool", "2"),
        ("assistant", "2"),
        ("user", "Task: What is 2 + 2?"),
    ]


def test_two_tasks_of_a_kind_share_all_but_the_last_message() -> None:
    task = replace(TASK, examples=(Example("What is 1 + 1?", (), "2"),))
    first = run(says("4"), says("4"), task=task)[1].asked[0].messages
    other = (
        run(says("5"), says("5"), task=replace(task, id="t-2", query="What is 2 + 3?"))[1].asked[0].messages
    )
    assert first[:-1] == other[:-1]
    assert first[-1] != other[-1]


def test_an_answer_without_a_call_is_corrected_once_and_may_stay() -> None:
    answer, harness = run(says("5"), says("4"))
    assert (answer, len(harness.asked)) == ("4", 2)
    assert harness.asked[1].last == prompts.CORRECTION
    assert len(harness.notes("correction")) == 1
    assert run(says("5"), calls(expression="2 + 2"), says("4"))[0] == "4"


def test_without_tools_nothing_is_corrected() -> None:
    answer, harness = run(says("4"), tools={})
    assert (answer, len(harness.asked), harness.events) == ("4", 1, [])


def test_a_corrected_agent_that_says_nothing_keeps_its_answer() -> None:
    assert run(says("4"), says(""))[0] == "4"


def test_after_eight_iterations_the_answer_is_asked_without_tools() -> None:
    answer, harness = run(*[calls(expression="2 + 2")] * 8, says("4"))
    assert answer == "4"
    assert [one.tools for one in harness.asked] == [["calculator"]] * 8 + [[]]
    assert harness.asked[-1].last == prompts.CLOSING
    assert len(harness.called) == 8
    answer, harness = run(calls(expression="2 + 2"), says("4"), tool_iterations=1)
    assert (answer, len(harness.asked)) == ("4", 2)


def test_a_tool_that_fails_three_times_in_a_row_is_switched_off() -> None:
    broken, works = calls(expression="2 +"), calls(expression="2 + 2")
    answer, harness = run(*[broken] * 4, says("4"))
    assert answer == "4"
    assert len(harness.called) == 3, "the fourth call is not made"
    assert harness.asked[3].tools == []
    assert harness.asked[4].last == "error: calculator failed 3 times in a row and is switched off"
    assert harness.notes("circuit_breaker") == [
        {"kind": "circuit_breaker", "called": "calculator", "agent": "sas", "failures": 3}
    ]
    assert len(harness.notes("call_refused")) == 1
    _, harness = run(broken, broken, works, broken, broken, says("4"))
    assert len(harness.called) == 5, "a success begins the count again"


def test_a_failure_and_a_result_that_is_no_text_are_read_as_text() -> None:
    _, harness = run(calls(expression="2 +"), says("4"))
    assert harness.asked[1].last == "error: half an expression"
    _, harness = run(calls(), says("4"), tools={"calculator": lambda: {"b": 1, "a": [None]}})
    assert harness.asked[1].last == '{"a":[null],"b":1}'


def test_a_result_of_megabytes_is_cut_and_that_is_recorded() -> None:
    _, harness = run(calls(), says("4"), tools={"calculator": lambda: "x" * 2_000_000})
    assert len(harness.asked[1].last) == 8_000
    (note,) = harness.notes("truncation")
    assert (note["characters"], note["kept"], note["agent"]) == (2_000_000, 8_000, "sas")


def test_a_state_is_the_place_and_what_was_read_last() -> None:
    _, harness = run(*[calls(expression="2 + 2")] * 3, says("4"))
    states = [one.state_id for one in harness.asked]
    assert len(set(states)) == 2, "the same result three times is the same state"
    assert all(state.startswith("0.0/answer/sas/") for state in states)


def test_a_model_without_an_answer_gives_none() -> None:
    assert run(says("  "), says(""))[0] is None


def test_temperature_zero_sends_no_seed_and_samples_repeat_with_the_seed() -> None:
    settings = [
        run(says("4"), tools={}, seed=seed, temperature=0.7)[1].asked[0].settings for seed in (1, 1, 2)
    ]
    assert settings[0] == settings[1] != settings[2]
    assert run(says("4"), tools={})[1].asked[0].settings == {"temperature": 0.0, "max_tokens": 512}


def test_a_lone_surrogate_does_not_reach_the_channel() -> None:
    assert run(says("4\ud800"), tools={})[0] == "4?"


def test_an_unknown_option_is_refused_by_name() -> None:
    with pytest.raises(Exception, match="no option 'agents'"):
        Sas(agents=3)


def test_the_description_is_of_what_runs() -> None:
    told = Sas().describe()
    assert told["controlFlow"] == {
        "nodes": ["start", "agent", "finalize", "end"],
        "edges": [["start", "agent"], ["agent", "finalize"], ["finalize", "end"]],
    }
    assert set(told["prompts"].values()) >= {prompts.WORKER, prompts.CORRECTION}
