"""The kind of content/docs/write-a-benchmark.md, and the tables of content/docs/agents.md, as written there."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any, Final

import packaged_benchmarks
import pytest

from benchsite import canonical
from benchsite.tracks.agents.benchmarks import Kind
from benchsite.tracks.agents.tools import Call

DOCS: Final = Path(__file__).resolve().parents[5] / "content/docs"


def documented() -> Kind:
    (source,) = re.findall(
        r"```python\n(.*?)```", (DOCS / "write-a-benchmark.md").read_text(encoding="utf-8"), re.DOTALL
    )
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


def rows(name: str) -> list[list[str]]:
    """The cells of every table row of agents.md that begins with a benchmark."""
    text = (DOCS / "agents.md").read_text(encoding="utf-8")
    found = re.findall(rf"^\| `{name}` \| (.*) \|$", text, re.MULTILINE)
    return [row.split(" | ") for row in found]


@pytest.mark.parametrize("name", ["arithmetic-tools", "kb-lookup", "table-ops"])
def test_the_tables_of_the_page_are_those_of_the_documents(name: str) -> None:
    benchmark = packaged_benchmarks.shipped(name)
    counted, baselines, bands = rows(name)
    domains = Counter(task.domain for task in benchmark.tasks)
    reserved = sum(task.split == "reserved" for task in benchmark.tasks)
    sizes = [str(domains[band]) for band in ("easy", "middle", "hard")]
    assert counted == [", ".join(f"`{tool.name}`" for tool in benchmark.tools), *sizes, str(reserved)]
    calls, answer = benchmark.most_common_answer()
    given = [("null", (), None), ("constant", calls, answer)]
    solved = [
        sum(benchmark.grade(task.id, made, said, "").success for task in benchmark.tasks)
        for _, made, said in given
    ]
    assert baselines == [f"{count}/{len(benchmark.tasks)}" for count in (*solved, 0, 0)]
    assert [cell.partition("/")[2] for cell in bands] == [*sizes, *[str(len(benchmark.tasks))] * 2, sizes[0]]
    notes = benchmark.notes
    easy, middle, hard, every, without, smallest = bands
    assert f"solved {easy} easy, {middle} middle and {hard} hard tasks, without tools {without};" in notes
    assert f"solved {smallest} easy tasks" in notes
    assert sum(int(cell.partition("/")[0]) for cell in (easy, middle, hard)) == int(every.partition("/")[0])
