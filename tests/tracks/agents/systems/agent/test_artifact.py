"""Artifacts in what agents say: the parse order, statuses, confidence and lengths (specs/agents.md, "Systems")."""

from __future__ import annotations

import json
from typing import Any

import pytest
from agents_systems import artifact, session
from hypothesis import given
from hypothesis import strategies as st

from benchsite.tracks.agents.systems.agent.artifact import as_json, bounded, evidence, parse
from benchsite.tracks.agents.systems.agent.session import ToolUse

WHOLE = '{"answer_artifact": "42", "confidence": 0.9}'


@pytest.mark.parametrize(
    ("text", "answer", "status"),
    [
        (WHOLE, "42", "ok"),
        (f"```json\n{WHOLE}\n```", "42", "ok"),
        (f"```\n{WHOLE}\n```", "42", "ok"),
        (f"Here it is:\n{WHOLE}\nI am sure.", "42", "ok"),
        # a fence comes before the rest of the text
        (f'{{"answer_artifact": "1"}}\n```json\n{WHOLE}\n```', "42", "ok"),
        # JSON without the member is no artifact
        ('{"city": "Bern"}', '{"city": "Bern"}', "fallback"),
        (f'```json\n{{"rows": 3}}\n``` so {WHOLE}', "42", "fallback"),
        ("Bern", "Bern", "fallback"),
        (" \n", "", "invalid"),
        ('{"answer_artifact": ""}', "", "invalid"),
        ('{"answer_artifact": null}', "", "invalid"),
        # cut off: a whole answer is one, half an answer is none
        ('{"answer_artifact": "4\\"2", "summary": "I first', '4"2', "fallback"),
        ('```json\n{"answer_artifact": "Lausa', "", "invalid"),
        ('{"answer_artifact": 42', "", "invalid"),
        # other types than text
        ('{"answer_artifact": 42}', "42", "ok"),
        ('{"answer_artifact": ["a", 1]}', '["a", 1]', "ok"),
        ('{"answer_artifact": true}', "true", "ok"),
        ("[1, 2]", "[1, 2]", "fallback"),
        ("{" * 5_000, "{" * 5_000, "fallback"),
    ],
)
def test_where_an_answer_is_found(text: str, answer: str, status: str) -> None:
    made = parse(text)
    assert (made.answer_artifact, made.status) == (answer, status)
    assert made.is_usable is (status != "invalid")


@pytest.mark.parametrize(
    ("stated", "confidence", "states"),
    [
        ("0.25", 0.25, True),
        ("3", 1.0, True),
        ("-1", 0.0, True),
        ('"0.5"', 0.5, True),
        ("1e999", 1.0, True),
        ('"high"', 0.5, False),
        ("NaN", 0.5, False),
        ("null", 0.5, False),
        ("true", 0.5, False),
        ("[]", 0.5, False),
        ("1" + "0" * 400, 0.5, False),
    ],
)
def test_confidence(stated: str, confidence: float, states: bool) -> None:  # noqa: FBT001
    made = parse(f'{{"answer_artifact": "x", "confidence": {stated}}}')
    assert (made.confidence, made.states_confidence) == (confidence, states)
    assert parse('{"answer_artifact": "x"}').confidence == 0.5


def test_every_field_is_read() -> None:
    fields = {
        "answer_artifact": "a",
        "summary": "s",
        "critique": "c",
        "revision_request": "r",
        "confidence": 1,
        "unresolved_issues": ["u", 2, None, ""],
        "evidence_summary": "one",
    }
    made = parse(json.dumps(fields))
    assert (made.summary, made.critique, made.revision_request) == ("s", "c", "r")
    assert (made.unresolved_issues, made.evidence_summary) == (("u", "2"), ("one",))


def test_lengths_are_bounded_and_each_cut_is_recorded() -> None:
    run, harness = session()
    long = artifact(
        "x" * 7_000, id="a1", summary="s" * 500, critique="c" * 1_300, revision_request="r" * 1_200
    )
    long = bounded(run, long)
    assert [len(long.answer_artifact), len(long.summary), len(long.critique), len(long.revision_request)] == [
        *(6_000, 400, 1_200, 1_200)
    ]
    assert long.answer_artifact.endswith("…")
    many = bounded(run, artifact("y", unresolved_issues=("u",) * 9, evidence_summary=("e" * 401,)))
    assert (len(many.unresolved_issues), len(many.evidence_summary[0])) == (6, 400)
    cuts = [note["what"].split(" of ")[0] for note in harness.notes("truncation")]
    assert cuts == ["answer", "summary", "critique", "issues", "evidence"]
    assert bounded(run, artifact("z")) == artifact("z")
    assert len(harness.events) == 5


def test_a_lone_surrogate_is_replaced() -> None:
    assert parse('{"answer_artifact": "a\\ud800"}').answer_artifact == "a?"


def test_evidence_of_a_bare_answer_is_what_tools_gave() -> None:
    uses = (ToolUse("q", {"a": 1}, "x" * 500, failed=False), ToolUse("q", {}, "error: no", failed=True))
    (only,) = evidence(uses)
    assert only.startswith('q({"a":1}) -> xxx')
    assert len(only) == 400


def test_an_example_is_an_artifact_of_its_answer() -> None:
    assert parse(as_json('say "42"')).answer_artifact == 'say "42"'


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
FIELDS = ("answer_artifact", "summary", "critique", "confidence", "unresolved_issues", "evidence_summary")


@given(st.dictionaries(st.sampled_from(FIELDS), VALUES), st.text(max_size=10))
def test_any_object_and_any_half_of_it_is_an_artifact(fields: dict[str, Any], prose: str) -> None:
    text = f"{prose}{json.dumps(fields)}"
    for cut in (text, text[: len(text) // 2], f"```json\n{text}\n```"):
        made = parse(cut)
        assert 0 <= made.confidence <= 1
        assert made.is_usable is bool(made.answer_artifact)
        assert isinstance(made.answer_artifact.encode(), bytes)
        assert made.rendered.startswith(made.answer_artifact)


@given(st.text(max_size=60).filter(lambda text: text.encode("utf-8", "replace").decode() == text))
def test_an_answer_survives_the_way_through_json(answer: str) -> None:
    assert parse(json.dumps({"answer_artifact": answer})).answer_artifact == answer.strip()
