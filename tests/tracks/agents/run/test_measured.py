"""Systems that fail, in their own process: each failure is the outcome of its run, and the next run goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tiny_workbench
from agents_receipts import context, document, given, receipt, work
from examples import some

from benchsite.errors import InputError, PrerequisiteError
from benchsite.track import Measurement, Resolved
from benchsite.tracks.agents.record import action_log, verification
from benchsite.tracks.agents.record.violations import violations
from benchsite.tracks.agents.run import measured, runner
from benchsite.tracks.agents.trace import archive

SYSTEM = """\
import os, time

class System:
    name, version, author = "odd", "1.0.0", "x"

    def solve(self, task, tools, models, trace):
{body}

    def describe(self):
        return {described}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def run(folder: Path, *body: str, described: str = '{"roles": []}', **request: Any) -> Measurement:
    lines = "\n".join(f"        {line}" for line in body)
    (folder / "odd_system.py").write_text(SYSTEM.format(body=lines, described=described))
    resolved = Resolved(None, {"system": "odd_system:System"}, tiny_workbench.data())  # type: ignore[arg-type]
    return runner.run(work("odd", **request), resolved, context())


def outcomes(made: Measurement) -> list[tuple[str, str | None]]:
    runs = document(made)["runs"]
    limits = runs.get("limit") or [None] * len(runs["outcome"])
    return list(zip(runs["outcome"], limits, strict=True))


FIRST = 'if task.id == "analytics-001":'
"""The first of the tasks fails; what the second does shows that the run went on."""


@pytest.mark.parametrize(
    ("failure", "ended"),
    some(
        [
            ("raise ValueError('/home/me/secret')", ("error", None)),
            ("os._exit(3)", ("error", None)),
            ("return 5", ("error", None)),
            ("return 'x' * 100_001", ("error", None)),
            ("return '\\ud800'", ("error", None)),
            ("return {'answer': 'x', 'confidence': 3}", ("error", None)),
            ("return {'answer': 'x', 'confidence': True}", ("error", None)),
            ("return {'answer': 'x', 'actor': 'a' * 201}", ("error", None)),
            ("[tools.call('calendar.search_events', {}) for _ in range(9)]", ("limit", "tool-calls")),
        ],
        gate=3,
    ),
)
def test_a_failure_is_the_outcome_of_its_run(
    folder: Path, failure: str, ended: tuple[str, str | None]
) -> None:
    budget = {"toolCalls": 5, "messages": None, "tokens": None, "seconds": 60.0}
    made = run(folder, FIRST, f"    {failure}", 'return "Done."', limit=3, budget=budget)
    assert outcomes(made) == [ended, ("failure", None), ("success", None)]
    body = document(made)
    assert violations(body) == []
    found = verification.rescore(receipt(body), given(made, tiny_workbench.data()), deep=True)
    assert {step.state for step in found.further} == {"pass"}, "the levels agree on what failed"
    first, second, _ = action_log.read(made.evidence[0].data)
    assert first.error is not None
    assert first.error.startswith("benchsite: ")
    assert b"secret" not in made.evidence[0].data + made.evidence[1].data, "its words stay on the terminal"
    assert (second.error, second.answer) == (None, "Done.")
    assert any(
        "1 run ended by a limit or an error; first analytics-001, run 1: " in one for one in made.notes
    )


def test_an_answer_may_have_a_confidence_and_an_actor(folder: Path) -> None:
    made = run(folder, "return {'answer': 'x', 'confidence': 0.5, 'actor': 'worker-2'}", limit=1)
    (trace,) = archive.unpacked(made.evidence[1].data)
    last = trace.events[-1]
    assert (last.event_type, last.actor) == ("finalize", "worker-2")
    assert last.payload == {"output": "x", "confidence": 0.5}


def test_graphs_of_a_description_are_read(folder: Path) -> None:
    graph = "{'nodes': ['a', 'b'], 'edges': [['a', 'b']]}"
    run(folder, "return None", described=f"{{'agents': {graph}, 'controlFlow': {graph}}}", limit=1)


def test_seconds_are_limited(folder: Path) -> None:
    budget = {"toolCalls": 5, "messages": None, "tokens": None, "seconds": 1.0}
    made = run(folder, FIRST, "    time.sleep(60)", limit=2, budget=budget)
    assert outcomes(made) == [("limit", "seconds"), ("failure", None)]


def test_a_success_that_a_limit_ended_is_none(folder: Path) -> None:
    budget = {"toolCalls": 1, "messages": None, "tokens": None, "seconds": 60.0}
    call = "tools.call('calendar.delete_event', {'event_id': '00000001'})"
    right = run(folder, call, "return 'Done.'", limit=2, budget=budget)
    assert outcomes(right)[1] == ("success", None)
    twice = run(folder, call, call, "return 'Done.'", limit=2, budget=budget)
    assert outcomes(twice)[1] == ("limit", "tool-calls")


def test_a_system_that_goes_on_after_its_limit_ends_by_it(folder: Path) -> None:
    budget = {"toolCalls": 1, "messages": None, "tokens": None, "seconds": 60.0}
    made = run(
        folder,
        "for _ in range(3):",
        "    try: tools.call('calendar.search_events', {})",
        "    except Exception: pass",
        "return 'Done.'",
        limit=1,
        budget=budget,
    )
    assert outcomes(made) == [("limit", "tool-calls")]
    assert document(made)["runs"]["toolCalls"] == [1]


def test_a_task_has_its_query_and_no_answer(folder: Path) -> None:
    made = run(folder, "return repr((task.query, task.needs_action, [*vars(tools)], dir(task)))", limit=1)
    (only,) = action_log.read(made.evidence[0].data)
    assert only.answer is not None
    assert only.answer.startswith("('Plot the visits of November', None,")
    assert "actions" not in only.answer
    assert "answers" not in only.answer


def test_tools_have_a_description_and_a_schema(folder: Path) -> None:
    made = run(folder, "return str(sorted(tools.tools[0].parameters)) + tools.tools[0].name", limit=1)
    (only,) = action_log.read(made.evidence[0].data)
    assert (
        only.answer
        == f"{sorted(tiny_workbench.benchmark().tools[0].parameters)}{tiny_workbench.benchmark().tools[0].name}"
    )


@pytest.mark.parametrize(
    ("described", "fault"),
    some(
        [
            ('{"kind": "wizard"}', "kind"),
            ('{"roles": ["A B"]}', "roles"),
            ('{"sizes": {"agents": -1}}', "sizes"),
            ('{"more": 1}', "more"),
            ("1 / 0", "ZeroDivisionError"),
        ],
        gate=2,
    ),
)
def test_a_malformed_description_is_named(folder: Path, described: str, fault: str) -> None:
    with pytest.raises(InputError, match=f"system odd: describe: .*{fault}"):
        run(folder, "return None", described=described)


def test_without_langgraph_a_team_is_refused_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(measured, "find_spec", lambda _name: None)
    reference = "benchsite.tracks.agents.systems.graph.sas:Sas"
    with pytest.raises(
        PrerequisiteError, match="system sas: the package langgraph is not installed"
    ) as caught:
        measured.program("sas", reference, {}, {})
    assert caught.value.hint == "run: pip install 'benchsite[agents]'"
