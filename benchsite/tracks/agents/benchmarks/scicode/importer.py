"""SciCode (scicode-bench/SciCode, Apache-2.0) as published, as bytes by relative name, into the object of a `fixture.json`.

A split is one file of JSON lines, a problem a line. Steps without tests have their code in `<step>.txt` beside it. Targets are
in one HDF5 file, of which only names are read here. Pure: the command line reads the files. Refuses, with file, line and
step: problems of another shape, steps without tests and code, and targets whose tests are not those of the problems.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final

from pydantic import ConfigDict, Field, ValidationError

from benchsite import canonical
from benchsite.canonical import JsonError
from benchsite.errors import InputError
from benchsite.schema import Schema, first_fault
from benchsite.tracks.agents.benchmarks.scicode.code import function_name, given_code
from benchsite.tracks.agents.benchmarks.scicode.document import OFFICIAL_SECONDS, Document, parse
from benchsite.words import amount

__all__ = ["COMMIT", "PUBLISHED", "Tests", "convert", "require_targets"]

COMMIT: Final = "89fccc3"
"""Commit of scicode-bench/SciCode (July 2024) whose problems are known by their hash."""
PUBLISHED: Final[Mapping[str, str]] = {
    "193968aff23b7ed931c8f6d196b611e2f6694adb49e6cc085444a60ad2fc4f7b": "problems_dev.jsonl",
    "38797fef78f434720be6d053b4f3a86839d6f8ea5fb9115450677cd3a6edf81d": "problems_all.jsonl",
}
"""SHA-256 of the files of that commit."""
_NAMES: Final = {
    "test": ("problems_all.jsonl", "problems_test.jsonl"),
    "dev": ("problems_dev.jsonl", "problems_validation.jsonl"),
}
_SOURCE: Final = "https://github.com/scicode-bench/SciCode"
_CHECKOUT: Final = f"name the folder of `git checkout {COMMIT}`: its eval/data has the problems"
_TARGETS: Final = "download test_data.h5, which the README of SciCode links, into the folder of the problems"
_CORRECT: Final = "import the file as published, or correct the place named"

Tests = Mapping[str, int | None]
"""Number of tests of each step of a file of targets; None if they are not numbered from 1 on."""


class _Open(Schema):
    """A published object; members that are not needed are ignored."""

    model_config = ConfigDict(extra="ignore", alias_generator=None)


class _Step(_Open):
    step_number: str
    step_description_prompt: str
    function_header: str
    return_line: str | None = None
    test_cases: Annotated[tuple[str, ...], Field(strict=False)]


class _Problem(_Open):
    problem_id: str
    problem_name: str
    problem_description_main: str
    required_dependencies: str
    sub_steps: Annotated[tuple[_Step, ...], Field(strict=False)]


def convert(
    files: Mapping[str, bytes],
    split: str,
    targets: Mapping[str, tuple[str, int]],
    tests_in: Callable[[str], Tests],
) -> tuple[dict[str, Any], Document]:
    """Return the document of a split, and how it is read.

    Args:
        files: bytes by relative name.
        split: `test` or `dev`.
        targets: SHA-256 and size of each HDF5 file.
        tests_in: reads the number of tests of each step of one of them.

    Raises:
        InputError: a file is missing or malformed, or the targets are of another version.
    """
    where = _only([name for name in files if name.rpartition("/")[2] in _NAMES[split]], split)
    file = _only(list(targets), "")
    data = files[where]
    folder = where.rpartition("/")[0]
    given = {
        name.rpartition("/")[2].removesuffix(".txt"): files[name]
        for name in files
        if name.endswith(".txt") and name.rpartition("/")[0] == folder
    }
    problems = [_problem(line, f"{where}: line {number}", given) for number, line in _lines(data)]
    sha256 = canonical.sha256_hex(data)
    is_known = PUBLISHED.get(sha256) == _NAMES[split][0]
    edition = f"commit {COMMIT}, {split} split" if is_known else f"{split} split, not of commit {COMMIT}"
    document: dict[str, Any] = {
        "track": "agents",
        "id": "scicode" if split == "test" else "scicode-dev",
        "kind": "scicode",
        "license": "Apache-2.0",
        "source": _SOURCE if is_known else "files in the layout of SciCode, not those of a known commit",
        "notes": f"Problems of SciCode, {edition}. SHA-256 of {where.rpartition('/')[2]}: {sha256}. "
        "Its audit SciCode-Verified (arXiv 2608.04975) found 262 defects in the published problems. "
        "Code shares a process with its tests and can forge a pass.",
        "publish": "full",
        "edition": edition,
        "split": split,
        "seconds": OFFICIAL_SECONDS,
        "targets": {
            "name": file.rpartition("/")[2],
            "sha256": targets[file][0],
            "size": targets[file][1],
        },
        "problems": problems,
    }
    found = parse(canonical.dumps(document), where)
    require_targets(found, tests_in(file))
    return document, found


def require_targets(document: Document, tests: Tests) -> None:
    """Raise `InputError` if a file of targets is not of the version of the problems."""
    for problem in document.problems:
        for step in problem.steps:
            found = tests.get(step.number, 0)
            if found == len(step.tests) or (found == 0 and not step.reads_targets):
                continue
            stated = (
                "has no targets"
                if found == 0
                else "has targets of tests that aren't numbered from 1"
                if found is None
                else f"has targets of {amount(found, 'test')}, the problem has {len(step.tests)}"
            )
            raise InputError(
                f"SciCode: {document.targets.name}: step {step.number} {stated}",
                hint=f"problems and targets must be of one version, here {document.edition}: {_TARGETS}",
            )


def _only(names: list[str], split: str) -> str:
    what = f"problems of the {split} split ({' or '.join(_NAMES[split])})" if split else "targets (.h5)"
    if not names:
        raise InputError(f"SciCode: no file with {what}", hint=_CHECKOUT if split else _TARGETS)
    if len(names) > 1:
        raise InputError(f"SciCode: {len(names)} files with {what}: {names[0]}, {names[1]}", hint="keep one")
    return names[0]


def _lines(data: bytes) -> list[tuple[int, bytes]]:
    return [(number, line) for number, line in enumerate(data.split(b"\n"), 1) if line.strip()]


def _problem(line: bytes, where: str, given: Mapping[str, bytes]) -> dict[str, Any]:
    try:
        found = _Problem.model_validate(canonical.loads(line))
    except JsonError as error:
        raise InputError(f"{where}: {error.message}", hint=_CORRECT) from None
    except ValidationError as error:
        place, fault = first_fault(error)
        raise InputError(f"{where}: {place or 'problem'}: {fault}", hint=_CORRECT) from None
    return {
        "id": found.problem_id,
        "name": found.problem_name,
        "description": found.problem_description_main,
        "dependencies": found.required_dependencies,
        "steps": [_step(step, where, given) for step in found.sub_steps],
    }


def _step(step: _Step, where: str, given: Mapping[str, bytes]) -> dict[str, Any]:
    name = function_name(step.function_header)
    if name is None:
        raise InputError(
            f"{where}: step {step.step_number}: its header defines no function or class", hint=_CORRECT
        )
    code = None
    if not step.test_cases:
        source = given.get(step.step_number, b"").decode("utf-8", "replace")
        code = given_code(source, name)
        if code is None:
            raise InputError(
                f"{where}: step {step.step_number} has no tests, and no file {step.step_number}.txt defines {name}",
                hint=f"{_CHECKOUT}, and the code of steps without tests",
            )
    return {
        "number": step.step_number,
        "description": step.step_description_prompt,
        "header": step.function_header,
        "ending": step.return_line or "",
        "tests": list(step.test_cases),
        **({} if code is None else {"given": code}),
    }
