"""Files in WorkBench's shape with invented data, of any size: tables, tasks, and the results of a configuration."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

from benchsite import canonical
from benchsite.tracks.agents.benchmarks.workbench import importer
from benchsite.tracks.agents.benchmarks.workbench.dataset import DOMAINS, TABLES, Dataset, parse

PEOPLE = ("ann.lee@house.example", "bo.fay@house.example", "cy.ray@house.example")
QUERIES = ("query", "answer", "base_template", "chosen_template", "domains")
RESULTS = ("query", "function_calls", "full_response", "error")


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """A CSV file, every cell quoted."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue().encode()


def cells(name: str, rows: int) -> list[tuple[str, ...]]:
    """The rows of one table: ids count from 1, people and days take turns."""
    found: list[tuple[str, ...]] = []
    for number in range(1, rows + 1):
        ident, who, day = f"{number:08d}", PEOPLE[number % 3], f"2023-11-{number % 28 + 1:02d}"
        found.append(
            {
                "analytics_data": (day, ident[-4:], "3", str(number), "direct", str(number % 2 == 0)),
                "calendar_events": (ident, f"Talk {number}", who, f"{day} 09:00:00", "30"),
                "customer_relationship_manager_data": (
                    ident, who, f"Client {number}", f"client{number}@shop.example", "", day, "Software", "Lead",
                    day, "",
                ),
                "emails": (ident, "inbox", who, f"Note {number}", f"{day} 10:{number // 60 % 60:02d}:{number % 60:02d}", f"Text {number}"),
                "project_tasks": (ident, f"Job {number}", who, "Backlog", day, "Design"),
            }[name]
        )  # fmt: skip
    return found


def action(domain: str, number: int) -> str:
    """An action that changes a table, by domain."""
    ident = f"{number:08d}"
    return {
        "analytics": f'analytics.create_plot.func(time_min="2023-11-01", time_max="2023-11-{number:02d}", value_to_plot="total_visits", plot_type="bar")',
        "calendar": f'calendar.delete_event.func(event_id="{ident}")',
        "customer_relationship_manager": f'customer_relationship_manager.update_customer.func(customer_id="{ident}", field="status", new_value="Won")',
        "email": f'email.forward_email.func(email_id="{ident}", recipient="{PEOPLE[0]}")',
        "multi_domain": f'calendar.update_event.func(event_id="{ident}", field="event_name", new_value="Moved {number}")',
        "project_management": f'project_management.update_task.func(task_id="{ident}", field="board", new_value="Back end")',
    }[domain]


def query(domain: str, number: int) -> str:
    """What the agent is asked."""
    return f"Do job {number} of {domain}"


def source_files(rows: int = 5, tasks: int = 2) -> dict[str, bytes]:
    """`processed/` as bytes by relative name: tables of some rows, and tasks for each domain; the last needs nothing done."""
    files = {importer.FILES[name]: table(columns, cells(name, rows)) for name, columns in TABLES.items()}
    for domain in DOMAINS:
        asked = [
            (
                query(domain, number),
                repr([action(domain, number)] if number < tasks else []),
                "{job}",
                "Do {job}",
                repr([domain]),
            )
            for number in range(1, tasks + 1)
        ]
        files[importer.FILES[domain]] = table(QUERIES, asked)
    return files


def dataset(files: Mapping[str, bytes] | None = None) -> Dataset:
    """The dataset of some files."""
    return parse(canonical.dumps(importer.convert(files or source_files())), where="fixture.json")


def response(domain: str, number: int) -> str:
    """A transcript of one step, as the original writes it."""
    return (
        f"{{'input': {query(domain, number)!r}, 'output': 'Done.', 'intermediate_steps': [(AgentAction("
        f"tool='calendar.delete_event', tool_input={{'event_id': '{number:08d}'}}, log='I delete it.'), 'Event deleted successfully.')]}}"
    )


def result_files(tasks: int = 2, configuration: str = "model_all") -> dict[str, bytes]:
    """A configuration's results: for each task the one action that deletes the event of its number."""
    return {
        f"{domain}/{configuration}_2024-03-21_15-21-12.csv": table(
            RESULTS,
            [
                (query(domain, number), repr([action("calendar", number)]), response(domain, number), "")
                for number in range(1, tasks + 1)
            ],
        )
        for domain in DOMAINS
    }
