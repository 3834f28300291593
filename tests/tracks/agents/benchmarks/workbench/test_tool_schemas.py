"""What models are told of WorkBench's tools agrees with what the tools do, and calls stay as lenient as in the original."""

from __future__ import annotations

import json
from typing import Any

import pytest
import tiny_workbench

from benchsite.tracks.agents.benchmarks.workbench.tool_schemas import TOOLS
from benchsite.tracks.agents.benchmarks.workbench.tools import CATALOG
from benchsite.tracks.agents.tools import Tool

GIVEN = {
    "event_id": "00000001",
    "email_id": "00000001",
    "task_id": "00000001",
    "customer_id": "00000001",
    "visitor_id": "0001",
    "event_start": "2023-12-05 09:00:00",
    "participant_email": "ada.north@example.org",
    "recipient": "ada.north@example.org",
    "assigned_to_email": "bo.west@example.org",
    "time_min": "2023-11-01",
    "time_max": "2023-11-02",
    "due_date": "2023-12-05",
}
FIELDS = {
    "calendar": "event_name",
    "email": "subject",
    "project_management": "task_name",
    "customer_relationship_manager": "customer_name",
}
IDS = [tool.name for tool in TOOLS]


def arguments(tool: Tool) -> dict[str, Any]:
    """A value for each required parameter."""
    field = FIELDS.get(tool.name.partition(".")[0], "")
    schema: Any = tool.parameters
    return {
        name: GIVEN.get(name)
        or (field if name == "field" else schema["properties"][name].get("enum", ["x"])[0])
        for name in schema.get("required", ())
    }


@pytest.mark.parametrize("tool", TOOLS, ids=IDS)
def test_every_parameter_is_described_in_the_order_of_the_tool(tool: Tool) -> None:
    schema: Any = tool.parameters
    assert tuple(schema["properties"]) == CATALOG[tool.name].parameters
    texts = [tool.description, *(one["description"] for one in schema["properties"].values())]
    assert all(text[0].isupper() and text.endswith(".") for text in texts)


@pytest.mark.parametrize("tool", TOOLS, ids=IDS)
def test_what_is_required_suffices_and_without_it_the_tool_changes_nothing(tool: Tool) -> None:
    dataset = tiny_workbench.benchmark().dataset
    whole, box = arguments(tool), dataset.sandbox()
    before = dict(box.state)
    CATALOG[tool.name].call(box, whole)
    assert (box.state != before) is CATALOG[tool.name].changes_state
    for name in whole:
        box = dataset.sandbox()
        said = CATALOG[tool.name].call(box, {key: value for key, value in whole.items() if key != name})
        assert isinstance(said, str), "a refusal in words"
        assert box.state == before


@pytest.mark.parametrize("tool", TOOLS, ids=IDS)
def test_every_listed_value_is_accepted(tool: Tool) -> None:
    schema: Any = tool.parameters
    dataset = tiny_workbench.benchmark().dataset
    for name, text in schema["properties"].items():
        for value in text.get("enum", ()):
            box = dataset.sandbox()
            given = {**arguments(tool), name: value}
            if name == "field" and "new_value" in schema["properties"]:
                values = {
                    "status": "Won",
                    "product_interest": "Software",
                    "list_name": "Backlog",
                    "board": "Design",
                }
                given["new_value"] = values.get(value, "bo.west@example.org")
            said = str(CATALOG[tool.name].call(box, given))
            assert "not valid" not in said
            assert "not found" not in said
            assert "must be one of" not in said


def test_a_call_that_the_schema_would_refuse_is_carried_out_as_in_the_original() -> None:
    workspace = tiny_workbench.benchmark().open("calendar-001")
    field = {"event_id": "00000001", "field": "room", "new_value": "12"}
    assert workspace.call("calendar.update_event", field).result == "Event updated successfully."
    seen = workspace.call("calendar.delete_event", {})
    assert (seen.result, seen.failed) == ("Event ID not provided.", False)


def test_the_worked_examples_have_the_results_of_the_tools() -> None:
    benchmark = tiny_workbench.benchmark()
    (moved, sent) = benchmark.tasks[0].examples
    assert all(task.examples == (moved, sent) for task in benchmark.tasks), "one prefix for every task"
    assert moved.query == "Make the event 'stand-up' of 2023-12-01 45 minutes long."
    (found,) = json.loads(moved.steps[0].result)
    assert found["event_id"] == moved.steps[1].arguments["event_id"] == "00000001"
    assert sent.steps[0].result == '["ada.north@example.org"]'
    workspace = benchmark.open("calendar-001")
    for step in (*moved.steps, *sent.steps):
        seen = workspace.call(step.tool, step.arguments).result
        assert seen == (step.result if isinstance(seen, str) else json.loads(step.result))


def test_the_examples_of_a_run_leave_no_mark_on_its_tables() -> None:
    benchmark = tiny_workbench.benchmark()
    first = benchmark.open("calendar-001")
    first.call("calendar.delete_event", {"event_id": "00000001"})
    second = benchmark.open("calendar-001")
    asked = {"event_id": "00000001", "field": "duration"}
    assert second.call("calendar.get_event_information_by_id", asked).result == {"duration": "30"}
    assert first.call("calendar.get_event_information_by_id", asked).result == "Event not found."
