"""The tests of a task: calls of its function, the values that they must return, and how both are compared and written.

Values come from the sandbox as JSON with marks (`benchsite.isolation.trial`): a tuple is `{"tuple": […]}`, a dict
`{"dict": {…}}`, a set `{"set": […]}`, anything else that is not plain `{"other": "its class"}`. The harness alone holds
what is expected, and compares it with what came back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, Literal

from pydantic import Field, StringConstraints

from benchsite.schema import Schema

__all__ = ["Case", "Repair", "call_text", "failure", "is_same", "marked", "python"]

MOST_SHOWN: Final = 200
"""Characters of a value in a result."""
_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{6,}")

Source = Annotated[str, StringConstraints(min_length=1, max_length=2_000)]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,59}$")]


class Case(Schema):
    """One call: positional arguments, the value it must return, and if stated, the arguments afterwards."""

    arguments: Annotated[tuple[Any, ...], Field(strict=False, max_length=10)]
    returns: Any
    leaves: Annotated[tuple[Any, ...], Field(strict=False, max_length=10)] | None = None


Cases = Annotated[tuple[Case, ...], Field(strict=False, min_length=1, max_length=20)]


class Repair(Schema):
    """The `parameters` of a task.

    Attributes:
        fault: the kind of fault.
        faults: how many there are.
        visible: tests that are in the query, and that the tool runs.
        hidden: tests that the evaluator adds.
    """

    fault: Literal["wrong-operator", "off-by-one", "edge-case", "shared-state"]
    faults: Literal[1, 2]
    function: Name
    faulty: Source
    visible: Cases
    hidden: Cases


def marked(value: Any) -> Any:
    """Return a JSON value with the marks of the sandbox."""
    if isinstance(value, list | tuple):
        return [marked(one) for one in value]
    if isinstance(value, Mapping):
        return {"dict": {name: marked(one) for name, one in value.items()}}
    return value


def is_same(one: Any, other: Any) -> bool:
    """Whether two marked values are equal; 1 equals 1.0, and no number equals a truth value."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other
    if type(one) is not type(other):
        return False
    if isinstance(one, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(is_same(one[name], other[name]) for name in one)
    return bool(one == other)


def python(value: Any) -> str:
    """Return a marked value as Python writes it, at most 200 characters."""
    text = "".join(_written(value))
    return text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "…"


def _written(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        yield from ("[", *_listed(value), "]")
    elif isinstance(value, dict) and isinstance(value.get("tuple"), list):
        yield from ("(", *_listed(value["tuple"]), ",)" if len(value["tuple"]) == 1 else ")")
    elif isinstance(value, dict) and isinstance(value.get("set"), list):
        yield from ("{", *_listed(value["set"]), "}") if value["set"] else ("set()",)
    elif isinstance(value, dict) and isinstance(value.get("dict"), dict):
        pairs = (f"{name!r}: {python(one)}" for name, one in value["dict"].items())
        yield f"{{{', '.join(pairs)}}}"
    elif isinstance(value, dict):
        yield f"<{str(value.get('other', 'object'))[:80]}>"
    else:
        yield repr(value)


def _listed(values: Sequence[Any]) -> Iterator[str]:
    for place, one in enumerate(values):
        yield from (", ", *_written(one)) if place else _written(one)


def call_text(function: str, case: Case) -> str:
    """Return a call as it is written: `add(1, 2)`."""
    return f"{function}({', '.join(python(marked(one)) for one in case.arguments)})"


def failure(case: Case, result: Mapping[str, Any] | None, ended: str) -> str | None:
    """Return how the result of a call departs from a case, in words; None if it does not.

    Args:
        case: the call and what it must return.
        result: as the sandbox gave it; None if the call did not end.
        ended: what ended the sandbox's process.
    """
    if result is None:
        return _ENDED[ended]
    if "raised" in result:
        return f"raised {_plain(result['raised'])}: {_plain(result.get('text', ''))}".removesuffix(": ")
    if not is_same(result.get("value"), marked(case.returns)):
        return f"returned {_plain(python(result.get('value')))}"
    if case.leaves is not None and not is_same(result.get("after"), marked(case.leaves)):
        return f"changed its arguments to {_plain(python(result.get('after'))[1:-1])}"
    return None


def _plain(text: object) -> str:
    """Return a text on one line, without addresses of memory, which differ in every run."""
    line = " ".join(str(text)[:MOST_SHOWN].split())
    return _ADDRESS.sub("0x…", line).encode("utf-8", "replace").decode("utf-8")


_ENDED: Final[Mapping[str, str]] = {
    "early": "ended the process",
    "cpu": "took too long",
    "time": "took too long",
    "whole": "gave no result",
}
