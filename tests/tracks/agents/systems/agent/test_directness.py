"""Texts that are no answers: what small models said instead of one, and answers that look like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.tracks.agents.systems.agent.directness import is_direct


@pytest.mark.parametrize(
    "text",
    [
        *(
            "I need to search first",
            "I need to search first.",
            "First, I will call the tool.",
            "Let me look it up",
        ),
        *(
            "To answer this question, I will search the handbook.",
            "Let's calculate step by step",
            "Step 1: search",
        ),
        *(
            "We should check the calendar",
            "I'll find the address",
            "Next step: query the table",
            "Plan: search",
        ),
        *("error: no such table: sale", "Error: division by zero", "Traceback (most recent call last)"),
        *("KeyError: 'x'", "an error occurred", "tool failed", "no such column: city", "Invalid arguments"),
        *(
            "NULL",
            "null",
            "None",
            "NaN",
            "n/a",
            "",
            "   ",
            "Done.",
            "DONE",
            "ok",
            "Task completed.",
            "submit",
        ),
        *(
            "I cannot find it",
            "I can't determine this",
            "I was unable to find the city",
            "I don't have access",
        ),
        *("No evidence was found.", "There is not enough information", "As an AI model, I have limits"),
        *('{"tool": "search", "input": "x"}', '[{"function": {"name": "f"}}]', ' {\n"arguments": {}}'),
    ],
)
def test_no_answer(text: str) -> None:
    assert not is_direct(text)


@pytest.mark.parametrize(
    "text",
    [
        *("42", "-5", "0", "yes", "no", "unknown", "zero", "東京", "Lausanne", "a, b, c", "?"),
        *(
            "I think 42",
            "The answer is 42",
            "Let me compute: 2 + 2. The answer is 4.",
            "I need 3 eggs. Result: 3",
        ),
        *(
            "Will Smith",
            "We Will Rock You",
            "Plan B",
            "Planck",
            "First National Bank",
            "To Kill a Mockingbird",
        ),
        *("Nextdoor", "Letitia", "Terror", "Doneck", "Nullarbor", "Completed forms: 3"),
        *('{"city": "Lausanne"}', "def f(x):\n    return x + 1"),
    ],
)
def test_an_answer(text: str) -> None:
    assert is_direct(text)


@given(st.text(max_size=400) | st.text("to do i will. okay,first ", max_size=400))
def test_any_text_is_decided(text: str) -> None:
    assert isinstance(is_direct(text), bool)
