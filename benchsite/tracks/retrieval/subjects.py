"""The part for other adapters: the conformance test, and the files of a new adapter that passes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import Template
from typing import Any, Final

from benchsite.track import Clause, RunContext
from benchsite.tracks.retrieval.conformance.run import TIMEOUT_S, examine
from benchsite.tracks.retrieval.run.programs import spec_of
from benchsite.tracks.retrieval.systems import catalog

__all__ = ["examined", "installed_with", "scaffold", "systems", "timeout_s"]

timeout_s: Final = TIMEOUT_S
systems: Final = catalog.SYSTEMS
installed_with: Final = catalog.group_of

_PROGRAM: Final = Template('''\
#!/usr/bin/env python3
"""$name: answers JSON-RPC 2.0, one request per line. Any language works: keep the methods, replace the rest."""

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
"""$name: ranks items by words shared with the query. Name the source of the recommended settings here."""

import re


class Adapter:
    about = {"name": "$name", "version": "0.1.0", "author": "you"}

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


def examined(
    subject: str, reference: str | None, options: Mapping[str, Any], context: RunContext, timeout_s: float
) -> Sequence[Clause]:
    """Run the conformance test on an adapter; raises as `examine` and `spec_of`."""
    program = spec_of(subject, reference, options, environments=context.environments)
    return tuple(examine(program, context, timeout_s=timeout_s))


def scaffold(name: str, language: str) -> Mapping[str, str]:
    """The files of a new adapter by their path: a program that speaks over stdio, or a package with a class."""
    if language == "any":
        return {"adapter": _PROGRAM.substitute(name=name)}
    module = f"adapter_{name.replace('-', '_')}"
    return {
        ".gitignore": "__pycache__/\n",
        "pyproject.toml": _PROJECT.substitute(name=name, module=module),
        f"{module}.py": _CLASS.substitute(name=name),
    }
