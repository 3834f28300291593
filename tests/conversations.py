"""Conversations of every form that the contract of models allows, for property tests."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from benchsite.canonical import MAX_INTEGER

texts = st.text('ab \n"\\{}é😀\x07', max_size=20)
names = st.text("abz._-/é中", min_size=1, max_size=70)
scalars = st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | texts
arguments = st.dictionaries(texts, scalars | st.lists(scalars, max_size=2), max_size=3)
calls = st.fixed_dictionaries({"tool": names, "arguments": arguments})


@st.composite
def conversations(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Messages, each call followed by its result."""
    messages: list[dict[str, Any]] = []
    if draw(st.booleans()):
        messages.append({"role": "system", "content": draw(texts)})
    for _ in range(draw(st.integers(1, 4))):
        messages.append({"role": "user", "content": draw(texts)})
        made = draw(st.lists(calls, max_size=3))
        if made:
            messages.append({"role": "assistant", "content": draw(st.none() | texts), "calls": made})
            messages += [{"role": "tool", "content": draw(texts)} for _ in made]
        else:
            messages.append({"role": "assistant", "content": draw(texts)})
    return messages
