"""The document of SciCode: problems with their steps and tests, and the file of targets by its hash.

Takes bytes, never a path. Refuses numbers that occur twice, steps that are not numbered in order, and steps without tests
whose code is not given.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Final, Literal

from pydantic import Field, PrivateAttr, StringConstraints, ValidationError

from benchsite import canonical
from benchsite.canonical import JsonError
from benchsite.errors import InputError
from benchsite.schema import Schema, Sha256Hex, Text, first_fault

__all__ = ["OFFICIAL_SECONDS", "Document", "Problem", "Step", "parse"]

MAX_BYTES: Final = 64 * 1024 * 1024
OFFICIAL_SECONDS: Final = 1800
"""Seconds that the official evaluation gives the tests of a step."""
HINT: Final = "import it: benchsite benchmark import scicode PATH"

Words = Annotated[str, StringConstraints(max_length=50_000)]
Code = Annotated[str, StringConstraints(min_length=1, max_length=200_000)]
Number = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,4}\.[0-9]{1,3}$")]


class TargetFile(Schema):
    """The HDF5 file of targets, as receipts pin it through the document."""

    name: Text
    sha256: Sha256Hex
    size: Annotated[int, Field(ge=1)]


class Step(Schema):
    """One step.

    Attributes:
        header: the definition of its function or class, with its docstring.
        ending: the line that the function ends with; empty if none is stated.
        tests: Python source, run in order in one script.
        given: the code that everyone gets, of a step that is not evaluated.
    """

    number: Number
    description: Words
    header: Code
    ending: Words
    tests: Annotated[tuple[Code, ...], Field(strict=False, max_length=50)]
    given: Code | None = None

    @property
    def reads_targets(self) -> bool:
        """Whether a test names its target."""
        return any("target" in test for test in self.tests)


class Problem(Schema):
    """One problem: a task."""

    id: Annotated[str, StringConstraints(pattern=r"^[0-9]{1,4}$")]
    name: Text
    description: Words
    dependencies: Words
    steps: Annotated[tuple[Step, ...], Field(strict=False, min_length=1, max_length=100)]


class Document(Schema):
    """A whole split.

    Attributes:
        edition: the commit and the split, or that the file is another one.
        seconds: of CPU for the tests of a step.
    """

    track: Literal["agents"]
    id: Literal["scicode", "scicode-dev"]
    kind: Literal["scicode"]
    license: Text
    source: Text
    notes: Words
    publish: Literal["full", "redacted", "sealed"]
    edition: Text
    split: Literal["test", "dev"]
    seconds: Annotated[int, Field(ge=1, le=OFFICIAL_SECONDS)]
    targets: TargetFile
    problems: Annotated[tuple[Problem, ...], Field(strict=False, min_length=1, max_length=1000)]

    _sha256: str = PrivateAttr(default="")

    @property
    def sha256(self) -> str:
        """SHA-256 hex of the JCS of the document, as receipts pin it."""
        return self._sha256


def parse(data: bytes, where: str) -> Document:
    """Read a `fixture.json`.

    Raises:
        InputError: it is malformed; the first faulty place is named.
    """
    try:
        value = canonical.loads(data, max_bytes=MAX_BYTES)
        found = Document.model_validate(value)
    except JsonError as error:
        raise InputError(f"SciCode {where}: {error.message}", hint=error.hint) from None
    except ValidationError as error:
        place, fault = first_fault(error)
        raise InputError(f"SciCode {where}: {place or 'document'}: {fault}", hint=HINT) from None
    for fault in _faults(found):
        raise InputError(f"SciCode {where}: {fault}", hint=HINT)
    found._sha256 = canonical.digest(value)  # noqa: SLF001 - ours
    return found


def _faults(document: Document) -> Iterator[str]:
    seen = set[str]()
    for problem in document.problems:
        if problem.id in seen:
            yield f"problem {problem.id} occurs twice"
        seen.add(problem.id)
        for number, step in enumerate(problem.steps, 1):
            if step.number != f"{problem.id}.{number}":
                yield f"problem {problem.id}: step {step.number} is in the place of {problem.id}.{number}"
            if bool(step.tests) == (step.given is not None):
                state = "tests and given code" if step.tests else "no tests and no given code"
                yield f"step {step.number} has {state}"
        if not any(step.tests for step in problem.steps):
            yield f"problem {problem.id} has no step with tests"
