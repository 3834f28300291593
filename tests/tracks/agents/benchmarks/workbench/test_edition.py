"""Files of the edition of June 2026: one sentence names the cause and the commit that fits."""

from __future__ import annotations

import pytest
import tiny_workbench

from benchsite.errors import InputError
from benchsite.tracks.agents.benchmarks.workbench import results
from benchsite.tracks.agents.benchmarks.workbench.importer import convert

SAID = "is of the 2026 edition; the edition that benchsite reads is of July 2024, commit 42f1b6d of the same repository"


def test_the_data_of_the_newer_layout():
    files = {
        name.replace("queries_and_answers/", "tasks_and_outcomes/v1/").replace("_queries_and_answers", "_tasks_and_outcomes"): data
        for name, data in tiny_workbench.published().items()
    }  # fmt: skip
    with pytest.raises(InputError) as caught:
        convert(files)
    assert caught.value.message == f"WorkBench: this folder {SAID}"
    assert caught.value.hint == "run: git -C WorkBench checkout 42f1b6d"


@pytest.mark.parametrize("quote", ["", '"'])
def test_results_of_the_newer_layout(quote: str):
    head = ",".join(f"{quote}{name}{quote}" for name in ("task", "function_calls", "full_response", "error"))
    files = {
        name: head.encode() + b"\r\n" + data.partition(b"\n")[2]
        for name, data in tiny_workbench.results("gpt-9_all").items()
    }
    with pytest.raises(InputError) as caught:
        results.read(tiny_workbench.benchmark().dataset, files, "gpt-9_all")
    assert caught.value.message.endswith(SAID)
