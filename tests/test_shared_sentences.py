"""Python and JavaScript say each message of a module `sentences`: neither language has one that the other lacks."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

_QUOTED = re.compile(r'"([A-Za-z0-9/-]+)"')


def quoted(*files: Path) -> set[str]:
    return {word for file in files for word in _QUOTED.findall(file.read_text(encoding="utf-8"))}


@pytest.mark.parametrize(
    ("package", "python", "javascript"),
    [
        (
            "log",
            ("checkpoint.py", "cosignature.py", "note.py", "proof.py", "replay.py"),
            ("checkpoint.js", "cosignature.js", "note.js", "proof.js", "keyring.js"),
        ),
        ("tracks/agents", ("violations.py",), ("agents-violations.js",)),
        ("tracks/retrieval", ("violations.py",), ("retrieval-invariants.js",)),
        (
            "tracks/rubric",
            ("violations.py", "consistency.py"),
            ("rubric-demands.js", "rubric-consistency.js"),
        ),
    ],
)
def test_both_languages_say_every_message(
    root: Path, package: str, python: tuple[str, ...], javascript: tuple[str, ...]
) -> None:
    messages = import_module(f"benchsite.{package.replace('/', '.')}.sentences").MESSAGES
    for said in (
        quoted(*(root / "benchsite" / package / name for name in python)),
        quoted(*(root / "theme/verify" / name for name in javascript)),
    ):
        assert messages.keys() - said == set()
