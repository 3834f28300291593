"""A calculator: one expression of numbers and operators, read with `ast` and computed exactly, never evaluated as code.

Accepts decimal numbers, `+ - * / // % **` and parentheses. Refuses names, calls, other operators, more than 100 parts,
powers with an exponent that isn't a whole number from -64 to 64, and values beyond 10^30. Results are exact fractions until
they are written with at most 10 decimals.
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final

from benchsite.tracks.agents.benchmarks.packaged import Function, ToolError, described

__all__ = ["CALCULATOR", "calculate"]

MOST_CHARACTERS: Final = 200
MOST_PARTS: Final = 100
MOST_DEPTH: Final = 20
LARGEST: Final = Fraction(10**30)
MOST_BITS: Final = 512
"""Bits of a numerator or denominator."""
LARGEST_EXPONENT: Final = 64
DECIMALS: Final = 10

_WRITTEN: Final = re.compile(r"[0-9.+\-*/%()\s]*")
_NUMBER: Final = re.compile(r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+")
_MARKS: Final = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-"})
_BINARY: Final[Mapping[type[ast.operator], Callable[[Fraction, Fraction], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_SIGNS: Final[Mapping[type[ast.unaryop], Callable[[Fraction], Fraction]]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}


def calculate(expression: str) -> str:
    """Return the value of an expression, rounded half to even to 10 decimals, without trailing zeros.

    Raises:
        ToolError: the expression is malformed, too large, or divides by zero.
    """
    text = " ".join(expression.translate(_MARKS).split())
    if not text:
        raise ToolError("the expression is empty; write one such as (12 + 3) * 4")
    if len(text) > MOST_CHARACTERS:
        raise ToolError(f"the expression has more than {MOST_CHARACTERS} characters")
    if _WRITTEN.fullmatch(text) is None:
        raise ToolError("an expression has only numbers, + - * / // % ** and parentheses")
    if len(_NUMBER.findall(text)) > MOST_PARTS:
        raise ToolError(f"the expression has more than {MOST_PARTS} numbers")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as `2(3)`, which is a call
            body = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ToolError("the expression is malformed; write one such as (12 + 3) * 4") from None
    return _written(_value(body, text, MOST_DEPTH))


def _value(node: ast.expr, text: str, depth: int) -> Fraction:
    if depth == 0:
        raise ToolError(f"the expression is nested more than {MOST_DEPTH} deep")
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return _bounded(Fraction(text[node.col_offset : node.end_col_offset]))
    if isinstance(node, ast.UnaryOp) and type(node.op) in _SIGNS:
        return _SIGNS[type(node.op)](_value(node.operand, text, depth - 1))
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left, text, depth - 1), _value(node.right, text, depth - 1)
        if isinstance(node.op, ast.Pow):
            return _bounded(_power(left, right))
        if type(node.op) in _BINARY:
            if isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod) and right == 0:
                raise ToolError("division by zero")
            return _bounded(Fraction(_BINARY[type(node.op)](left, right)))
    raise ToolError("an expression has only numbers, + - * / // % ** and parentheses")


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1 or abs(exponent) > LARGEST_EXPONENT:
        raise ToolError(f"an exponent is a whole number from -{LARGEST_EXPONENT} to {LARGEST_EXPONENT}")
    if base == 0 and exponent < 0:
        raise ToolError("division by zero")
    return Fraction(base ** int(exponent))


def _bounded(value: Fraction) -> Fraction:
    if abs(value) > LARGEST:
        raise ToolError("the value is beyond 10^30")
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MOST_BITS:
        raise ToolError("the value has too many digits")
    return value


def _written(value: Fraction) -> str:
    """Return a value in digits; never an exponent, never `-0`."""
    scaled = round(value * 10**DECIMALS)  # half to even, exactly
    whole, rest = divmod(abs(scaled), 10**DECIMALS)
    decimals = f"{rest:0{DECIMALS}}".rstrip("0")
    return f"{'-' if scaled < 0 else ''}{whole}{'.' if decimals else ''}{decimals}"


CALCULATOR: Final = Function(
    described(
        "calculator",
        "Compute an expression of numbers, + - * / // % ** and parentheses.",
        "expression",
        pattern="^[0-9 .()*/%+-]{1,200}$",
    ),
    lambda arguments: calculate(arguments["expression"]),
)
