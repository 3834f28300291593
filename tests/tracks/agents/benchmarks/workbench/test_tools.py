"""Each tool on tables of five invented rows: what it answers and what it changes. The refusals are the original's words."""

from __future__ import annotations

from typing import Any

import pytest
from workbench_files import PEOPLE

from benchsite.tracks.agents.benchmarks.workbench.sandbox import Sandbox, ToolError
from benchsite.tracks.agents.benchmarks.workbench.tables import MISSING
from benchsite.tracks.agents.benchmarks.workbench.tools import CATALOG
from benchsite.tracks.agents.benchmarks.workbench.transcript import is_refusal

ANN, BO, CY = PEOPLE
CRM = "customer_relationship_manager"
PLOT = {"time_min": "a", "time_max": "b", "value_to_plot": "total_visits", "plot_type": "bar"}
EVENT = {"event_name": "n", "participant_email": "X@y.Z", "event_start": "s", "duration": "30"}
TASK = {
    "task_name": "n",
    "assigned_to_email": ANN,
    "list_name": "Backlog",
    "due_date": "d",
    "board": "Design",
}


def call(box: Sandbox, tool: str, **arguments: Any) -> Any:
    return CATALOG[tool].call(box, arguments)


def last(box: Sandbox, table: str) -> dict[str, Any]:
    return box.state[table].records()[-1]


def test_there_are_27_tools_of_which_14_change_state() -> None:
    # src/tools/toolkits.py of the original: 14 with side effects, 13 without; 26 work on the five tables, one on the directory.
    assert len(CATALOG) == 27
    assert sum(tool.changes_state for tool in CATALOG.values()) == 14
    assert CATALOG["calendar.update_event"].parameters == ("event_id", "field", "new_value")


