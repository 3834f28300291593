"""Official run files and verdicts of BrowseComp-Plus, made by hand: what each becomes, and what is refused without quoting a text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from benchsite.errors import InputError
from benchsite.tracks.agents.benchmarks.browsecomp_plus import retrieved
from benchsite.tracks.agents.benchmarks.packaged.functions import ToolError
from benchsite.tracks.agents.importers.browsecomp_judged import (
    judge_of,
    judged_files,
    read_verdicts,
    verdicts_of,
)
from benchsite.tracks.agents.importers.browsecomp_plus import confidence, read_answers, stated_run

SECRET = "the village of Ostrand"
OUTPUT = f"Explanation: see [12].\nExact Answer: {SECRET}\nConfidence: 87%"


def run(query: str = "7", output: str = OUTPUT, status: str = "completed", **more: Any) -> dict[str, Any]:
    return {
        "query_id": query,
        "tool_call_counts": {"search": 3, "get_document": 1},
        "status": status,
        "retrieved_docids": ["12", "11", "12"],
        "result": [{"type": "reasoning", "output": SECRET}, {"type": "output_text", "output": output}],
        **more,
    }


def files(*values: Any) -> dict[str, bytes]:
    return {
        f"run_{place}.json": json.dumps(value).encode() if not isinstance(value, bytes) else value
        for place, value in enumerate(values)
    }


def judged(query: str = "7", correct: Any = "yes", **more: Any) -> dict[str, Any]:
    return {"query_id": query, "correct": correct, **more}


def lines(*values: Mapping[str, Any]) -> dict[str, bytes]:
    return {"judge.jsonl": b"".join(json.dumps(value).encode() + b"\n" for value in values)}


def official(query: str = "7", **result: Any) -> dict[str, Any]:
    """A file `*_eval.json` of the official script."""
    return {
        "query_id": query,
        "response": OUTPUT,
        "correct_answer": SECRET,
        "judge_response": f"correct: yes because of {SECRET}",
        "judge_result": {"parse_error": False, "correct": True, "confidence": 87.0, **result},
        "model_info": {"judge_model": "Qwen/Qwen3-32B"},
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Confidence: 87%", 0.87),
        ("**Confidence:** 87%", 0.87),
        ("- **Confidence**: 87.5 %", 0.875),
        ("confidence: 3", 0.03),  # a percentage with or without its sign
        ("Confidence: 140%", 1.0),  # as the official script
        ("Confidence: 0%", 0.0),
        ("Confidence: 10%\nConfidence: 20%", 0.2),
        ("Confidence: high", None),
        ("Confidence: 87.", 0.87),
        ("Confidence: {87%}", 0.87),
        ("Confidence: ~87%", 0.87),
        ("Confidence\uff1a 87%", 0.87),
        ("Confidence Score: 87%", 0.87),
        ("Confidence: 8/10", None),
        ("Confidence: 5 of 10", None),
        ("Confidence: 8 out of 10", None),
        ("Confidence: 95-99%", None),
        ("Confidence: 95% to 99%", None),
        ("Confidence: NaN", None),
        ("Confidence: -5%", None),
        ("Confidence:", None),
        ("Confidence:\n40", None),
        ("My confidence: 40% of it", None),
        ("Confidence: 9999999999999", None),
        ("", None),
    ],
)
def test_confidence_is_the_percentage_of_the_last_such_line(text: str, expected: float | None) -> None:
    assert confidence(f"Exact Answer: x\n{text}") == expected


def test_a_completed_run_has_its_documents_its_answer_and_the_verdict() -> None:
    (one,) = read_answers(files(run("Q-7")))
    assert (one.query, one.output, one.fault, one.calls) == ("q-7", OUTPUT, "", 4)
    stated = stated_run(one, judged=True)
    assert (stated.line.task, stated.outcome, stated.line.tool_calls) == ("q-7", None, 4)
    assert list(stated.events) == [
        {"event_type": "tool_call", "payload": {"action": 'retrieved: ["11","12"]', "partial": True}},
        {
            "event_type": "finalize",
            "payload": {
                "output": OUTPUT,
                "partial": True,
                "confidence": 0.87,
                "judged": True,
                "totals": {"toolCalls": 4},
            },
        },
    ]


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (run(status="max_tokens"), "status max_tokens"),
        (run(status=f"Stopped at {SECRET}"), "status isn't completed"),
        (run(output=""), "no output_text at the end of result"),
        (run(result=[]), "no output_text at the end of result"),
        (
            run(result=[{"type": "output_text", "output": "x"}, {"type": "tool_call"}]),
            "no output_text at the end of result",
        ),
    ],
)
def test_incomplete_runs_are_wrong(value: dict[str, Any], fault: str) -> None:
    (one,) = read_answers(files(value))
    assert one.fault == fault
    stated = stated_run(one, judged=None)
    assert (stated.outcome, stated.line.error) == ("failure", fault)


def test_retrieved_documents_are_an_action_that_is_read_again() -> None:
    assert retrieved.read(retrieved.written(["b", 'a"', "b"])) == ('a"', "b")
    assert retrieved.read(retrieved.written([])) == ()
    for text in ("12", '["12"]', "retrieved: 12", "retrieved: {", "retrieved: \udc80"):
        with pytest.raises(ToolError):
            retrieved.read(text)


@pytest.mark.parametrize(
    ("held", "message"),
    [
        ({}, "no run file"),
        (files(json.dumps(run()).encode()[:-30]), "run_0.json: no JSON"),
        (files([run()]), "run_0.json: must be a JSON object"),
        (files(run(), run("8"), run()), "run_2.json: query 7 occurs twice, first in run_0.json"),
        (files(run(SECRET)), "run_0.json: query_id: must be an id"),
        (files(run(query_id=None)), "run_0.json: query_id: must be an id"),
        (files(run(query_id=True)), "run_0.json: query_id: must be an id"),
        (files(run(status=None)), "run_0.json: query 7: status"),
        (files(run(result=SECRET)), "run_0.json: query 7: result"),
        (files(run(result=[SECRET])), "run_0.json: query 7: result"),
        (files(run(output="x" * 100_001)), "run_0.json: query 7: output"),
        (files(run(result=[{"type": "output_text", "output": 7}])), "run_0.json: query 7: output"),
        (files(run(retrieved_docids=SECRET)), "run_0.json: query 7: retrieved_docids"),
        (files(run(retrieved_docids=[None])), "run_0.json: query 7: retrieved_docids"),
        (files(run(tool_call_counts=[3])), "run_0.json: query 7: tool_call_counts"),
        (files(run(tool_call_counts={"search": "3"})), "run_0.json: query 7: tool_call_counts"),
        (files(run(tool_call_counts={"search": -3})), "run_0.json: query 7: tool_call_counts"),
        (files(b"[" * 100_000), "run_0.json: no JSON"),
        (files(b"\xff"), "run_0.json: no JSON"),
    ],
)
def test_malformed_run_files_are_refused(held: dict[str, bytes], message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_answers(held)
    assert message in caught.value.message
    assert "Ostrand" not in caught.value.message + str(caught.value.hint)


def test_files_below_the_folder_are_not_read() -> None:
    (one,) = read_answers({**files(run()), "old/run.json": b"{"})
    assert one.query == "7"


@pytest.mark.parametrize(
    ("held", "expected"),
    [
        (lines(judged(correct=True)), True),
        (lines(judged(correct="yes")), True),
        (lines(judged(correct=" No ")), False),
        (lines(judged(correct=False)), False),
        (lines(judged(correct=None)), None),
        (lines(judged(query=7)), True),  # type: ignore[arg-type]
        ({"run_7_eval.json": json.dumps(official()).encode()}, True),
        ({"run_7_eval.json": json.dumps(official(correct=False)).encode()}, False),
        ({"run_7_eval.json": json.dumps(official(parse_error=True, correct=None)).encode()}, None),
        (
            {
                "evaluation_summary.json": json.dumps(
                    {"per_query_metrics": [{"query_id": "7", "correct": True, "recall": 50.0}]}
                ).encode()
            },
            True,
        ),
    ],
)
def test_verdicts_of_every_form(held: dict[str, bytes], expected: bool | None) -> None:  # noqa: FBT001
    verdicts = read_verdicts(judged_files(held))
    assert verdicts_of(read_answers(files(run())), verdicts) == {"7": expected}


def test_of_a_folder_the_files_of_queries_are_read_and_the_summary_is_not() -> None:
    held = {
        "a_eval.json": json.dumps(official()).encode(),
        "b_eval.json": json.dumps(official("8")).encode(),
        "evaluation_summary.json": b"{",
        "detailed.json": b"{",
    }
    verdicts = read_verdicts(judged_files(held))
    assert set(verdicts) == {"7", "8"}
    assert judge_of(verdicts) == "Qwen/Qwen3-32B"


def test_a_judge_is_named_only_if_every_file_has_the_same_model_name() -> None:
    assert judge_of(read_verdicts(lines(judged()))) == "not named by its files"
    planted = {**official(), "model_info": {"judge_model": SECRET}}
    assert judge_of(read_verdicts({"x_eval.json": json.dumps(planted).encode()})) == "not named by its files"


@pytest.mark.parametrize(
    ("held", "message"),
    [
        (lines(judged(correct="maybe")), "judge.jsonl line 1: query 7: correct: isn't a verdict"),
        (lines(judged(correct=SECRET)), "judge.jsonl line 1: query 7: correct: isn't a verdict"),
        (lines(judged(correct=1)), "judge.jsonl line 1: query 7: correct: isn't a verdict"),
        (lines(judged(correct=[True])), "judge.jsonl line 1: query 7: correct: isn't a verdict"),
        (lines({"query_id": "7"}), "judge.jsonl line 1: query 7: no verdict"),
        (lines(judged(SECRET)), "judge.jsonl line 1: query_id: must be an id"),
        (lines(judged(), judged()), "judge.jsonl line 2: query 7 has two verdicts, the first in judge.jsonl line 1"),
        ({"judge.jsonl": b'{"query_id": "7", "corr'}, "judge.jsonl line 1: no JSON"),
        ({"judge.jsonl": b"[]"}, "judge.jsonl line 1: must be a JSON object"),
        ({"judge.jsonl": b"\n"}, "--judged: no verdict"),
        ({}, "--judged: no file with verdicts"),
        ({"a.json": b"{}", "b.json": b"{}"}, "--judged: no file with verdicts"),
        ({"evaluation_summary.json": b'{"per_query_metrics": [1]}'}, "per_query_metrics: must be a list of objects"),
        (lines(judged(), judged("99"), judged("98")), "judge.jsonl line 2: 2 verdicts without a run: 99, 98"),
        (lines(judged("8", correct=False)), "--judged: 1 completed run without a verdict: 7"),
        (lines(judged(), judged("8")), "line 2: query 8 is judged correct, but its run counts as wrong: status failed"),
        (lines(judged(response="other")), "line 1: query 7: the judge read another answer than run_0.json has"),
    ],
)  # fmt: skip
def test_verdicts_that_do_not_fit_are_refused(held: dict[str, bytes], message: str) -> None:
    runs = read_answers(files(run(), run("8", status="failed")))
    with pytest.raises(InputError) as caught:
        verdicts_of(runs, read_verdicts(judged_files(held)))
    assert message in caught.value.message
    assert "Ostrand" not in caught.value.message + str(caught.value.hint)


def test_a_run_that_is_wrong_already_has_no_verdict() -> None:
    runs = read_answers(files(run(), run("8", status="failed"), run("9", status="failed")))
    verdicts = read_verdicts(lines(judged(correct=False), judged("8", correct=False)))
    assert verdicts_of(runs, verdicts) == {"7": False, "8": None, "9": None}
