"""Errors cross process borders whole, every one names a next step, and `benchsite.errors` draws them all."""

from __future__ import annotations

import ast
import pickle
import re
from collections.abc import Iterator
from types import ModuleType
from typing import NamedTuple

import pytest
from constructions import MODULES, OURS, Construction, constructions, source_of

import benchsite.errors
from benchsite import canonical
from benchsite.canonical import JsonError
from benchsite.canonical._limits import Reason
from benchsite.errors import BenchsiteError
from benchsite.isolation.grants import NotGrantedError
from benchsite.receipt import ReceiptError
from benchsite.repo import GitError
from benchsite.repo._process import HeadError
from benchsite.track import Grant

SPECIAL: dict[type[BenchsiteError], BenchsiteError] = {
    JsonError: JsonError(Reason.DEPTH, "nested too deep", offset=64, hint="flatten it"),
    ReceiptError: ReceiptError("field ranAt: not a time", field="ranAt", hint="run it again"),
    GitError: GitError("push", "remote: no\nfatal: rejected\n"),
    HeadError: HeadError("log", "fatal: bad object HEAD\n"),
    NotGrantedError: NotGrantedError("adapter", "bm25", Grant(network=True)),
}

COMPUTED: dict[type[BenchsiteError], tuple[BenchsiteError, ...]] = {
    JsonError: tuple(JsonError(reason, "x", offset=at) for reason in Reason for at in (None, 0, 64)),
    GitError: (GitError("push", ""), GitError("commit", "fatal: '/a/index.lock': File exists")),
    NotGrantedError: (NotGrantedError("adapter", "bm25", Grant(network=True)),),
}
"""Classes whose constructor makes the hint from its arguments, with errors that are given none."""

ALLOWED: frozenset[str] = frozenset()
"""`module:line: call` of errors that need no next step. None does."""


@pytest.mark.parametrize("kind", OURS, ids=lambda kind: kind.__name__)
def test_every_error_survives_pickling(kind: type[BenchsiteError]) -> None:
    made = SPECIAL.get(kind) or kind("what went wrong", hint="what to try")
    again = pickle.loads(pickle.dumps(made))  # noqa: S301 - our own bytes
    assert type(again) is kind
    assert vars(again) == vars(made)
    assert (str(again), again.exit_code) == (str(made), made.exit_code)


def test_a_json_error_without_an_offset_survives_too() -> None:
    again = pickle.loads(pickle.dumps(JsonError(Reason.TYPE, "$.a: a set has no JSON")))  # noqa: S301
    assert (again.reason, again.offset, again.message) == (Reason.TYPE, None, "JSON: $.a: a set has no JSON")


class Drawn(NamedTuple):
    """One line of the tree that the docstring of `benchsite.errors` draws."""

    name: str
    parent: str
    exit_code: int
    module: str


def drawn(text: str) -> Iterator[Drawn]:
    above: list[str] = []
    for found in re.finditer(
        r"^( {4}[│├└─ ]*)(\w+)  +([0-9])(?:   (?:(benchsite[\w.]*): )?.*)?$", text, re.MULTILINE
    ):
        depth = len(found[1]) // 4 - 1
        above[depth:] = [found[2]]
        yield Drawn(
            found[2], above[depth - 1] if depth else "", int(found[3]), found[4] or "benchsite.errors"
        )


def test_the_tree_that_is_drawn_is_the_tree_there_is() -> None:
    shown = list(drawn(benchsite.errors.__doc__ or ""))
    assert len(shown) == len(set(shown))
    places = {item.name: item.module for item in shown}
    actual = {
        Drawn(
            kind.__name__,
            kind.__bases__[0].__name__ if kind is not BenchsiteError else "",
            kind.exit_code,
            places.get(kind.__name__, kind.__module__)
            if kind.__module__.startswith(places.get(kind.__name__, "?"))
            else kind.__module__,
        )
        for kind in OURS
    }
    assert set(shown) == actual


def test_the_drawing_is_read_by_its_branches() -> None:
    text = "    A               1\n    ├── B           2   it is this\n    │   └── C       2   benchsite.log: that\n    └── D           5   x"
    assert list(drawn(text)) == [
        Drawn("A", "", 1, "benchsite.errors"),
        Drawn("B", "A", 2, "benchsite.errors"),
        Drawn("C", "B", 2, "benchsite.log"),
        Drawn("D", "A", 5, "benchsite.errors"),
    ]