REFUSED = [
    ("calendar.get_event_information_by_id", {}, "Event ID not provided."),
    ("calendar.get_event_information_by_id", {"event_id": "1"}, "Field not provided."),
    ("calendar.get_event_information_by_id", {"event_id": "1", "field": "f"}, "Event not found."),
    ("calendar.get_event_information_by_id", {"event_id": "00000001", "field": "f"}, "Field not found."),
    ("calendar.create_event", {}, "Event name not provided."),
    ("calendar.create_event", EVENT | {"participant_email": ""}, "Participant email not provided."),
    ("calendar.create_event", EVENT | {"event_start": None}, "Event start not provided."),
    ("calendar.create_event", EVENT | {"duration": ""}, "Event duration not provided."),
    ("calendar.delete_event", {}, "Event ID not provided."),
    ("calendar.delete_event", {"event_id": "1"}, "Event not found."),
    ("calendar.update_event", {"event_id": "1"}, "Event ID, field, or new value not provided."),
    ("calendar.update_event", {"event_id": "1", "field": "f", "new_value": "v"}, "Event not found."),
    ("email.get_email_information_by_id", {}, "Email ID not provided."),
    ("email.get_email_information_by_id", {"email_id": "1"}, "Field not provided."),
    ("email.get_email_information_by_id", {"email_id": "1", "field": "f"}, "Email not found."),
    ("email.get_email_information_by_id", {"email_id": "00000001", "field": "sender"}, "Field not found."),
    ("email.send_email", {"recipient": ANN}, "Recipient, subject, or body not provided."),
    ("email.send_email", {"recipient": "ann", "subject": "s", "body": "b"}, "Invalid recipient email address."),
    ("email.delete_email", {}, "Email ID not provided."),
    ("email.delete_email", {"email_id": "1"}, "Email not found."),
    ("email.forward_email", {"email_id": "1"}, "Email ID or recipient not provided."),
    ("email.forward_email", {"email_id": "1", "recipient": ANN}, "Email not found."),
    ("email.forward_email", {"email_id": "00000001", "recipient": "ann"}, "Invalid recipient email address."),
    ("email.reply_email", {"email_id": "1"}, "Email ID or body not provided."),
    ("email.reply_email", {"email_id": "1", "body": "b"}, "Email not found."),
    ("analytics.get_visitor_information_by_id", {}, "Visitor ID not provided."),
    ("analytics.get_visitor_information_by_id", {"visitor_id": "9"}, "Visitor not found."),
    ("analytics.create_plot", PLOT | {"time_min": ""}, "Start date not provided."),
    ("analytics.create_plot", PLOT | {"time_max": ""}, "End date not provided."),
    ("analytics.create_plot", PLOT | {"value_to_plot": "x"}, "Value to plot must be one of"),
    ("analytics.create_plot", PLOT | {"plot_type": "pie"}, "Plot type must be one of"),
    ("project_management.get_task_information_by_id", {}, "Task ID not provided."),
    ("project_management.get_task_information_by_id", {"task_id": "1"}, "Field not provided."),
    ("project_management.get_task_information_by_id", {"task_id": "1", "field": "f"}, "Task not found."),
    ("project_management.get_task_information_by_id", {"task_id": "00000001", "field": "f"}, "Field not found."),
    ("project_management.search_tasks", {}, "No search parameters provided."),
    ("project_management.create_task", {}, "Missing task details."),
    ("project_management.create_task", TASK | {"assigned_to_email": "x@y.z"}, "Assignee email not valid."),
    ("project_management.create_task", TASK | {"list_name": "backlog"}, "List not valid."),
    ("project_management.create_task", TASK | {"board": "design"}, "Board not valid."),
    ("project_management.delete_task", {}, "Task ID not provided."),
    ("project_management.delete_task", {"task_id": "1"}, "Task not found."),
    ("project_management.update_task", {"task_id": "1"}, "Task ID, field, or new value not provided."),
    ("project_management.update_task", {"task_id": "1", "field": "board", "new_value": "x"}, "Board not valid."),
    ("project_management.update_task", {"task_id": "1", "field": "list_name", "new_value": "x"}, "List not valid."),
    (
        "project_management.update_task",
        {"task_id": "1", "field": "assigned_to_email", "new_value": "x"},
        "Assignee email not valid.",
    ),
    ("project_management.update_task", {"task_id": "1", "field": "due_date", "new_value": "x"}, "Task not found."),
    ("project_management.update_task", {"task_id": "00000001", "field": "f", "new_value": "x"}, "Field not valid."),
    (f"{CRM}.search_customers", {}, "No search parameters provided. Please provide at least one"),
    (f"{CRM}.update_customer", {"customer_id": "1"}, "Customer ID, field, or new value not provided."),
    (f"{CRM}.update_customer", {"customer_id": "1", "field": "status", "new_value": "won"}, "Status not valid."),
    (
        f"{CRM}.update_customer",
        {"customer_id": "1", "field": "product_interest", "new_value": "x"},
        "Product interest not valid.",
    ),
    (f"{CRM}.update_customer", {"customer_id": "1", "field": "notes", "new_value": "x"}, "Customer not found."),
    (f"{CRM}.update_customer", {"customer_id": "00000001", "field": "f", "new_value": "x"}, "Field not valid."),
    (f"{CRM}.add_customer", {"customer_name": "n"}, "Please provide all required fields: customer_name"),
    (f"{CRM}.delete_customer", {}, "Customer ID not provided."),
    (f"{CRM}.delete_customer", {"customer_id": "1"}, "Customer not found."),
    ("company_directory.find_email_address", {}, "Name not provided."),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "arguments", "words"), REFUSED)
