"""Evaluators: human or model, what a model evaluator must state, and how receipts and leaderboards show it."""

from __future__ import annotations

from typing import Any

import pytest
import rubric_sheets
from hypothesis import given
from hypothesis import strategies as st
from rubric_findings import codes, messages
from rubric_receipts import Said, draft
from rubric_record import RubricRecord, renders
from rubric_rules import RULES

from benchsite.errors import InputError
from benchsite.receipt import ReceiptError
from benchsite.tracks.rubric import body, join, verification, wording
from benchsite.tracks.rubric.receipt_page import report

HUMAN = {
    "name": "Ada",
    "kind": "human",
    "model": None,
    "conflictOfInterest": "none",
    "consentToPublish": True,
}
JUDGE = {
    "name": "the judge",
    "kind": "model",
    "model": {"name": "Judge 7B", "promptSha256": None, "saw": "the transcripts", "falsePositiveProbe": None},
    "conflictOfInterest": "none",
    "consentToPublish": True,
}


@pytest.mark.parametrize(
    ("said", "evaluators", "rated_by", "kind"),
    [
        ((Said(),), [HUMAN], "1 human", "human-rated"),
        ((Said(), Said(pass_=2)), [HUMAN], "1 human, 2 passes", "human-rated"),
        ((Said(), Said(evaluator=1)), [HUMAN, HUMAN], "2 humans", "human-rated"),
        ((Said(), Said(pass_=2)), [JUDGE], "1 model (Judge 7B), 2 passes", "model-rated"),
        ((Said(), Said(evaluator=1)), [JUDGE, JUDGE], "2 models (Judge 7B)", "model-rated"),
        (
            (Said(), Said(evaluator=1)),
            [HUMAN, JUDGE],
            "1 human and 1 model (Judge 7B)",
            "human-rated, model-rated",
        ),
        ((Said(),), [{**JUDGE, "model": None}], "1 model (not described)", "model-rated"),
    ],
)
def test_who_rated_is_said_with_models_by_name(
    said: tuple[Said, ...], evaluators: list[dict[str, Any]], rated_by: str, kind: str
):
    document = {**draft("1.2.0", said), "evaluators": evaluators}
    assert wording.rated_by(document) == rated_by
    assert wording.rating_kind(document) == kind


@pytest.mark.parametrize(
    ("probe", "words"),
    [
        (None, "not measured"),
        # Wilson 1927 for 1 of 20: (1 + z²/2 ∓ z√(19/20 + z²/4)) / (20 + z²), z = 1.96: 0.0089 and 0.2361.
        ({"planted": 20, "accepted": 1}, "5.0% (1/20), 95% CI [0.9%, 23.6%]"),
        ({"planted": 2, "accepted": 3}, "not valid (3/2)"),
    ],
)
def test_the_rate_of_a_false_positive_probe_has_its_count_and_ci(probe: dict[str, int] | None, words: str):
    assert wording.probe_words({"falsePositiveProbe": probe}) == words


def test_a_model_evaluator_is_described_and_what_is_not_recorded_is_said():
    record = RubricRecord()
    made = record.score("1.3.0", evaluators=[JUDGE])
    header = record.history().get(made)
    assert header is not None
    (person,) = report(header, record.body(made), record.library).people
    assert dict(person.facts) == {
        "Model": "Judge 7B",
        "Prompt": "prompt not recorded",
        "Could see": "the transcripts",
        "False-positive probe": "not measured",
    }
    page = renders().body(record.report(made))
    assert "Rated by 1 model (Judge 7B)." in page
    assert "prompt not recorded" in page
    board = renders().body(record.pages()["rubric/customer-service/"])
    assert "model-rated" in board
    assert "1 model (Judge 7B)" in board
    assert "<small>rated by 1 model (Judge 7B)" in renders().body(record.pages()["rubric/"])


def with_model(**changes: Any) -> dict[str, Any]:
    """A receipt of a model evaluator, its description changed."""
    return {**draft(), "evaluators": [{**JUDGE, "model": {**JUDGE["model"], **changes}}]}


@pytest.mark.parametrize("version", RULES)
@pytest.mark.parametrize(
    ("evaluator", "code", "field"),
    [
        ({**JUDGE, "model": None}, "model-missing", "model"),
        ({**HUMAN, "model": JUDGE["model"]}, "model-unknown", "model"),
        (
            {**JUDGE, "model": {**JUDGE["model"], "falsePositiveProbe": {"planted": 2, "accepted": 3}}},
            "probe-impossible",
            "model.falsePositiveProbe.accepted",
        ),
        ({**JUDGE, "model": {**JUDGE["model"], "name": " "}}, "text-blank", "model.name"),
        ({**JUDGE, "model": {**JUDGE["model"], "saw": "\n"}}, "text-blank", "model.saw"),
    ],
)
def test_kind_and_model_must_fit_under_every_version(
    version: str, evaluator: dict[str, Any], code: str, field: str
):
    document = {**draft(version), "evaluators": [evaluator]}
    assert (code, f"evaluators[0].{field}") in codes(document)


