"""What holds for every system of ours: its description, its options, and that its graph is compiled once."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any

import pytest
from agents_systems import Harness, says

from benchsite.errors import InputError
from benchsite.plugins import subjects
from benchsite.tracks.agents import TRACK
from benchsite.tracks.agents.run.measured import Described
from benchsite.tracks.agents.systems.agent import prompts
from benchsite.tracks.agents.systems.options import OPTIONS

INSTALLED = subjects(TRACK.groups["system"])


def system(name: str) -> Any:
    module, _, attribute = INSTALLED[name].partition(":")
    return getattr(import_module(module), attribute)


def made(name: str, **options: Any) -> Any:
    needed = {"budget": 24} if "budget" in OPTIONS[name].model_fields else {}
    return system(name)(**{**needed, **options})


@pytest.mark.parametrize("name", OPTIONS)
def test_a_system_is_installed_under_its_name_and_describes_itself(name: str) -> None:
    one = made(name)
    assert (one.name, one.author) == (name, "benchsite")
    told = one.describe()
    read = Described.model_validate(told)
    assert set(read.sizes) == {"agents", "rounds", "discussion_rounds", "messages_per_agent"}
    assert len(told["agents"]["nodes"]) == read.sizes["agents"]
    for graph in (read.agents, read.control_flow):
        assert {end for edge in graph.edges for end in edge} <= set(graph.nodes)
    assert {"start", "finalize", "end"} <= set(read.control_flow.nodes)
    assert set(told["prompts"].items()) <= set(prompts.PROMPTS.items())
    assert read.prompts_sha256 is not None


@pytest.mark.parametrize("name", OPTIONS)
def test_its_parameters_are_its_options(name: str) -> None:
    assert set(inspect.signature(system(name)).parameters) == {*OPTIONS[name].model_fields, "seed"}
    with pytest.raises(InputError, match=f"system {name}: no option 'wizard'"):
        made(name, wizard=1)


@pytest.mark.parametrize("name", OPTIONS)
def test_no_prompt_is_sent_that_is_not_described(name: str) -> None:
    """The receipt has the digest of the prompts, so every system message is made of them."""
    known = made(name).describe()["prompts"].values()
    for tools in ({}, {"calculator": lambda: "4"}):
        harness = Harness(lambda _asked: says("4"), tools)
        harness.run(made(name, **({"tool_iterations": 1} if name != "no-tools" else {})))
        for asked in harness.asked:
            text = asked.messages[0]["content"]
            for prompt in sorted(known, key=len, reverse=True):
                text = text.replace(prompt, "")
            assert text.strip() == ""


@pytest.mark.parametrize("name", OPTIONS)
def test_any_completion_ends_every_run_with_an_answer(name: str) -> None:
    for text in ("4", "I need to search first", "{", "NULL", "x" * 20_000):
        harness = Harness(lambda _asked, text=text: says(text), {"calculator": lambda: "4"})
        one = made(name)
        first, again = harness.run(one)["answer"], harness.run(one)["answer"]
        assert first
        assert first == again, "a run leaves nothing behind"
        assert len(first) <= 6_000
