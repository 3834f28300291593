"""Packaged benchmarks: tasks, worked examples and expected answers in one document, graded by answer and actions.

    KIND = kind(functions)   # functions(data, where): the tools of one document, from its member `data`

The document is `fixtures/<id>/fixture.json` with a task a line; receipts pin the SHA-256 of its JCS. A run succeeds if its
answer equals the expected one after normalization (`answers`), the calls that change the state are the expected ones, and
no error ended it. Pure: no path, clock, randomness or socket.
"""

from __future__ import annotations

from benchsite.tracks.agents.benchmarks.packaged.benchmark import Packaged, kind
from benchsite.tracks.agents.benchmarks.packaged.document import Document, Expected, StoredTask, parse
from benchsite.tracks.agents.benchmarks.packaged.functions import Function, ToolError, described, texts

__all__ = [
    "Document",
    "Expected",
    "Function",
    "Packaged",
    "StoredTask",
    "ToolError",
    "described",
    "kind",
    "parse",
    "texts",
]
