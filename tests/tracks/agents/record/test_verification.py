"""The three levels of re-scoring, and what a header keeps of an agents receipt."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import pytest
import tiny_workbench
from agents_receipts import document, given, imported, measured, receipt

from benchsite import canonical
from benchsite.history import Rescore
from benchsite.receipt import ReceiptError
from benchsite.track import Evidence
from benchsite.tracks.agents.benchmarks.workbench.importer import convert
from benchsite.tracks.agents.record import action_log, verification
from benchsite.tracks.agents.scores.scoring import score
from benchsite.tracks.agents.trace import archive

RIGHT = imported()
DATA = tiny_workbench.data()


def altered(made: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(made)
    holder: Any = changed
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    return changed


def test_all_three_levels_pass_where_all_evidence_is_at_hand() -> None:
    found = verification.rescore(receipt(document(RIGHT)), given(RIGHT, DATA), deep=True)
    assert (found.rescore, found.differences, found.violations) == (Rescore.MATCHES, (), ())
    assert {step.name: step.state for step in found.further} == dict.fromkeys(
        ("traces", "agreement", "evaluation"), "pass"
    )
    assert found.omitted == 0


def test_a_level_without_its_evidence_is_not_checked_and_nothing_differs() -> None:
    found = verification.rescore(receipt(document(RIGHT)), given(), deep=True)
    assert found.rescore is Rescore.MATCHES
    assert [(step.name, step.state) for step in found.further] == [
        ("traces", "not checked"),
        ("agreement", "not checked"),
        ("evaluation", "not checked"),
    ]
    assert "is not at hand" in found.further[0].detail
    assert "benchsite rescore --evaluate" in found.further[2].detail
    damaged = dataclasses.replace(given(), damage=lambda sha256: f"folder/{sha256[:4]}: not this SHA-256")
    found = verification.rescore(receipt(document(RIGHT)), damaged, deep=True)
    sha256 = next(item["sha256"] for item in document(RIGHT)["evidence"] if item["name"] == archive.NAME)
    assert (found.further[0].state, found.further[0].detail) == (
        "not checked",
        f"traces.jsonl at hand is damaged: folder/{sha256[:4]}: not this SHA-256",
    )
    brief = verification.rescore(receipt(document(RIGHT)), given(RIGHT, DATA), deep=False)
    assert brief.further == ()
    assert brief.omitted > 0, "bootstrap intervals are left to a deep re-score"


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        (("scores", "success"), 0.5, "scores.success"),
        (("denominators", "harmful", "num"), 3, "denominators.harmful.num"),
        (("intervals", "success", "low"), 0.0, "intervals.success.low"),
        (("intervals", "steps_total", "low"), 0.0, "intervals.steps_total.low"),
        (("byDomain", "email", "scores", "success"), 0.5, "byDomain.email.scores.success"),
        (("runs", "outcome", 0), "failure", "scores.success"),
        (("tasks", "needsAction", 0), False, "denominators.success_needs_action.den"),
    ],
)
def test_a_number_that_does_not_follow_is_a_difference(path: tuple[Any, ...], value: Any, field: str) -> None:
    wrong = altered(document(RIGHT), path, value)
    found = verification.rescore(receipt(wrong), given(), deep=True)
    assert found.rescore is Rescore.DIFFERS
    assert field in [item.field for item in found.differences]


def rescored_consistently(made: dict[str, Any]) -> dict[str, Any]:
    """A forger's receipt: its scores follow from its columns."""
    return {**made, **score(made["tasks"], made["runs"]).sections(seed=made["config"]["seed"])}


def test_forged_columns_are_found_by_the_traces() -> None:
    forged = rescored_consistently(altered(document(RIGHT), ("runs", "steps", 1), 99))
    assert verification.rescore(receipt(forged), given(), deep=True).rescore is Rescore.MATCHES
    found = verification.rescore(receipt(forged), given(RIGHT), deep=True)
    assert found.rescore is Rescore.DIFFERS
    assert [item.field for item in found.differences] == ["runs.steps[1]"]
    assert (found.further[0].state, found.further[0].field) == ("fail", "runs.steps[1]")


