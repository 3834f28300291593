"""Reading the document of a packaged benchmark: what is refused, and with which words."""

from __future__ import annotations

from typing import Any

import packaged_benchmarks
import pytest

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.tracks.agents.benchmarks import load


def changed(**fields: Any) -> dict[str, Any]:
    """A document whose first task has other fields."""
    document = packaged_benchmarks.small()
    first, second = document["tasks"]
    return {**document, "tasks": [{**first, **fields}, second]}


def shown(**fields: Any) -> dict[str, Any]:
    """A document whose worked example has other fields."""
    document = packaged_benchmarks.small()
    (example,) = document["prompts"]["question"]["examples"]
    prompt = {**document["prompts"]["question"], "examples": [{**example, **fields}]}
    return {**document, "prompts": {"question": prompt}}


def test_systems_see_query_instructions_and_examples_and_no_expected_answer() -> None:
    document = packaged_benchmarks.small()
    found = packaged_benchmarks.read(document)
    one, _ = found.tasks
    assert (one.id, one.query, one.domain, one.split) == ("one", "What is 20 + 21?", "easy", "seen")
    assert one.instructions == "Answer with a number."
    (example,) = one.examples
    assert (example.query, example.answer) == ("What is 2 + 3?", "5")
    assert (example.steps[0].tool, example.steps[0].result) == ("calculator", "5")
    assert one.needs_action is True
    assert "41" not in repr(one)
    assert found.sha256 == canonical.digest(document)


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (changed(id="two"), "the id 'two' occurs twice"),
        (changed(query="What is 30 - 42?"), "the query 'What is 30 - 42?' occurs twice"),
        (changed(prompt="absent"), "task one: no prompt 'absent'"),
        (changed(query="What is 2 + 3?"), "task one: its query is a worked example"),
        (
            changed(expected={"form": "number", "answer": "1 or 2"}),
            "task one: its expected answer isn't a number",
        ),
        (changed(expected={"form": "other", "answer": "1"}), "tasks.0.expected.form"),
        (changed(gold="41"), "tasks.0.gold"),
        (shown(steps=[]), "tool calculator: no worked example calls it"),
        (shown(steps=[{"tool": "shell", "arguments": {}, "result": ""}]), "no tool 'shell'"),
        (packaged_benchmarks.small(data={"rows": []}), "data: a calculator needs none"),
        (packaged_benchmarks.small(tasks=[]), "tasks"),
    ],
)
def test_an_inconsistent_document_is_refused(document: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as caught:
        packaged_benchmarks.read(document)
    assert words in caught.value.message
    assert caught.value.hint


def test_two_spellings_of_a_member_are_not_accepted() -> None:
    text = canonical.dumps(packaged_benchmarks.small()).replace(b'"notes":""', b'"notes":"","notes":"again"')
    with pytest.raises(InputError):
        load(text, "test")
