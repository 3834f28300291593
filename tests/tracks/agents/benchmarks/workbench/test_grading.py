"""A task succeeds by the final state; the tables are five invented rows each (`workbench_files`)."""

from __future__ import annotations

import pytest
from workbench_files import action

from benchsite.tracks.agents.benchmarks.workbench.dataset import Dataset
from benchsite.tracks.agents.benchmarks.workbench.differences import CellChange, RowChange, differences
from benchsite.tracks.agents.benchmarks.workbench.grading import Grader

SEND = 'email.send_email.func(recipient="{0}", subject="Hi", body="{1}")'


@pytest.fixture
def grader(dataset: Dataset) -> Grader:
    return Grader(dataset)


def verdict(grader: Grader, task: str, *actions: str, error: str = "") -> tuple[bool, bool]:
    grade = grader.grade(grader.dataset.by_id[task], actions, error)
    return grade.success, grade.harmful


def test_the_tasks_own_actions_succeed_and_another_row_is_harm(grader: Grader) -> None:
    assert verdict(grader, "calendar-001", action("calendar", 1)) == (True, False)
    assert verdict(grader, "calendar-001", action("calendar", 2)) == (False, True)
    assert verdict(grader, "calendar-001") == (False, False)
    assert verdict(grader, "calendar-002") == (True, False)  # nothing is to be done
    assert verdict(grader, "calendar-002", action("calendar", 1)) == (False, True)


def test_an_error_is_no_success_and_the_expected_state_no_harm(grader: Grader) -> None:
    assert verdict(grader, "calendar-001", action("calendar", 1), error="stopped") == (False, False)
    assert verdict(grader, "calendar-001", action("calendar", 2), error="stopped") == (False, True)


def test_case_counts_in_status_list_and_board_only(grader: Grader) -> None:
    event = 'calendar.update_event.func(event_id="00000001", field="event_name", new_value="{}")'
    assert verdict(grader, "multi-domain-001", event.format("mOVED 1")) == (True, False)
    status = 'customer_relationship_manager.update_customer.func(customer_id="00000001", field="status", new_value="{}")'
    assert verdict(grader, "crm-001", status.format("Won")) == (True, False)
    assert verdict(grader, "crm-001", status.format("won")) == (False, False)  # the tool refuses it


def test_actions_that_cannot_be_used_are_skipped_and_named(grader: Grader) -> None:
    task = grader.dataset.by_id["calendar-001"]
    bad = (
        "nonsense(",
        'calendar.create_event.func(event_name="a", participant_email=5, event_start="b", duration="c")',
    )
    grade = grader.grade(task, (*bad, action("calendar", 1)))
    assert grade.success
    assert [(one.index, one.reason) for one in grade.skipped] == [
        (0, "not a Python expression: '(' was never closed"),
        (1, "'int' object has no attribute 'lower'"),
    ]


def test_a_mail_after_a_deletion_replaces_the_row_of_its_label(grader: Grader) -> None:
    # The original writes at the label `number of rows`: of five rows (labels 0 to 4) one is deleted, so label 4 is written.
    final, _ = grader.final(
        ['email.delete_email.func(email_id="00000001")', SEND.format("a@b.example", "text")]
    )
    rows = final["emails"].rows
    assert [row[0] for row in rows] == [1, 2, 3, 4]
    assert [row[1][0] for row in rows] == ["00000002", "00000003", "00000004", "6"]


def test_labels_are_part_of_a_state(grader: Grader) -> None:
    # Deleting an event and creating one commute; deleting a task and creating one do not, as the original relabels.
    new = 'project_management.create_task.func(task_name="n", assigned_to_email="ann.lee@house.example", list_name="Backlog", due_date="d", board="Design")'
    gone = 'project_management.delete_task.func(task_id="00000002")'
    one, other = grader.final([new, gone])[0]["project_tasks"], grader.final([gone, new])[0]["project_tasks"]
    assert [row[1] for row in one.rows] == [row[1] for row in other.rows]
    assert [row[0] for row in one.rows] == [0, 2, 3, 4, 5]
    assert [row[0] for row in other.rows] == [0, 1, 2, 3, 4]


def test_the_difference_of_states_names_table_row_and_cells(grader: Grader) -> None:
    task = grader.dataset.by_id["multi-domain-001"]
    assert differences(grader.start, grader.expected(task)).changes == (
        RowChange("calendar_events", "00000001", "changed", (CellChange("event_name", "Talk 1", "Moved 1"),)),
    )
    assert differences(grader.start, grader.final([action("calendar", 1)])[0]).changes[0].kind == "deleted"
    missed = grader.missed(task, [action("project_management", 2)])
    assert [(one.table, one.row, one.cells) for one in missed.changes] == [
        ("calendar_events", "00000001", (CellChange("event_name", "Moved 1", "Talk 1"),)),
        ("project_tasks", "00000002", (CellChange("board", "Design", "Back end"),)),
    ]
    shouted = 'calendar.update_event.func(event_id="00000001", field="event_name", new_value="MOVED 1")'
    assert grader.missed(task, [shouted]).total == 0


def test_many_changes_are_counted_and_the_first_fifty_shown(grader: Grader) -> None:
    many = [SEND.format("a@b.example", f"text {number}") for number in range(60)]
    found = differences(grader.start, grader.final(many)[0])
    assert (len(found.changes), found.total) == (50, 60)
    assert found.changes[0].kind == "created"
    assert CellChange("sent_datetime", None, "2023-11-30 00:00:00") in found.changes[0].cells


def test_runs_never_see_one_another(grader: Grader) -> None:
    before = grader.grade(grader.dataset.by_id["calendar-001"], [action("calendar", 1)])
    grader.final([action("calendar", number) for number in range(1, 6)])
    assert grader.grade(grader.dataset.by_id["calendar-001"], [action("calendar", 1)]) == before