def test_a_refusal_says_why_and_changes_nothing(
    box: Sandbox, tool: str, arguments: dict[str, Any], words: str
) -> None:
    before = dict(box.state)
    found = call(box, tool, **arguments)
    assert found.startswith(words)
    assert is_refusal(found)
    assert box.state == before


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("calendar.search_events", {"query": "("}),
        ("calendar.search_events", {"query": None}),
        ("calendar.search_events", {"query": "(a+)+b"}),
        ("calendar.search_events", {"query": "a*a*a*"}),
        ("calendar.search_events", {"query": "x" * 1001}),
        ("calendar.search_events", {"time_min": "2023-11-31"}),
        ("calendar.search_events", {"time_max": "tomorrow"}),
        ("calendar.create_event", EVENT | {"participant_email": ["a"]}),
        ("calendar.update_event", {"event_id": "00000001", "field": "participant_email", "new_value": 5}),
        ("email.search_emails", {"query": ["a"]}),
        ("email.send_email", {"recipient": 5, "subject": "s", "body": "b"}),
        ("analytics.total_visits_count", {"time_min": ["2023"]}),
        ("company_directory.find_email_address", {"name": ["a"]}),
        ("calendar.delete_event", {"id": "1"}),
    ],
)
def test_values_that_cannot_be_used_are_a_tools_error_and_change_nothing(
    box: Sandbox, tool: str, arguments: dict[str, Any]
) -> None:
    before = dict(box.state)
    with pytest.raises(ToolError, match="."):
        call(box, tool, **arguments)
    assert box.state == before


def test_calendar(box: Sandbox) -> None:
    assert call(box, "calendar.create_event", **EVENT) == "00000006"
    assert last(box, "calendar_events") == {"event_id": "00000006", **EVENT, "participant_email": "x@y.z"}
    assert [row[0] for row in box.state["calendar_events"].rows] == [0, 1, 2, 3, 4, 0]
    field = {"event_id": "00000006", "field": "participant_email"}
    assert call(box, "calendar.update_event", **field, new_value="A@B") == "Event updated successfully."
    assert call(box, "calendar.get_event_information_by_id", **field) == {"participant_email": "a@b"}
    assert call(box, "calendar.delete_event", event_id="00000006") == "Event deleted successfully."
    assert call(box, "calendar.search_events", query="talk 6") == "No events found."
    found = call(
        box,
        "calendar.search_events",
        query="TALK [24]",
        time_min="2023-11-04",
        time_max="2023-11-05 09:00:00",
    )
    assert [event["event_name"] for event in found] == ["Talk 4"]
    assert len(call(box, "calendar.search_events")) == 5


def test_an_event_gets_a_column_that_it_had_not(box: Sandbox) -> None:
    call(box, "calendar.update_event", event_id="00000002", field="place", new_value="hall")
    assert box.state["calendar_events"].columns[-1] == "place"
    assert [row[1][-1] for row in box.state["calendar_events"].rows] == [
        MISSING,
        "hall",
        MISSING,
        MISSING,
        MISSING,
    ]


def test_an_id_that_is_no_number_stops_new_rows(box: Sandbox) -> None:
    call(box, "calendar.update_event", event_id="00000002", field="event_id", new_value="zzz")
    with pytest.raises(ToolError, match="literal for int"):
        call(box, "calendar.create_event", **EVENT)


def test_email(box: Sandbox) -> None:
    assert (
        call(box, "email.forward_email", email_id="00000002", recipient=ANN.upper())
        == "Email forwarded successfully."
    )
    sent = last(box, "emails")
    assert (sent["email_id"], sent["subject"], sent["sender/recipient"], sent["inbox/outbox"]) == (
        "6",
        "FW: Note 2",
        ANN,
        "outbox",
    )
    assert repr(sent["sent_datetime"]) == "Timestamp('2023-11-30 00:00:00')"
    assert call(box, "email.reply_email", email_id="00000002", body="Yes") == "Email replied successfully."
    # The greatest id is compared as text, so "6" stays the greatest: "7" follows it.
    assert (last(box, "emails")["email_id"], last(box, "emails")["sender/recipient"]) == ("7", CY)
    assert call(box, "email.delete_email", email_id="6") == "Email deleted successfully."
    with pytest.raises(ToolError, match="'<' not supported"):
        call(box, "email.search_emails", query="note 2")
    assert [mail["subject"] for mail in call(box, "email.search_emails", query="NOTE 4")] == ["Note 4"]
    field = {"email_id": "00000001", "field": "subject"}
    assert call(box, "email.get_email_information_by_id", **field) == {"subject": "Note 1"}