def test_what_a_missing_description_is_said_to_need_is_what_is_refused_without_it():
    missing = {**draft(), "evaluators": [{**JUDGE, "model": None}]}
    assert "the model's name and what it could see are required." in messages(missing)
    assert "The SHA-256 of its prompt may be null." in messages(missing)
    assert codes(with_model(promptSha256=None)) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"promptSha256": "0F" * 32},
        {"promptSha256": ""},
        {"saw": ""},
        {"name": "a\nb"},
        {"name": "x" * 10_000},
        {"saw": "x" * 10_000},
        {"falsePositiveProbe": {"planted": 0, "accepted": 0}},
        {"falsePositiveProbe": {"planted": 20.0, "accepted": 1}},
        {"falsePositiveProbe": {"planted": 20}},
        {"temperature": 0},
    ],
)
def test_the_description_of_a_model_is_strict(changes: dict[str, Any]):
    verification.check(with_model(promptSha256="0f" * 32, falsePositiveProbe={"planted": 20, "accepted": 0}))
    with pytest.raises(ReceiptError, match=r"evaluators\.0\.model|evaluators\[0\]\.model"):
        verification.check(with_model(**changes))


@pytest.mark.parametrize("kind", ["robot", "Human", None, 1])
def test_a_kind_is_human_or_model(kind: object):
    with pytest.raises(ReceiptError, match="kind"):
        verification.check({**draft(), "evaluators": [{**HUMAN, "kind": kind}]})


def rated(described: str, version: str = "1.3.0") -> str:
    """A sheet of an evaluator of this kind and model."""
    return rubric_sheets.text(version).replace("  kind: human", described)


DESCRIBED = (
    "  kind: model\n  model: {name: Judge 7B, promptSha256: null, saw: transcripts, falsePositiveProbe: null}"
)


@pytest.mark.parametrize(
    ("described", "path", "words"),
    [
        ("  # none", "evaluator.kind", "is missing"),
        ("  kind: robot", "evaluator.kind", "human or model"),
        ("  kind: model", "evaluator.model", "not described"),
        (DESCRIBED.replace("kind: model", "kind: human"), "evaluator.model", "human evaluator"),
        (DESCRIBED.replace("promptSha256: null, ", ""), "evaluator.model.promptSha256", "is missing"),
        (DESCRIBED.replace("promptSha256: null", "promptSha256: abc"), "evaluator.model.promptSha256", "64"),
        (DESCRIBED.replace("saw: transcripts", 'saw: ""'), "evaluator.model.saw", "is empty"),
        (
            DESCRIBED.replace("Probe: null", "Probe: {planted: 0, accepted: 0}"),
            "evaluator.model.falsePositiveProbe.planted",
            "from 1 to 10,000",
        ),
    ],
)
def test_a_sheet_that_does_not_say_who_rates_is_refused_at_its_place(described: str, path: str, words: str):
    rules = rubric_sheets.rules("1.3.0")
    assert join.parse(rated(DESCRIBED).encode(), where="a.yaml", methodology=rules).evaluator.kind == "model"
    with pytest.raises(InputError) as caught:
        join.parse(rated(described).encode(), where="a.yaml", methodology=rules)
    assert any(path in line and words in line for line in caught.value.message.splitlines())


def test_an_evaluator_describes_one_model_on_every_sheet():
    rules = rubric_sheets.rules("1.3.0")
    texts = (rated(DESCRIBED), rated(DESCRIBED.replace("7B", "70B")).replace("pass: 1", "pass: 2"))
    sheets = [join.hold(text.encode(), join.sheet.load(text.encode(), where="a"), rules) for text in texts]
    with pytest.raises(InputError, match=r"evaluator\.model"):
        join.joined(
            sheets, rules, lambda _sheet, _place, source: body.unread(0, (), source), "2026-11-22T00:00:00Z"
        )


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda part: (
            st.lists(part)
            | st.dictionaries(
                st.sampled_from(("name", "promptSha256", "saw", "falsePositiveProbe", "planted", "accepted")),
                part,
            )
        ),
    )
)
def test_any_model_in_a_sheet_gives_a_body_that_the_rules_can_read(value: Any):
    made = body.body([{"evaluator": {"name": "Ada", "kind": "model", "model": value}}], None)
    document = {**draft(), "evaluators": made["evaluators"]}
    assert all(field.startswith("evaluators[0].") for _, field in codes(document))
