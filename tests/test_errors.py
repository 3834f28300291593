"""Errors cross process borders: a worker's error must reach the parent as what it was."""

from __future__ import annotations

import pickle

import pytest

import benchsite.pipeline.publish  # noqa: F401 - loads the tree
from benchsite.canonical import JsonError
from benchsite.canonical._limits import Reason
from benchsite.errors import BenchsiteError
from benchsite.receipt import ReceiptError
from benchsite.repo import GitError

SPECIAL: dict[type[BenchsiteError], BenchsiteError] = {
    JsonError: JsonError(Reason.DEPTH, "nested too deep", offset=64, hint="flatten it"),
    ReceiptError: ReceiptError("field ranAt: not a time", field="ranAt", hint="run it again"),
    GitError: GitError("push", "remote: no\nfatal: rejected\n"),
}


def tree(kind: type[BenchsiteError]) -> list[type[BenchsiteError]]:
    return [kind, *(inner for child in kind.__subclasses__() for inner in tree(child))]


@pytest.mark.parametrize("kind", tree(BenchsiteError), ids=lambda kind: kind.__name__)
def test_every_error_survives_pickling(kind: type[BenchsiteError]) -> None:
    made = SPECIAL.get(kind) or kind("what went wrong", hint="what to try")
    again = pickle.loads(pickle.dumps(made))  # noqa: S301 - our own bytes
    assert type(again) is kind
    assert vars(again) == vars(made)
    assert (str(again), again.exit_code) == (str(made), made.exit_code)


def test_a_json_error_without_an_offset_survives_too() -> None:
    again = pickle.loads(pickle.dumps(JsonError(Reason.TYPE, "$.a: a set has no JSON")))  # noqa: S301
    assert (again.reason, again.offset, again.message) == (Reason.TYPE, None, "JSON: $.a: a set has no JSON")