def test_searched_mails_are_newest_first_and_within_days(box: Sandbox) -> None:
    found = call(box, "email.search_emails", query="note", date_min="2023-11-03", date_max="2023-11-05")
    assert [mail["subject"] for mail in found] == ["Note 4", "Note 3", "Note 2"]
    assert call(box, "email.search_emails", query="nothing") == "No emails found."


def test_analytics(box: Sandbox) -> None:
    assert call(box, "analytics.create_plot", **PLOT) == "plots/a_b_total_visits_bar.png"
    assert box.state["plots"].rows == ((0, ("plots/a_b_total_visits_bar.png",)),)
    days = {"time_min": "2023-11-03", "time_max": "2023-11-04"}
    assert call(box, "analytics.total_visits_count", **days) == {"2023-11-03": 1, "2023-11-04": 1}
    assert call(box, "analytics.engaged_users_count", **days) == {"2023-11-03": 1, "2023-11-04": 0}
    assert call(box, "analytics.traffic_source_count", **days) == {"2023-11-03": 1, "2023-11-04": 1}
    none = call(box, "analytics.traffic_source_count", **days, traffic_source="referral")
    assert none == {"2023-11-03": 0, "2023-11-04": 0}
    assert call(box, "analytics.get_average_session_duration", **days) == {
        "2023-11-03": 2.0,
        "2023-11-04": 3.0,
    }
    [visit] = call(box, "analytics.get_visitor_information_by_id", visitor_id="0002")
    assert (visit["date_of_visit"], visit["user_engaged"]) == ("2023-11-03", True)


def test_project_management(box: Sandbox) -> None:
    assert (
        call(box, "project_management.create_task", **TASK | {"assigned_to_email": ANN.upper()}) == "00000006"
    )
    assert last(box, "project_tasks") == {"task_id": "00000006", **TASK}
    done = {"task_id": "00000006", "field": "list_name", "new_value": "Completed"}
    assert call(box, "project_management.update_task", **done) == "Task updated successfully."
    assert call(
        box, "project_management.get_task_information_by_id", task_id="00000006", field="list_name"
    ) == {"list_name": "Completed"}
    found = call(box, "project_management.search_tasks", list_name="completed", board="design")
    assert [task["task_id"] for task in found] == ["00000006"]
    assert call(box, "project_management.delete_task", task_id="00000006") == "Task deleted successfully."
    assert len(box.state["project_tasks"].rows) == 5


def test_customers(box: Sandbox) -> None:
    new = {"customer_name": "N", "assigned_to_email": "A@B", "status": "lead", "customer_email": "C@D"}
    assert call(box, f"{CRM}.add_customer", **new) == "00000006"
    added = last(box, "customer_relationship_manager_data")
    assert (added["assigned_to_email"], added["customer_email"], added["notes"]) == ("a@b", "c@d", "")
    assert added["customer_phone"] is MISSING
    change = {"customer_id": "00000006", "field": "assigned_to_email", "new_value": "E@F"}
    assert call(box, f"{CRM}.update_customer", **change) == "Customer updated successfully."
    assert [one["customer_id"] for one in call(box, f"{CRM}.search_customers", assigned_to_email="e@f")] == [
        "00000006"
    ]
    bounds = {"last_contact_date_min": "2023-11-03", "last_contact_date_max": "2023-11-04"}
    found = call(box, f"{CRM}.search_customers", customer_name="client", **bounds)
    assert [one["customer_name"] for one in found] == ["Client 2", "Client 3"]
    assert call(box, f"{CRM}.delete_customer", customer_id="00000006") == "Customer deleted successfully."


def test_company_directory(box: Sandbox) -> None:
    assert call(box, "company_directory.find_email_address", name="ANN") == [ANN]
    assert call(box, "company_directory.find_email_address", name="zed") == []
