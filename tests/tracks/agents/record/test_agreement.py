"""Trace, action record and outcome of a run must agree; `tests/js/agents.test.js` reads the same cases."""

from __future__ import annotations

import copy
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import tiny_workbench
from agents_receipts import document, given, imported, measured, receipt
from examples import some

from benchsite import canonical
from benchsite.history import Given, Rescore
from benchsite.track import Evidence, Measurement
from benchsite.tracks.agents.record import action_log, verification
from benchsite.tracks.agents.record.columns import TRACED, further_levels, traced_columns
from benchsite.tracks.agents.scores.scoring import score
from benchsite.tracks.agents.trace import archive
from benchsite.tracks.agents.trace.archive import Traced
from benchsite.tracks.agents.trace.event import Event

CASES = json.loads((Path(__file__).parents[3] / "vectors/agents/agreement.json").read_bytes())["cases"]
DATA = tiny_workbench.data()
RIGHT = imported()


def evidence_of(case: dict[str, Any]) -> dict[str, bytes]:
    """The files of a case that are at hand, by name."""
    found = {}
    if case["trace"] is not None:
        events = [{"id": f"e{i}", "actor": "agent", **event} for i, event in enumerate(case["trace"])]
        lines = [{"run": 1, "task": "a"}, *events]
        found[archive.NAME] = b"".join(canonical.dumps(line) + b"\n" for line in lines)
    if case["record"] is not None:
        record = {"task": "a", "run": 1, "skipped": [], "difference": [], **case["record"]}
        found[action_log.NAME] = canonical.dumps(record) + b"\n"
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_cases_by_hand(case: dict[str, Any]):
    runs = {"taskId": ["a"], "run": [1], **{name: [cell] for name, cell in case["runs"].items()}}
    held = evidence_of(case)
    pinned = [{"name": name, "sha256": name} for name in (archive.NAME, action_log.NAME)]
    made = {"runs": runs, "evidence": pinned, "benchmark": {"id": "b", "sha256": "0" * 64}}
    made["tasks"] = {"id": ["a"]}
    made["origin"] = case.get("origin", "import")
    levels = further_levels(made, Given(None, held.get))
    step = next(step for step in levels.steps if step.name == "agreement")
    assert step.state == case["state"]
    # The columns of the traces are another level.
    columns = {"completion", "steps", "toolFailures", "backtracks", "loopNum", "loopDen", "verifies"}
    columns |= {"agentToAgent", "systemMediated", "handoffs"} | (
        {"toolCalls"} if archive.NAME in held else set()
    )
    found = [
        [one.field, one.recorded, one.computed]
        for one in levels.differences
        if one.field.partition("[")[0].removeprefix("runs.") not in columns
    ]
    assert found == case["differences"]
    assert [violation.code for violation in levels.violations] == case["violations"]
    if step.state == "fail":
        assert step.field == found[0][0]


def replaced(made: Measurement, name: str, data: bytes) -> Measurement:
    """The same measurement with other bytes of one piece of evidence."""
    evidence = tuple(
        Evidence(item.name, item.media_type, data if item.name == name else item.data)
        for item in made.evidence
    )
    return type(made)(made.config, made.payload, evidence=evidence, origin=made.origin)


def forged(changed: dict[tuple[str, int], tuple[Event, ...]]) -> Measurement:
    """The right answers of a benchmark under the traces of other runs, with the columns of those traces."""
    runs = [
        Traced(one.task, one.run, changed.get((one.task, one.run), one.events))
        for one in archive.unpacked(next(item.data for item in RIGHT.evidence if item.name == archive.NAME))
    ]
    return replaced(RIGHT, archive.NAME, archive.packed(runs))


def test_the_trace_of_a_failure_never_matches_the_actions_of_a_success():
    """Proof A4: seven successes by the benchmark, one of whose traces called no tool and ended in an error."""
    gone = (
        Event(id="e1", actor="agent", event_type="finalize", payload={"output": "I cannot do that."}),
        Event(id="e2", actor="system", event_type="error", payload={"text": "Error code: 500"}),
    )
    made = forged({("calendar-001", 1): gone})
    said = document(made)
    place = said["runs"]["taskId"].index("calendar-001")
    found = verification.rescore(receipt(said), given(made, DATA), deep=True)
    assert found.rescore is Rescore.DIFFERS
    assert {
        f"runs.outcome[{place}]",
        f"actions.jsonl[{place}].actions",
        f"actions.jsonl[{place}].error",
    } <= {one.field for one in found.differences}
    assert [violation.field for violation in found.violations] == [f"runs.outcome[{place}]"]
    assert {step.name: step.state for step in found.further} == {
        "traces": "fail",
        "agreement": "fail",
        "evaluation": "pass",
    }


def deletes(event: Event, place: int) -> Event:
    """A call that no action record has to answer for."""
    payload = {"tool": "email.delete_email", "input": {"email_id": f"0000000{place}"}}
    return event.model_copy(update={"event_type": "tool_call", "payload": payload})


def sends(event: Event) -> Event:
    """The same event as a message between agents."""
    return event.model_copy(update={"payload": {**event.payload, "kind": "send"}})


