"""Python and JavaScript say what both say from one file: each name of a module `sentences` is used by both, no text twice.

A name counts as used where a sentence is asked for: as an argument of the functions that say one, or in brackets behind the
table. A name of several words, with hyphens, is nothing else wherever it is quoted; codes that are chosen earlier are found
so. Comments do not count.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

_ASKED = re.compile(
    r"\b(?:said|refusal|refused|_refused|_?fault|Refused|_broken|violation|faulty)\((?:MESSAGES, )?([^,()]*)"
    r"|\b(?:MESSAGES|DETAILS)\[([^\]]*)\]"
    r"|\b(?:MESSAGES|DETAILS)\.([a-z]+)\b"
)
_QUOTED = re.compile(r"""["']([a-z0-9/-]+)["']""")
_COMMENT = re.compile(r"^[ \t]*(?://.*|/\*(?:[^*]|\*(?!/))*\*/)", re.MULTILINE)


class Family(NamedTuple):
    """A module `sentences`, and the files in which each language says its messages."""

    package: str
    python: tuple[str, ...]
    javascript: tuple[str, ...]


FAMILIES = (
    Family(".", ("schema.py",), ("forms.js", "shape.js")),
    Family(
        "board",
        ("comparable.py", "discrepancies.py", "statement.py", "../pipeline/proof.py"),
        ("board-engine.js", "board-file.js", "discrepancies.js", "ranks.js"),
    ),
    Family("canonical", ("_scanner.py", "_writer.py"), ("json.js", "jcs.js")),
    Family(
        "history",
        (
            *("__init__.py", "examine.py", "links.py", "placing.py", "ranking.py"),
            *("registration.py", "rescoring.py", "../cli/check.py"),
        ),
        (
            *("account.js", "examine.js", "header.js", "position.js", "reasons.js", "registration.js"),
            "rescore.js",
        ),
    ),
    Family(
        "log",
        ("checkpoint.py", "cosignature.py", "entries.py", "note.py", "proof.py", "replay.py", "tree.py"),
        (
            *("checkpoint.js", "cosignature.js", "entries.js", "forms.js"),
            *("keyring.js", "note.js", "proof.js", "tiles.js"),
        ),
    ),
    Family("methodology", ("engine.py",), ("rescore.js",)),
    Family("receipt", ("__init__.py",), ("envelope.js",)),
    Family(
        "tracks/agents/record",
        (
            *("action_log.py", "agreement.py", "columns.py", "payload.py", "violations.py"),
            *("verification.py", "../scores/engines.py", "../trace/archive.py", "../trace/event.py"),
        ),
        (
            *("agents-actions.js", "agents-agreement.js", "agents-columns.js", "agents-traces.js"),
            *("agents-violations.js", "board-agents.js", "forms-agents.js"),
        ),
    ),
    Family(
        "tracks/retrieval/record",
        ("payload.py", "verification.py", "violations.py", "../scores/engines.py"),
        ("board-retrieval.js", "forms-retrieval.js", "rescore-retrieval.js", "retrieval-invariants.js"),
    ),
    Family(
        "tracks/rubric",
        ("consistency.py", "engines.py", "verification.py", "violations.py"),
        ("forms-rubric.js", "rescore-rubric.js", "rubric-consistency.js", "rubric-demands.js"),
    ),
)

OWN: dict[str, str] = {
    "an Ed25519 public key has {} bytes, not {}": "a fault of the caller: every key that is read was measured before",
    "{} successes in {} trials are impossible": "a fault of the caller: no input reaches it",
}
"""Texts that both languages write themselves, and why nobody reads them."""


def used(text: str) -> set[str]:
    """Names in the places where a sentence is asked for, and names of several words wherever they are quoted."""
    found: set[str] = set()
    for argument, key, member in _ASKED.findall(text):
        found |= {member, *_QUOTED.findall(argument + key)} - {""}
    return found | {name for name in _QUOTED.findall(text) if re.search("[-/]", name)}


def names(package: str) -> set[str]:
    module = import_module(f"benchsite/{package}/sentences".replace("/./", "/").replace("/", "."))
    return {name for table in ("MESSAGES", "DETAILS") for name in getattr(module, table, ())}


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.package)
def test_both_languages_use_every_name(root: Path, family: Family) -> None:
    own = root / "benchsite" / family.package
    python = "\n".join((own / name).read_text(encoding="utf-8") for name in family.python)
    script = "\n".join(
        (root / "theme/verify" / name).read_text(encoding="utf-8") for name in family.javascript
    )
    missing = {
        "python": names(family.package) - used(python),
        "javascript": names(family.package) - used(_COMMENT.sub("", script)),
    }
    assert missing == {"python": set(), "javascript": set()}


def test_every_module_of_sentences_is_looked_at(root: Path) -> None:
    found = {
        path.parent.relative_to(root / "benchsite").as_posix()
        for path in root.glob("benchsite/**/sentences.py")
    }
    assert found == {family.package for family in FAMILIES}


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ('throw refusal("origin", {}, "seq");', {"origin"}),
        ('throw new Fault(MESSAGES["empty"]);', {"empty"}),
        ("MESSAGES.founding", {"founding"}),
        ('said(more ? "differs-more" : "differs", values)', {"differs-more", "differs"}),
        ('yield violation(MESSAGES, "task-count", "tasks.id")', {"task-count"}),
        ('const field = "origin";', set()),
    ],
)
def test_a_word_that_is_quoted_for_another_reason_is_no_use_of_a_name(text: str, seen: set[str]) -> None:
    assert used(text) == seen


def of_three_words(text: str) -> bool:
    return len(re.findall(r"(?<!\S)\S*[A-Za-z]\S*(?!\S)", text)) >= 3


def python_texts(path: Path) -> Iterator[str]:
    """Literals that are no docstrings; `{}` for what is filled in."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(part) for part in node.values}
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield re.sub(r"\{\w*\}", "{}", node.value)


def script_texts(path: Path) -> Iterator[str]:
    """Literals, those that are added up as one; `{}` for what is filled in. None spans lines (benchsite.site.verifier)."""
    text = _COMMENT.sub("", path.read_text(encoding="utf-8"))
    text = re.sub(r'(["`])\s*\+\s*\1', "", text)
    text = re.sub(r"\$\{[^{}]*\}", "{}", text)
    for quote in ('"', "`"):
        yield from re.findall(rf"{quote}((?:[^{quote}\\\n]|\\.)*){quote}", text)


def test_no_text_is_written_in_both_languages(root: Path) -> None:
    """A message that both languages say is in a module `sentences`; the generated files say so in their first line."""
    python = {
        text
        for path in root.glob("benchsite/**/*.py")
        if path.name != "sentences.py"
        for text in python_texts(path)
    }
    written = [
        path
        for path in root.glob("theme/verify/*.js")
        if not path.read_text(encoding="utf-8").startswith("// Written by")
    ]
    script = {text for path in written for text in script_texts(path)}
    assert len(python) > 2_000
    assert len(script) > 500
    assert {text for text in python & script if of_three_words(text)} == OWN.keys()
