"""Adapters: hold one against the contract, and write the beginning of a new one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Final, Literal

from benchsite import plugins
from benchsite.errors import InputError
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.measure.run import context
from benchsite.repo import write_atomically
from benchsite.track import NOTHING, Grant
from benchsite.tracks.retrieval import contract
from benchsite.tracks.retrieval.contract import COMMAND, TIMEOUT_S, Clause
from benchsite.tracks.retrieval.subject import Scalar

__all__ = ["FOLDER", "GROUP", "PROGRAM", "Begun", "Language", "begin", "examined"]

GROUP: Final = "benchsite.retrieval.adapters"
FOLDER: Final = "adapters"
PROGRAM: Final = "adapter"
"""The name of the program in `adapters/<name>/`, by which `check` finds it."""

Language = Literal["python", "any"]
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,79}")

_PROGRAM: Final = Template('''\
#!/usr/bin/env python3
"""$name: answers JSON-RPC 2.0, a request a line. Any language does: keep the methods, replace the rest."""

import json
import re
import sys

items = {}


def words(text):
    return set(re.findall(r"\\w+", text.lower()))


def query(asked, k):
    shared = {id: len(asked & words(text)) / len(asked) for id, text in items.items() if asked & words(text)}
    return [[id, shared[id], items[id]] for id in sorted(shared, key=lambda id: -shared[id])[:k]]


def answer(method, params):
    if method == "initialize":
        return {"name": "$name", "version": "0.1.0", "author": "you"}
    if method == "reset":
        items.clear()
    if method == "ingest":
        items.update((item["id"], item["content"]) for item in params["items"])
    if method == "query":
        return {"hits": query(words(params["query"]), params["k"])}
    return None


for line in sys.stdin:
    request = json.loads(line)
    result = answer(request["method"], request["params"])
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
''')
_CLASS: Final = Template('''\
"""$name: items that share words with the question. Say here whose recommended settings these are."""

import re


class Adapter:
    name = "$name"
    version = "0.1.0"
    author = "you"
    network = False
    hosted = False
    environment = ()

    def __init__(self):
        self.reset()

    def reset(self):
        self.items = []

    def ingest(self, items):
        self.items.extend(items)

    def query(self, q, k, when):
        asked = words(q)
        found = [(item, len(asked & words(item.content))) for item in self.items]
        hits = [(item.id, shared / len(asked), item.content) for item, shared in found if shared]
        return sorted(hits, key=lambda hit: -hit[1])[:k]


def words(text):
    return set(re.findall(r"\\w+", text.lower()))
''')
_PROJECT: Final = Template("""\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "benchsite-$name"
version = "0.1.0"
requires-python = ">=3.11"

[project.entry-points."benchsite.retrieval.adapters"]
$name = "$module:Adapter"

[tool.hatch.build.targets.wheel]
only-include = ["$module.py"]
""")


@dataclass(frozen=True, slots=True)
class Begun:
    """The files of a new adapter, and the commands that come next."""

    files: tuple[Path, ...]
    next_steps: tuple[str, ...]


def examined(
    subject: str,
    options: Mapping[str, Scalar] | None = None,
    *,
    instance: Instance | None = None,
    grant: Grant = NOTHING,
    timeout_s: float = TIMEOUT_S,
) -> tuple[Clause, ...]:
    """Hold an installed adapter, or `command:PROGRAM ARGS`, against the contract.

    Args:
        subject: which adapter.
        options: its options.
        instance: the repository it must not write to.
        grant: what it may have. The configuration grants nothing here: a branch under review brings its own.
        timeout_s: deadline of each call.

    Raises:
        IntegrityError: the repository changed meanwhile.
        UsageError: no adapter of this name is installed.
        InputError: the quotes of the command do not close.
    """
    reference = None if subject.startswith(COMMAND) else plugins.reference(GROUP, subject)
    spec = contract.spec_of(subject, reference, options)
    with context(lambda _done, _total, _label: None, instance, grants=lambda _subject: grant) as made:
        return tuple(contract.examine(spec, made, timeout_s=timeout_s))


def begin(root: Path, name: str, language: Language) -> Begun:
    """Write an adapter that already keeps the contract, for its author to change.

    Args:
        root: where `adapters/<name>/` is made.
        name: what the adapter is to be called.
        language: `any` for a program that speaks over stdio, `python` for a package with a class.

    Raises:
        InputError: the name is malformed, the folder exists, or it cannot be written.
    """
    if not _NAME.fullmatch(name):
        raise InputError(
            f'{name[:80]!r} is no name for an adapter: 1 to 80 of a-z, 0-9 and "-", not starting with "-"',
            hint="choose a name such as my-search",
        )
    folder = root / FOLDER / name
    files = _package(name) if language == "python" else {PROGRAM: _PROGRAM.substitute(name=name)}
    try:
        folder.mkdir(parents=True)
        for path, text in files.items():
            write_atomically(folder / path, text.encode())
        if language == "any":
            (folder / PROGRAM).chmod(0o755)
    except FileExistsError:
        raise InputError(f"{folder} exists already", hint="choose another name, or remove it first") from None
    except OSError as error:
        raise InputError(
            f"cannot write {folder}: {error.strerror}", hint="check the folder's owner and permissions"
        ) from None
    where = f"{FOLDER}/{name}"
    subject = name if language == "python" else f"{COMMAND}{where}/{PROGRAM}"
    install = (f"pip install -e {where}",) if language == "python" else ()
    steps = (
        *install,
        f"benchsite adapter check {subject}",
        f"benchsite run retrieval --adapter {subject} --fixture three-notebooks-v1",
    )
    return Begun(tuple(folder / path for path in files), steps)


def _package(name: str) -> dict[str, str]:
    module = f"adapter_{name.replace('-', '_')}"
    return {
        ".gitignore": "__pycache__/\n",
        "pyproject.toml": _PROJECT.substitute(name=name, module=module),
        f"{module}.py": _CLASS.substitute(name=name),
    }