def refuses(event: Event) -> Event:
    return event.model_copy(update={"event_type": "finalize", "payload": {"output": "I refuse."}})


def leaves_out(event: Event) -> Event:
    return event.model_copy(update={"payload": {**event.payload, "partial": True}})


STEP = Event(id="e9", actor="null", event_type="plan", payload={})


@pytest.mark.parametrize(
    ("system", "forge"),
    some([
        ("null", lambda events: (*events, *(deletes(STEP, i).model_copy(update={"id": f"x{i}"}) for i in range(3)))),
        ("spam-tools", lambda events: tuple(sends(event) if event.event_type == "tool_call" else event for event in events)),
        ("null", lambda events: (*events, refuses(STEP))),
        ("spam-tools", lambda events: (leaves_out(events[0]), *events[1:])),
    ], gate=1),
    ids=["calls without an action", "calls as sends", "an answer that no record has", "steps left out"],
)  # fmt: skip
def test_a_native_receipt_under_a_trace_that_contradicts_it(system: str, forge: Any):
    """The columns follow from the forged traces and the benchmark decides every run as recorded."""
    honest = measured(system)
    data = next(item.data for item in honest.evidence if item.name == archive.NAME)
    runs = [Traced(one.task, one.run, forge(one.events)) for one in archive.unpacked(data)]
    made = replaced(honest, archive.NAME, archive.packed(runs))
    said = copy.deepcopy(document(made))
    for name in TRACED:
        said["runs"][name] = [traced_columns(one.events)[name] for one in runs]
    said |= score(said["tasks"], said["runs"]).sections(seed=said["config"]["seed"])
    found = verification.rescore(receipt(said), given(made, DATA), deep=True)
    assert found.rescore is Rescore.DIFFERS
    states = {step.name: step.state for step in found.further}
    assert states["evaluation"] == "pass"
    assert "fail" in states.values()


@pytest.mark.parametrize("made", [RIGHT, measured("spam-tools"), measured("null", runs_per_task=2)])
def test_runs_of_this_release_agree(made: Measurement):
    steps = further_levels(document(made), given(made, DATA)).steps
    assert [(step.name, step.state) for step in steps] == [
        ("traces", "pass"),
        ("agreement", "pass"),
        ("evaluation", "pass"),
    ]


@pytest.mark.parametrize(
    "error",
    [
        "Error code: 500 - x",
        "Agent stopped due to iteration limit or time limit.",
        "Context window exceeded",
        "x" * 10_001,
        "\U0001f600" * 20_000,
    ],
)
def test_imported_runs_that_ended_in_an_error_agree(error: str):
    made = imported({"Delete the stand-up": ([], "", error)})
    found = verification.rescore(receipt(document(made)), given(made, DATA), deep=True)
    assert (found.rescore, found.differences, found.violations) == (Rescore.MATCHES, (), ())


def test_a_run_that_one_file_lacks_or_has_beside_the_others_is_a_difference():
    data = next(item.data for item in RIGHT.evidence if item.name == action_log.NAME)
    lines = data.splitlines(keepends=True)
    more = json.loads(lines[0]) | {"run": 2}
    for changed, field in (
        (b"".join(lines[1:]), "runs.taskId[0]"),
        (data + canonical.dumps(more) + b"\n", "runs.taskId"),
    ):
        made = replaced(RIGHT, action_log.NAME, changed)
        levels = further_levels(document(made), given(made))
        assert [one.field for one in levels.differences] == [field]
        assert levels.steps[1].state == "fail"


def test_evidence_that_cannot_be_read_agrees_with_nothing():
    for name, data in ((action_log.NAME, b"{}\n"), (archive.NAME, b"{}\n")):
        made = replaced(RIGHT, name, data)
        levels = further_levels(document(made), given(made))
        assert levels.steps[1].state == "fail"
        assert levels.differences


def test_one_piece_alone_says_which_level_was_not_checked():
    made = document(RIGHT)
    held = given(RIGHT)
    for name in (action_log.NAME, archive.NAME):
        sha256 = next(item["sha256"] for item in made["evidence"] if item["name"] == name)
        alone = Given(None, lambda asked, absent=sha256: None if asked == absent else held.evidence(asked))
        step = further_levels(made, alone).steps[1]
        assert step.state == "not checked"
        assert f"whether traces and actions agree was not checked: {name} is not at hand" in step.detail


def test_a_text_of_an_action_counts_to_its_last_character():
    made = copy.deepcopy(document(RIGHT))
    data = next(item.data for item in RIGHT.evidence if item.name == action_log.NAME)
    changed = replaced(RIGHT, action_log.NAME, data.replace(b"00000001", b"00000002", 1))
    pinned = {item.name: hashlib.sha256(item.data).hexdigest() for item in changed.evidence}
    for entry in made["evidence"]:
        entry["sha256"] = pinned[entry["name"]]
    fields = [one.field for one in further_levels(made, given(changed)).differences]
    assert len(fields) == 1
    assert fields[0].endswith("].actions")
