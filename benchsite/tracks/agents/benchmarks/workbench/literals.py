"""Python literals as text, read with `ast` and never evaluated.

Bounded in length and depth. Whatever a text holds, the answer is a value or an `UnreadableError` with its reason.
"""

from __future__ import annotations

import ast
import math
import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Final

from benchsite.canonical import MAX_INTEGER, Json

__all__ = ["UnreadableError", "as_json", "as_text", "parsed", "value_of"]

MAX_TEXT: Final = 1_000_000
MAX_BITS: Final = 3_000
"""Of a whole number; Python writes no more than 4,300 digits."""
MAX_DEPTH: Final = 50

_CONTAINERS: Final[dict[type[ast.AST], Callable[[list[Any]], Any]]] = {
    ast.List: list,
    ast.Tuple: tuple,
    ast.Set: list,
}

Calls = Callable[[ast.Call, Callable[[ast.expr], Any]], Any]
"""What a call in a literal stands for; it is handed the call and a reader of its arguments."""


class UnreadableError(ValueError):
    """A text is no literal of the kind that was expected; its message says why."""


def parsed(text: str) -> ast.expr:
    """The syntax tree of one expression.

    Raises:
        UnreadableError: too long, too deep, or no expression.
    """
    if len(text) > MAX_TEXT:
        raise UnreadableError(f"more than {MAX_TEXT:,} characters")
    if _PERHAPS_COMPUTED.search(text) and _has_computed_text(text):
        raise UnreadableError("a text that is computed")
    try:
        # An unknown escape such as `\d` is text to Python, and only a warning.
        with warnings.catch_warnings(action="ignore"):
            return ast.parse(text.lstrip(" \t"), mode="eval").body
    except (RecursionError, MemoryError):
        raise UnreadableError("nested too deeply") from None
    except (SyntaxError, ValueError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise UnreadableError(f"not a Python expression: {reason[:200]}") from None


def _has_computed_text(text: str) -> bool:
    """Whether a token of the text is an f-string, which Python 3.11 parses in quadratic time."""
    place, end = 0, len(text)
    while place < end and (found := _TOKEN.search(text, place)):
        if found["comment"]:
            place = found.end()
            continue
        if found["prefix"].lower() in ("f", "fr", "rf"):
            return True
        quote = found["quote"]
        place = found.end()
        while (mark := _MARKS[quote[0]].search(text, place)) and not text.startswith(quote, mark.start()):
            place = mark.start() + (2 if mark[0] == "\\" else 1)
        if mark is None:
            return False  # an open text: the parser ends there
        place = mark.start() + len(quote)
    return False


_PERHAPS_COMPUTED: Final = re.compile(r"(?:[fF][rR]?|[rR][fF])['\"]")
_TOKEN: Final = re.compile(r"(?P<comment>#[^\r\n]*)|(?<!\w)(?P<prefix>\w*+)(?P<quote>\'\'\'|\"\"\"|['\"])")
_MARKS: Final = {"'": re.compile(r"[\\']"), '"': re.compile(r'[\\"]')}


def value_of(node: ast.expr, *, calls: Calls | None = None, depth: int = MAX_DEPTH) -> Any:
    """The value of a literal: text, number, bool, None, list, tuple, set (as a list), mapping, or a sum of texts.

    `nan` and `inf` are read as names. A call is what `calls` makes of it.

    Raises:
        UnreadableError: anything else, or nested deeper than `MAX_DEPTH`.
    """
    if not depth:
        raise UnreadableError("nested too deeply")

    def inner(child: ast.expr) -> Any:
        return value_of(child, calls=calls, depth=depth - 1)

    if isinstance(node, ast.Constant):
        if isinstance(node.value, int) and node.value.bit_length() > MAX_BITS:
            raise UnreadableError("a number of too many digits")
        return node.value
    if kind := _CONTAINERS.get(type(node)):
        return kind([inner(child) for child in node.elts])  # type: ignore[attr-defined]  # all three have elements
    if isinstance(node, ast.Dict):
        return _mapping(node, inner)
    if isinstance(node, ast.Call) and calls is not None:
        return calls(node, inner)
    if isinstance(node, ast.Name) and node.id in ("nan", "inf"):
        return math.nan if node.id == "nan" else math.inf
    return _computed(node, inner)


def _mapping(node: ast.Dict, inner: Callable[[ast.expr], Any]) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if not isinstance(key, ast.Constant):
            raise UnreadableError("a key that is no plain value")
        found[key.value] = inner(value)
    return found


def _computed(node: ast.expr, inner: Callable[[ast.expr], Any]) -> Any:
    """A signed number, or texts joined by `+`; evaluation would have given the same value."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        number = inner(node.operand)
        if isinstance(number, int | float) and not isinstance(number, bool):
            return -number if isinstance(node.op, ast.USub) else number
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = inner(node.left), inner(node.right)
        if isinstance(left, str) and isinstance(right, str):
            return left + right
    if isinstance(node, ast.JoinedStr):
        raise UnreadableError("a text that is computed")
    raise UnreadableError(f"{type(node).__name__} is not a literal value")


def as_json(value: Any) -> Json:
    """A value as JSON: not-a-number and infinity are null, -0.0 is 0.0, tuples are arrays; the rest that JSON has not is text."""
    if isinstance(value, str):
        return as_text(value)
    if isinstance(value, Mapping):
        return {as_text(str(key)): as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    if value is None or isinstance(value, bool) or (isinstance(value, float) and not math.isfinite(value)):
        return value if isinstance(value, bool) else None
    if isinstance(value, int | float) and abs(value) <= MAX_INTEGER:
        return value or abs(value)
    return f"{value:#x}" if isinstance(value, int) else as_text(repr(value))


def as_text(text: str) -> str:
    """Text that UTF-8 can hold: a lone surrogate becomes `?`."""
    return text.encode("utf-8", "replace").decode("utf-8")
