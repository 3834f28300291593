"""The kind that content/docs/write-a-benchmark.md writes, as it stands there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import packaged_benchmarks

from benchsite import canonical
from benchsite.tracks.agents.benchmarks import Kind
from benchsite.tracks.agents.tools import Call

PAGE: Final = Path(__file__).resolve().parents[5] / "content/docs/write-a-benchmark.md"


def documented() -> Kind:
    (source,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    namespace: dict[str, Any] = {}
    exec(source, namespace)  # noqa: S102 - our own page
    found: Kind = namespace["KIND"]
    return found


def test_the_documented_kind_reads_a_document_and_grades() -> None:
    step = {"tool": "price", "arguments": {"item": "tea"}, "result": "4"}
    example = {"query": "What does tea cost?", "steps": [step], "answer": "4"}
    document = packaged_benchmarks.small(
        kind="price-list",
        data={"prices": {"tea": 4, "rice": 41}},
        prompts={"question": {"instructions": "One number.", "examples": [example]}},
    )
    benchmark = documented().read(canonical.dumps(document), "test")
    workspace = benchmark.open("one")
    assert workspace.call("price", {"item": "rice"}).result == "41"
    refused = workspace.call("price", {"item": "salt"})
    assert (refused.result, refused.failed) == ("error: no item salt", True)
    assert benchmark.grade("one", [Call("price", {"item": "rice"})], "41", "").success