def says_nothing(made: Construction) -> bool:
    """Whether a construction gives no hint, or one that may be the empty text, and its class has none either."""
    if made.kind.next_step or (made.kind in COMPUTED and ast.unparse(made.call.func) != "super().__init__"):
        return False
    given = [item.value for item in made.call.keywords if item.arg == "hint"]
    return not given or any(empty(value) for value in given)


def empty(value: ast.expr) -> bool:
    """Whether an expression is, or in one of its branches may be, the empty text."""
    match value:
        case ast.Constant(value=text):
            return not text
        case ast.IfExp(body=one, orelse=other):
            return empty(one) or empty(other)
        case ast.BoolOp(values=values):
            return empty(values[-1])
        case _:
            return False


def test_every_error_has_its_next_step() -> None:
    lacking = {
        f"{made.where}: {ast.unparse(made.call)[:100]}"
        for module in MODULES.values()
        for made in constructions(source_of(module), module)
        if says_nothing(made)
    }
    assert lacking == ALLOWED


def test_no_function_makes_the_hint_of_an_error_optional() -> None:
    """A parameter `hint` that is empty unless given would hide a raise without one from the test above."""
    optional = []
    for module in MODULES.values():
        for item in ast.walk(ast.parse(source_of(module))):
            if not isinstance(item, ast.FunctionDef) or item.name == "__init__":
                continue
            plain, named = item.args, item.args.kwonlyargs
            pairs = [
                *zip(reversed(plain.args), reversed(plain.defaults), strict=False),
                *zip(named, plain.kw_defaults, strict=True),
            ]
            optional += [
                f"{module.__name__}.{item.name}"
                for argument, default in pairs
                if argument.arg == "hint" and default is not None and empty(default)
            ]
    assert optional == []


@pytest.mark.parametrize("kind", COMPUTED, ids=lambda kind: kind.__name__)
def test_a_class_that_makes_its_own_hint_always_has_one(kind: type[BenchsiteError]) -> None:
    assert all(made.hint for made in COMPUTED[kind])


@pytest.mark.parametrize(
    "kind",
    [kind for kind in OURS if kind.next_step and kind is not HeadError],
    ids=lambda kind: kind.__name__,
)
def test_a_hint_of_its_own_comes_before_that_of_its_class(kind: type[BenchsiteError]) -> None:
    assert kind("x").hint == kind.next_step
    assert kind("x", hint="do this").hint == "do this"


SAMPLES = """
from benchsite.errors import InputError as Renamed
import click
def f(error, which):
    from benchsite.errors import UsageError
    raise UsageError("local")
def g(error, which):
    broken = errors.IntegrityError("kept", hint="" if which else "x")
    raise click.UsageError("not ours")
raise Renamed("renamed") from None
raise Renamed("well", hint=error.hint)
"""


def test_the_search_finds_what_it_is_for() -> None:
    module = ModuleType("sample")
    module.__dict__.update(Renamed=benchsite.errors.InputError, errors=benchsite.errors)
    found = [made for made in constructions(SAMPLES, module) if says_nothing(made)]
    assert sorted(
        made.call.args[0].value for made in found if isinstance(made.call.args[0], ast.Constant)
    ) == [
        "kept",
        "local",
        "renamed",
    ]


def test_strict_json_says_where_to_look_and_never_to_edit() -> None:
    """The document may be signed. The second key begins behind 9 bytes."""
    with pytest.raises(JsonError) as refused:
        canonical.loads(b'{"a": 1, "a": 2}')
    assert refused.value.hint == "look at line 1, column 10 of the file: od -c -j 9 -N 60 FILE"
    with pytest.raises(JsonError) as refused:
        canonical.loads('{\n  "é": 1,,'.encode())
    assert refused.value.hint == "look at line 2, column 10 of the file: od -c -j 12 -N 60 FILE"
    with pytest.raises(JsonError) as refused:
        canonical.loads(b"[1, 2]", max_bytes=5)
    assert refused.value.hint == "give a document of at most 5 bytes"
    with pytest.raises(JsonError) as refused:
        canonical.dumps({"a": float("inf")})
    assert refused.value.hint == "replace that value by one that JSON can hold"