def test_forged_successes_are_found_by_the_benchmark() -> None:
    wrong = imported({"Delete the stand-up": ([], "", "")})
    honest = document(wrong)
    assert honest["runs"]["outcome"][1] == "failure"
    forged = rescored_consistently(altered(honest, ("runs", "outcome", 1), "success"))
    found = verification.rescore(receipt(forged), given(wrong, DATA), deep=True)
    assert found.rescore is Rescore.DIFFERS
    assert "runs.outcome[1]" in [item.field for item in found.differences]
    assert {step.name for step in found.further if step.state == "fail"} == {"evaluation"}


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        (archive.NAME, b"", "of 147 values differ"),
        (archive.NAME, b"not JSON\n", "events before the first run"),
        (archive.NAME, b'{"run":1,"task":"calendar-001"}', "last line without line feed"),
        (action_log.NAME, b"", "decides 7 values otherwise"),
        (action_log.NAME, b"{}\n", "line 1"),
        (action_log.NAME, b"\xff\n", "line 1"),
    ],
)
def test_evidence_that_cannot_be_used_is_a_failed_step(name: str, data: bytes, said: str) -> None:
    """Its hash is the receipt's: a receipt that pins such bytes has columns that follow from nothing."""
    spoilt = [
        Evidence(item.name, item.media_type, data if item.name == name else item.data)
        for item in RIGHT.evidence
    ]
    made = type(RIGHT)(RIGHT.config, RIGHT.payload, evidence=tuple(spoilt), origin="import")
    found = verification.rescore(receipt(document(made)), given(made, DATA), deep=True)
    assert found.rescore is Rescore.DIFFERS
    assert any(said in step.detail for step in found.further if step.state == "fail")


def test_tables_altered_by_one_cell_are_no_data_of_the_receipt() -> None:
    """The caller finds data by the digest; other data of the same id decide otherwise or not at all."""
    files = tiny_workbench.published()
    files["processed/emails.csv"] = files["processed/emails.csv"].replace(b"Lunch", b"Brunch")
    assert canonical.digest(convert(files)) != document(RIGHT)["benchmark"]["sha256"]


def test_the_schema_names_the_field_at_fault() -> None:
    made = document(RIGHT)
    verification.check(made)
    for path, value, field in (
        (("runs", "outcome", 2), "maybe", "runs.outcome"),
        (("runs", "steps"), [1], "runs"),
        (("tasks", "id", 0), "../x", "tasks.id"),
        (("config", "runsPerTask"), 0, "config.runsPerTask"),
        (("system", "models", "default", "responded"), "", "system.models.default"),
    ):
        with pytest.raises(ReceiptError) as caught:
            verification.check(altered(made, path, value))
        assert caught.value.field.startswith(field)


def test_what_a_header_keeps() -> None:
    found = verification.summary(document(RIGHT), None)
    assert (found.subject.name, found.subject.version) == ("gpt-9-all", "2024-03-21")
    assert found.subject.label == "model gpt-9, all tools"
    assert (found.headline.metric, found.headline.value) == ("success", 1.0)
    assert (found.target, found.target_sha256) == ("workbench", document(RIGHT)["benchmark"]["sha256"])
    other = imported({"Delete the stand-up": ([], "", "")})
    again = verification.summary(document(other), None)
    assert again.identity != found.identity, "other files are another measurement"
    assert again.row == found.row, "and replace the row of the same system and configuration"
    native = verification.summary(document(measured("spam-tools", runs_per_task=2)), None)
    assert native.subject.label == "2 runs per task"


def test_how_a_run_ended_is_decided_by_its_error_and_not_by_the_receipt() -> None:
    """A failure that is called an error would leave the success rate without errors."""
    wrong = imported(
        {"Delete the stand-up": ([], "", ""), "Delete the party": ([], "", "Context window exceeded")}
    )
    honest = document(wrong)
    assert honest["runs"]["outcome"][1:3] == ["failure", "limit"]
    for place, outcome, limit in ((1, "error", None), (2, "failure", None), (2, "limit", "iterations")):
        edited = altered(honest, ("runs", "outcome", place), outcome)
        edited = altered(edited, ("runs", "limit", place), limit)
        found = verification.rescore(receipt(rescored_consistently(edited)), given(wrong, DATA), deep=True)
        assert found.further[1].state == "fail", (place, outcome, limit)


def test_other_settings_of_a_model_are_another_row_and_another_file_another_measurement() -> None:
    body = document(measured("spam-tools"))
    use = {"requested": "qwen", "responded": "qwen", "sha256": "ab" * 32, "settings": {"temperature": 0.7}}

    def under(**changes: Any) -> Any:
        return verification.summary(
            {**body, "system": {**body["system"], "models": {"default": {**use, **changes}}}}, None
        )

    found, cold, other = under(), under(settings={"temperature": 0}), under(sha256="cd" * 32)
    assert found.subject.label == "model qwen (temperature 0.7)"
    assert cold.row != found.row
    assert other.row == found.row
    assert other.identity != found.identity


@pytest.mark.parametrize(
    ("configuration", "label"),
    [
        ("gpt-3.5_domains", "published as gpt-3.5_domains, model gpt-3.5, tools of the domain"),
        ("gpt-4_all", "model gpt-4, all tools"),
    ],
)
def test_a_name_that_was_changed_is_shown_as_published(configuration: str, label: str) -> None:
    """`gpt-3-5-domains` looks like another product."""
    assert verification.label(document(imported(configuration=configuration))) == label
