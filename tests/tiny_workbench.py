"""A tiny benchmark of WorkBench's shape, with invented data: 7 tasks in six domains, and a published configuration.

Doing nothing succeeds on two tasks (`calendar-002`, `multi-domain-001`), whose expected actions change nothing.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from benchsite import canonical
from benchsite.tracks.agents.benchmarks.workbench.benchmark import WorkBench, read
from benchsite.tracks.agents.benchmarks.workbench.importer import convert

TABLES = {
    "analytics_data": [
        (
            "date_of_visit",
            "visitor_id",
            "page_views",
            "session_duration_seconds",
            "traffic_source",
            "user_engaged",
        ),
        ("2023-11-01", "0001", "3", "12", "direct", "True"),
        ("2023-11-02", "0002", "1", "5", "referral", "False"),
    ],
    "calendar_events": [
        ("event_id", "event_name", "participant_email", "event_start", "duration"),
        ("00000001", "stand-up", "ada.north@example.org", "2023-12-01 09:00:00", "30"),
        ("00000002", "review", "bo.west@example.org", "2023-12-02 10:00:00", "60"),
    ],
    "customer_relationship_manager_data": [
        (
            *("customer_id", "assigned_to_email", "customer_name", "customer_email", "customer_phone"),
            *("last_contact_date", "product_interest", "status", "follow_up_by", "notes"),
        ),
        (
            *("00000001", "ada.north@example.org", "Kit Vale", "kit@example.net", ""),
            *("2023-11-20", "Software", "Lead", "2023-12-20", ""),
        ),
    ],
    "emails": [
        ("email_id", "inbox/outbox", "sender/recipient", "subject", "sent_datetime", "body"),
        ("00000001", "inbox", "bo.west@example.org", "Lunch", "2023-11-20 12:00:00", "Today?"),
        ("00000002", "inbox", "ada.north@example.org", "Minutes", "2023-11-21 08:00:00", "Attached."),
    ],
    "project_tasks": [
        ("task_id", "task_name", "assigned_to_email", "list_name", "due_date", "board"),
        ("00000001", "Fix the header", "bo.west@example.org", "Backlog", "2023-12-05", "Front end"),
    ],
}
TASKS: dict[str, list[tuple[str, list[str]]]] = {
    "analytics": [
        (
            "Plot the visits of November",
            [
                'analytics.create_plot.func(time_min="2023-11-01", time_max="2023-11-29", value_to_plot="total_visits", plot_type="bar")'
            ],
        )
    ],
    "calendar": [
        ("Delete the stand-up", ['calendar.delete_event.func(event_id="00000001")']),
        ("Delete the party", []),
    ],
    "customer_relationship_manager": [
        (
            "Kit Vale is won",
            [
                'customer_relationship_manager.update_customer.func(customer_id="00000001", field="status", new_value="Won")'
            ],
        )
    ],
    "email": [("Delete the e-mail about lunch", ['email.delete_email.func(email_id="00000001")'])],
    "multi_domain": [("If nobody visited, delete the review", [])],
    "project_management": [
        (
            "Move the header to done",
            [
                'project_management.update_task.func(task_id="00000001", field="list_name", new_value="Completed")'
            ],
        )
    ],
}


def table(rows: Sequence[Sequence[str]]) -> bytes:
    """A CSV file."""
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue().encode()


def published() -> dict[str, bytes]:
    """The files below `processed/`, by relative path."""
    files = {f"processed/{name}.csv": table(rows) for name, rows in TABLES.items()}
    head = ("query", "answer", "base_template", "chosen_template", "domains")
    for domain, tasks in TASKS.items():
        rows = [(query, repr(answer), query, query, repr([domain])) for query, answer in tasks]
        files[f"processed/queries_and_answers/{domain}_queries_and_answers.csv"] = table([head, *rows])
    return files


def document() -> dict[str, Any]:
    """The object of the `fixture.json`."""
    return convert(published())


def data() -> bytes:
    """The bytes of the `fixture.json`."""
    return canonical.dumps(document())


def benchmark() -> WorkBench:
    """The benchmark."""
    return read(data(), "workbench")


Row = tuple[list[str], str, str]
"""Actions, transcript and error of one run."""


def results(configuration: str, changed: dict[str, Row] | None = None) -> dict[str, bytes]:
    """The files of a published configuration: right everywhere, but for the queries named in `changed`."""
    files = {}
    for domain, tasks in TASKS.items():
        rows = [("query", "function_calls", "full_response", "error")]
        for query, answer in tasks:
            actions, response, error = (changed or {}).get(query, (answer, transcript(query, answer), ""))
            rows.append((query, repr(actions), response, error))
        files[f"{domain}/{configuration}_2024-03-21_10-00-00.csv"] = table(rows)
    return files


def transcript(query: str, actions: Sequence[str]) -> str:
    """A `full_response` as the original prints it: each action's call with its observation, then the output."""
    steps = ", ".join(
        f"(AgentAction(tool={name!r}, tool_input={{}}, log='Action: {name}'), 'done')"
        for name in (action.partition(".func")[0] for action in actions)
    )
    return f"{{'input': {query!r}, 'output': 'Finished.', 'intermediate_steps': [{steps}]}}"
