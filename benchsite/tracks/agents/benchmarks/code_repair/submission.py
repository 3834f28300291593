"""The code that a run hands in: the one tested last if its answer is `submit`, else the code that the answer is."""

from __future__ import annotations

import ast
import re
from typing import Final

from benchsite.tracks.agents.benchmarks.packaged.answers import words

__all__ = ["code_in", "handed_in", "is_unchanged"]

SUBMIT: Final = "submit"
MOST: Final = 20_000
"""Characters of a text in which code is searched."""
_FENCE: Final = re.compile(r"```[^\n`]*\n(.*?)(?:```|\Z)", re.DOTALL)
_WORD: Final = re.compile(r"\A\s*python3?\s*\n", re.IGNORECASE)


def handed_in(answer: str | None, tested: str | None, function: str) -> str | None:
    """Return the code of a run; None if it hands in none.

    Args:
        answer: the final answer.
        tested: the code that was tested last; None if none was.
        function: the name that the code must define.
    """
    if answer is None:
        return None
    if words(answer) == SUBMIT:
        return tested
    return code_in(answer, function)


def code_in(text: str, function: str) -> str | None:
    """Return the code in a text without fences and a leading word `python`; None if none defines the function."""
    if len(text) > MOST:
        return None
    defines = re.compile(rf"^\s*(?:async\s+)?def\s+{re.escape(function)}\b", re.MULTILINE)
    for block in (*_FENCE.findall(text), text):
        code = _WORD.sub("", block)
        if defines.search(code) and "```" not in code:
            return code.strip("\n") + "\n"
    return None


def is_unchanged(code: str, faulty: str) -> bool:
    """Whether code is the faulty function, whatever its spaces and comments."""
    return _tree(code) == _tree(faulty)


def _tree(code: str) -> str:
    try:
        return ast.dump(ast.parse(code))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return code.strip()
