"""Any literal as any argument: a run is graded and its record written, whatever a stranger's actions hold."""

from __future__ import annotations

import random

import pytest
import tiny_workbench

from benchsite.tracks.agents.benchmarks.workbench import literals
from benchsite.tracks.agents.benchmarks.workbench.actions import canonical_action
from benchsite.tracks.agents.benchmarks.workbench.literals import UnreadableError, parsed, value_of
from benchsite.tracks.agents.benchmarks.workbench.tools import CATALOG
from benchsite.tracks.agents.record import action_log
from benchsite.tracks.agents.tools import Action, Call

BENCHMARK = tiny_workbench.benchmark()
VALUES = (
    *("''", "'00000001'", "'event_id'", "'event_name'", "'status'", "'list_name'", "'Won'", "'Completed'"),
    *(
        "5",
        "0",
        "-1",
        "1.5",
        "nan",
        "-inf",
        "None",
        "True",
        "[]",
        "['x']",
        "{}",
        "{'a': 1}",
        "{1: 2}",
        "b'x'",
    ),
    *(
        "1j",
        "...",
        "()",
        "(1,)",
        "{1, 2}",
        "'\\x00'",
        "'2023-12-01 09:00:00'",
        "'2023-99-99'",
        "'['",
        "'(?P<'",
    ),
    *("10**9", "1" + "0" * 800, "'bo.west@example.org'", "'@'", "'\u0130'", "[[[[1]]]]", "'bar'", "'Lead'"),
    *("'board'", "'notes'", "'" + "x" * 201 + "'", "'\\u202e'", "{'a': [nan]}"),
)


def recorded(actions: list[Action], task: str) -> bytes:
    graded = BENCHMARK.grade(task, actions, None, "")
    run = action_log.Acted(
        task=task,
        run=1,
        actions=tuple(actions),
        error=None,
        skipped=tuple(map(action_log.Skipped.model_validate, graded.skipped)),
        difference=tuple(map(action_log.Change.model_validate, graded.difference)),
    )
    return action_log.written([run])


@pytest.mark.parametrize("runs", [400, pytest.param(20_000, marks=pytest.mark.full)])
def test_a_run_of_any_values_is_graded_and_recorded(runs: int):
    draw = random.Random(20261125)  # noqa: S311 - test data
    tools = list(CATALOG)
    for _ in range(runs):
        actions = list[Action]()
        for _ in range(draw.randint(1, 4)):
            tool = draw.choice(tools)
            names = [name for name in CATALOG[tool].parameters if draw.random() < 0.9]
            text = f"{tool}.func({', '.join(f'{name}={draw.choice(VALUES)}' for name in names)})"
            actions.append(canonical_action(text))
        data = recorded(actions, draw.choice(BENCHMARK.tasks).id)
        assert [list(run.actions) for run in action_log.read(data)] == [actions]


@pytest.mark.parametrize(
    "field", ["5", "['x']", "{'x': 1}", "{1}", "('x',)", "1.5", "True", "'" + "x" * 201 + "'"]
)
@pytest.mark.parametrize(
    ("tool", "name"), [("calendar.update_event", "event_id"), ("customer_relationship_manager.update_customer", "customer_id"), ("project_management.update_task", "task_id")]
)  # fmt: skip
def test_a_field_that_no_table_can_have_is_the_error_of_its_tool(tool: str, name: str, field: str):
    action = f'{tool}.func({name}="00000001", field={field}, new_value="x")'
    call = canonical_action(action)
    assert isinstance(call, Call)
    seen = BENCHMARK.open("calendar-002").call(call.tool, call.arguments)
    graded = BENCHMARK.grade("calendar-002", [call], None, "")
    assert graded.success, "doing nothing is right, and nothing was done"
    assert seen.failed or isinstance(seen.result, str), "a refusal in the tool's words"


@pytest.mark.parametrize("text", ["f'{1}'", "x(a=Rf'''a''')", "'a' fr'b'", "'''it's''' f'b'", "'a\\'' f'b'"])
def test_a_text_that_is_computed_is_refused(text: str):
    with pytest.raises(UnreadableError, match="a text that is computed"):
        parsed(text)


@pytest.mark.parametrize("text", ["'of' 'f'", "\"of'f'\"", "('a', # f'\n'b')", "'a\\'f\\''", "{'f':1}"])
def test_the_letter_alone_computes_nothing(text: str):
    parsed(text)


def test_an_f_string_is_refused_before_it_is_parsed(monkeypatch: pytest.MonkeyPatch):
    """CPython 3.11 parses f-strings in quadratic time: 200,000 characters took 2.4 s."""
    monkeypatch.setattr(literals.ast, "parse", lambda *_args, **_kwargs: pytest.fail("parsed"))
    with pytest.raises(UnreadableError, match="computed"):
        value_of(parsed("f'" + "{1}" * 66_300 + "'"))
