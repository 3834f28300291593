"""The project board: tasks, which are read, created, changed and deleted."""

from __future__ import annotations

from typing import Any, Final

from benchsite.tracks.agents.benchmarks.workbench.sandbox import Sandbox, Tool
from benchsite.tracks.agents.benchmarks.workbench.tables import Table
from benchsite.tracks.agents.benchmarks.workbench.tools.search import contains

TABLE: Final = "project_tasks"
_ID: Final = "task_id"
_LISTS: Final = ("Backlog", "In Progress", "In Review", "Completed")
_BOARDS: Final = ("Back end", "Front end", "Design")
_BAD_LIST: Final = "List not valid. Please choose from: 'Backlog', 'In Progress', 'In Review', 'Completed'."
_BAD_BOARD: Final = "Board not valid. Please choose from: 'Back end', 'Front end', 'Design'."
_BAD_ASSIGNEE: Final = "Assignee email not valid. Please choose from the list of team members."


def get_task_information_by_id(box: Sandbox, task_id: Any = None, field: Any = None) -> Any:
    """One field of a task."""
    if not task_id:
        return "Task ID not provided."
    if not field:
        return "Field not provided."
    found = box.state[TABLE].where(_ID, task_id)
    if not found:
        return "Task not found."
    return {field: found[0][field]} if field in found[0] else "Field not found."


def search_tasks(
    box: Sandbox,
    task_name: Any = None,
    assigned_to_email: Any = None,
    list_name: Any = None,
    due_date: Any = None,
    board: Any = None,
) -> Any:
    """The tasks that match every field that is given."""
    wanted = {
        "task_name": task_name,
        "assigned_to_email": assigned_to_email,
        "list_name": list_name,
        "due_date": due_date,
        "board": board,
    }
    if not any(wanted.values()):
        return "No search parameters provided."
    found = box.state[TABLE].records()
    for column, pattern in wanted.items():
        if pattern:
            matches = contains(pattern, ignore_case=True)
            found = [task for task in found if matches(task[column])]
    return found


def create_task(
    box: Sandbox,
    task_name: Any = None,
    assigned_to_email: Any = None,
    list_name: Any = None,
    due_date: Any = None,
    board: Any = None,
) -> Any:
    """Create a task; the result is its id. The assignee must have a task already."""
    if not all([task_name, assigned_to_email, list_name, due_date, board]):
        return "Missing task details."
    tasks = box.state[TABLE]
    assignee = assigned_to_email.lower()
    if not _is_member(tasks, assignee):
        return _BAD_ASSIGNEE
    if list_name not in _LISTS:
        return _BAD_LIST
    if board not in _BOARDS:
        return _BAD_BOARD
    task_id = str(int(tasks.greatest(_ID)) + 1).zfill(8)
    record = {
        _ID: task_id,
        "task_name": task_name,
        "assigned_to_email": assignee,
        "list_name": list_name,
        "due_date": due_date,
        "board": board,
    }
    box.state[TABLE] = tasks.appended(0, record).relabeled()
    return task_id


def delete_task(box: Sandbox, task_id: Any = None) -> Any:
    """Delete a task."""
    if not task_id:
        return "Task ID not provided."
    if not box.state[TABLE].holds(_ID, task_id):
        return "Task not found."
    box.state[TABLE] = box.state[TABLE].without(_ID, task_id)
    return "Task deleted successfully."


def update_task(box: Sandbox, task_id: Any = None, field: Any = None, new_value: Any = None) -> Any:
    """Change one field of a task."""
    if not task_id or not field or not new_value:
        return "Task ID, field, or new value not provided."
    tasks = box.state[TABLE]
    if field == "assigned_to_email":
        new_value = new_value.lower()
    if refusal := _refusal(tasks, field, new_value):
        return refusal
    if not tasks.holds(_ID, task_id):
        return "Task not found."
    if field not in tasks.columns:
        return "Field not valid."
    box.state[TABLE] = tasks.changed(_ID, task_id, field, new_value)
    return "Task updated successfully."


def _refusal(tasks: Table, field: str, value: Any) -> str:
    """Why a field may not have a value, or empty."""
    if field == "board" and value not in _BOARDS:
        return _BAD_BOARD
    if field == "list_name" and value not in _LISTS:
        return _BAD_LIST
    return _BAD_ASSIGNEE if field == "assigned_to_email" and not _is_member(tasks, value) else ""


def _is_member(tasks: Table, address: str) -> bool:
    at = tasks.columns.index("assigned_to_email")
    return address in {cell.lower() for _, cells in tasks.rows if isinstance(cell := cells[at], str)}


TOOLS: Final = (
    Tool("project_management.create_task", create_task, changes_state=True),
    Tool("project_management.delete_task", delete_task, changes_state=True),
    Tool("project_management.update_task", update_task, changes_state=True),
    Tool("project_management.get_task_information_by_id", get_task_information_by_id, changes_state=False),
    Tool("project_management.search_tasks", search_tasks, changes_state=False),
)
