"""Native runs of the baselines, and published results, on a tiny benchmark."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import tiny_workbench
from agents_receipts import context, document, given, imported, measured, resolved, work
from examples import some

from benchsite.errors import InputError, UsageError
from benchsite.track import Resolved
from benchsite.tracks.agents import results
from benchsite.tracks.agents.record import action_log, payload_from_runs
from benchsite.tracks.agents.record.columns import further_levels
from benchsite.tracks.agents.run import baselines, runner
from benchsite.tracks.agents.run.command import work_of
from benchsite.tracks.agents.run.experiment.place import concurrency
from benchsite.tracks.agents.systems.baselines import BASELINES
from benchsite.tracks.agents.trace import archive


def test_doing_nothing_succeeds_where_nothing_is_to_be_done() -> None:
    made = document(measured("null"))
    assert made["denominators"]["success"] == {"num": 2, "den": 7, "excluded": 0}
    assert made["denominators"]["harmful"] == {"num": 0, "den": 7, "excluded": 0}
    assert made["scores"]["success_needs_action"] == 0.0
    assert made["scores"]["completion"] == 0.0, "it gives no answer"
    assert [
        name
        for name, needed in zip(made["tasks"]["id"], made["tasks"]["needsAction"], strict=True)
        if not needed
    ] == [
        "calendar-002",
        "multi-domain-001",
    ]
    assert "tokens" not in made["runs"], "no model was asked: blank, not 0"
    assert "latencyMs" not in made["runs"], "no event, no clock"


def test_the_most_common_answer_here_is_to_do_nothing() -> None:
    made = document(measured("constant"))
    assert made["runs"]["outcome"] == document(measured("null"))["runs"]["outcome"]
    assert made["scores"]["completion"] == 1.0


def test_every_tool_is_called_once_and_the_clock_is_real() -> None:
    made = measured("spam-tools", limit=1)
    tools = len(tiny_workbench.benchmark().tools)
    body = document(made)
    assert body["runs"]["toolCalls"] == [tools]
    assert body["runs"]["steps"] == [2 * tools + 1], "call, result; then the answer"
    (latency,) = body["runs"]["latencyMs"]
    assert 0 < latency <= body["runs"]["latencyWallMs"][0]
    assert body["timing"]["latency_p95"] == latency
    assert "latency_p95" not in body["scores"]
    assert body["runs"]["harmful"] == [True]
    (traced,) = archive.unpacked(made.evidence[1].data)
    assert {event.event_type for event in traced.events} == {"tool_call", "tool_result", "finalize"}
    assert traced.events[0].timestamp_start is not None
    assert traced.events[0].timestamp_start.startswith("2026-11-23T12:00:0")


def test_evidence_of_own_runs_is_published_with_the_receipt() -> None:
    made = measured("spam-tools", limit=1)
    assert {item.name: item.mirrored for item in made.evidence} == {
        "actions.jsonl": False,
        "traces.jsonl": False,
    }


def test_transcripts_too_large_for_git_go_to_a_mirror(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payload_from_runs, "IN_GIT", 100)
    made = measured("spam-tools", limit=1)
    assert [item.mirrored for item in made.evidence] == [False, True]


@pytest.mark.full
def test_random_actions_follow_from_the_seed_alone() -> None:
    def acted(seed: int) -> list[Any]:
        return [run.actions for run in action_log.read(measured("random-choice", seed=seed).evidence[0].data)]

    assert acted(1) == acted(1)
    assert acted(1) != acted(2)
    assert all(len(one) == 1 for one in acted(3))
    assert [baselines.draws(7, 0)(10) for _ in range(3)] == [baselines.draws(7, 0)(10)] * 3, (
        "each run has its own numbers"
    )


def test_repeats_are_runs_of_one_task_from_a_fresh_state() -> None:
    made = document(measured("spam-tools", runs_per_task=3, limit=2))
    assert made["runs"]["taskId"] == ["analytics-001"] * 3 + ["calendar-001"] * 3
    assert made["runs"]["run"] == [1, 2, 3] * 2
    assert made["scores"]["stability"] == 1.0
    assert made["scores"]["pass_hat_3"] == 0.0


def test_a_plan_says_what_the_receipt_will_say() -> None:
    for system in BASELINES:
        found = runner.plan(work(system), resolved(system), context())
        made = measured(system)
        assert dict(found.config) == dict(made.config)
        assert found.target == ("workbench", document(made)["benchmark"]["sha256"])
        assert "7 runs" in found.cost
        assert work_of({**document(made)}).request == work(system).request


def test_imported_results_are_graded_here() -> None:
    changed: dict[str, tiny_workbench.Row] = {
        "Delete the stand-up": (['calendar.delete_event.func(event_id="00000002")'], "", ""),
        "Delete the party": ([], "", "Context window exceeded"),
        "Kit Vale is won": (["print('hello')", "().__class__"], "", ""),
        "Delete the e-mail about lunch": (
            ['email.delete_email.func(email_id="00000001")'],
            "",
            "Error code: 504 - {'error': 'gateway'}",
        ),
    }
    made = imported(changed)
    body = document(made)
    by_task = dict(zip(body["runs"]["taskId"], body["runs"]["outcome"], strict=True))
    assert by_task == {
        "analytics-001": "success",
        "calendar-001": "failure",
        "calendar-002": "limit",
        "crm-001": "failure",
        "email-001": "error",
        "multi-domain-001": "success",
        "project-management-001": "success",
    }
    harmful = dict(zip(body["runs"]["taskId"], body["runs"]["harmful"], strict=True))
    assert harmful["calendar-001"] is True, "the wrong event was deleted"
    assert harmful["crm-001"] is False, "what is no call changes nothing"
    assert body["runs"]["limit"][2] == "context"
    assert body["denominators"]["success_valid"] == {"num": 3, "den": 6, "excluded": 1}
    assert made.origin == "import"
    skipped = next(run.skipped for run in action_log.read(made.evidence[0].data) if run.task == "crm-001")
    assert [item.action for item in skipped] == [0, 1]
    assert {item.name: item.mirrored for item in made.evidence} == {
        "actions.jsonl": False,
        "traces.jsonl": True,
    }
    assert body["system"] == {
        "name": "gpt-9-all",
        "version": "2024-03-21",
        "kind": "single-agent",
        "models": {"default": {"requested": None, "responded": "gpt-9"}},
        "sizes": {},
        "prompts": None,
    }
    files = made.config["source"]["files"]
    assert [item["name"] for item in files][:1] == ["analytics/gpt-9_all_2024-03-21_10-00-00.csv"]
    assert "costUsd" not in body["runs"], "the source has no clock, tokens or prices: blank, not 0"


def test_a_transcript_that_cannot_be_read_is_named_with_its_file_and_row() -> None:
    action = 'calendar.delete_event.func(event_id="00000001")'
    notes = imported({"Delete the stand-up": ([action], "{'input': ", "")}).notes
    place = "  calendar/gpt-9_all_2024-03-21_10-00-00.csv row 2: "
    (said,) = (note for note in notes if note.startswith(place))
    assert said.endswith("never closed; 1 action graded")
    assert any(note.endswith("that cannot be read or tells other actions:") for note in notes)


def test_a_task_without_a_row_is_refused_or_recorded_as_an_error() -> None:
    files = tiny_workbench.results("gpt-9_all")
    path = next(name for name in files if name.startswith("calendar/"))
    lines = files[path].splitlines(keepends=True)
    files[path] = b"".join(lines[:-1])

    def run(*, allow: bool) -> object:
        made = results.formats["workbench-results"].work(
            files, configuration="gpt-9_all", system=None, model=None, allow_missing=allow
        )
        return runner.run(made, resolved(), context())

    with pytest.raises(InputError, match="row for calendar-002"):
        run(allow=False)
    made = run(allow=True)
    body = document(made)  # type: ignore[arg-type]
    assert body["runs"]["outcome"][2] == "error"
    assert body["denominators"]["success"]["den"] == 7, "it is counted"


def test_an_imported_result_is_not_reproduced() -> None:
    with pytest.raises(UsageError, match="imported results"):
        work_of(document(imported()))


def test_steps_are_blank_where_a_run_has_no_transcript() -> None:
    """An exception left no transcript: what the agent did is unknown, and never 0."""
    made = document(imported({"Delete the stand-up": ([], "", "unhashable type: 'list'")}))
    assert made["runs"]["outcome"][1] == "failure"
    assert (made["runs"]["steps"][1], made["runs"]["toolCalls"][1], made["runs"]["completion"][1]) == (
        None,
        None,
        False,
    )
    assert made["denominators"]["steps_total"] == {"den": 6, "excluded": 1}


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (repr(["x"] * 1_001), "column 2: 1,001 actions, at most 1,000"),
        ("['\\ud800']", "column 2: half of a character"),
        ("[0x1" + "0" * 5_000 + "]", "column 2: a number of too many digits"),
        ("not a list", "column 2: "),
    ],
)
def test_a_cell_that_cannot_be_used_is_named_by_file_row_and_column(cell: str, said: str) -> None:
    files = tiny_workbench.results("gpt-9_all")
    path = next(name for name in files if name.startswith("email/"))
    rows = [
        ("query", "function_calls", "full_response", "error"),
        ("Delete the e-mail about lunch", cell, "", ""),
    ]
    files[path] = tiny_workbench.table(rows)
    made = results.formats["workbench-results"].work(
        files, configuration="gpt-9_all", system=None, model=None, allow_missing=False
    )
    with pytest.raises(InputError, match=f"{path}: row 2, {said}"):
        runner.run(made, resolved(), context())


def test_more_row_visits_than_a_measurement_should_make_are_refused_before_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Proof A15: tables of 50,000 rows ran on without end. The tiny benchmark has 8 rows and 7 tasks."""
    monkeypatch.setattr(runner, "MOST_WORK", 50)
    with pytest.raises(InputError, match="7 runs over 8 rows are more than 50 row visits") as caught:
        runner.plan(work(), resolved(), context())
    assert caught.value.hint == "run at most 6, with --task-limit or --runs-per-task"
    runner.plan(work(limit=6), resolved(), context())


def test_a_tool_policy_is_recorded_in_the_receipt_and_binds() -> None:
    made = measured("spam-tools", limit=1, policies={"email.delete_email": "deny", "email.send_email": "ask"})
    body = document(made)
    assert made.config["options"] == {"tool email.delete_email": "deny", "tool email.send_email": "ask"}
    (run,) = action_log.read(made.evidence[0].data)
    denied = [action for action in run.actions if isinstance(action, str)]
    assert [action.split()[3] for action in denied] == ["email.send_email", "email.delete_email"]
    assert body["runs"]["toolCalls"] == [len(tiny_workbench.benchmark().tools)]
    levels = further_levels(body, given(made, tiny_workbench.data()))
    assert [step.state for step in levels.steps] == ["pass"] * 3
    assert work_of(body).request["policies"] == {"email.delete_email": "deny", "email.send_email": "ask"}


def test_a_policy_for_an_unknown_tool_names_the_tools() -> None:
    with pytest.raises(UsageError, match=r"no tool email\.burn"):
        measured("null", policies={"email.burn": "deny"})


def test_runs_that_ask_a_person_go_one_after_the_other_and_without_one_are_denied() -> None:
    machine = replace(context(), cores=4)
    assert concurrency(work("spam-tools"), machine) == 4
    assert concurrency(work("spam-tools", policies={"email.send_email": "ask"}), machine) == 1
    made = measured("spam-tools", limit=2, policies={"email.send_email": "ask"})
    for run in action_log.read(made.evidence[0].data):
        (denied,) = (action for action in run.actions if isinstance(action, str))
        assert denied.startswith("denied by policy: email.send_email ")


@pytest.mark.parametrize(("given", "used"), some([({}, 20), ({"tool_iterations": 3}, 3)], gate=1))
def test_a_benchmark_suggests_options_that_a_command_overrides(given: dict[str, int], used: int) -> None:
    """WorkBench has 20 iterations of the tool loop (specs/agents.md, "Systems")."""
    reference = "benchsite.tracks.agents.systems.graph.sas:Sas"
    found = Resolved(None, {"system": reference}, tiny_workbench.data())  # type: ignore[arg-type]
    asked = work("sas", models={"default": "simulated"}, options=given)
    assert runner.plan(asked, found, context()).config["options"] == {"tool_iterations": used}
