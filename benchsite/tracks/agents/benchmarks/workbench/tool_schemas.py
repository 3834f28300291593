"""Descriptions of WorkBench's tools for models: what each does, and the JSON Schema of its parameters.

A schema names as required what a tool refuses to work without, and lists values where only some are accepted. It describes
and does not check: a call is as lenient as in the original, so that published actions keep their grades.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from benchsite.canonical import Json
from benchsite.tracks.agents.benchmarks.workbench.dataset import TABLES
from benchsite.tracks.agents.benchmarks.workbench.tools import CATALOG
from benchsite.tracks.agents.tools import Tool

__all__ = ["TOOLS"]


class _Text(NamedTuple):
    """A parameter: all are texts."""

    description: str
    choices: Sequence[str] = ()


class _Described(NamedTuple):
    description: str
    parameters: Mapping[str, _Text]
    required: Sequence[str] = ()


def _fields(table: str) -> tuple[str, ...]:
    return TABLES[table][1:]


def _id(noun: str) -> _Text:
    return _Text(f"Id of the {noun}: eight digits with leading zeros, such as 00000042. Search for it first.")


_DAY: Final = "as YYYY-MM-DD"
_MOMENT: Final = "as YYYY-MM-DD HH:MM:SS"
_VALUE: Final = _Text("New value of the field, as a text of the same form as the old one.")
_FIRST: Final = _Text(f"First day, included, {_DAY}. Leave it out to start with the first visit.")
_LAST: Final = _Text(f"Last day, included, {_DAY}. Leave it out to end with the last visit.")
_DAYS: Final = {"time_min": _FIRST, "time_max": _LAST}
_BY_DAY: Final = "The result is an object with one number for each day that had visits."
_ADDRESS: Final = "Find it with company_directory.find_email_address."
_SOURCES: Final = ("direct", "referral", "search engine", "social media")
_LISTS: Final = ("Backlog", "In Progress", "In Review", "Completed")
_BOARDS: Final = ("Back end", "Front end", "Design")
_STATUSES: Final = ("Qualified", "Won", "Lost", "Lead", "Proposal")
_PRODUCTS: Final = ("Software", "Hardware", "Services", "Consulting", "Training")
_PLOTTED: Final = (
    *("total_visits", "session_duration_seconds", "user_engaged", "visits_direct", "visits_referral"),
    *("visits_search_engine", "visits_social_media"),
)

_CALENDAR: Final = {
    "create_event": _Described(
        "Create a calendar event with one participant. The result is the id of the new event.",
        {
            "event_name": _Text("Name of the event."),
            "participant_email": _Text(f"E-mail address of the participant. {_ADDRESS}"),
            "event_start": _Text(f"Start of the event, {_MOMENT}."),
            "duration": _Text("Length in minutes, a whole number such as 30."),
        },
        ("event_name", "participant_email", "event_start", "duration"),
    ),
    "delete_event": _Described("Delete a calendar event.", {"event_id": _id("event")}, ("event_id",)),
    "update_event": _Described(
        "Change one field of a calendar event.",
        {
            "event_id": _id("event"),
            "field": _Text("Field to change.", _fields("calendar_events")),
            "new_value": _VALUE,
        },
        ("event_id", "field", "new_value"),
    ),
    "get_event_information_by_id": _Described(
        "Read one field of a calendar event whose id you know.",
        {"event_id": _id("event"), "field": _Text("Field to read.", TABLES["calendar_events"])},
        ("event_id", "field"),
    ),
    "search_events": _Described(
        "Find calendar events. At most five are returned, in the order of the table, so narrow the search by time.",
        {
            "query": _Text("Part of the event's name or of the participant's e-mail address, in any case."),
            "time_min": _Text(f"Earliest start, included, {_MOMENT}."),
            "time_max": _Text(f"Latest start, included, {_MOMENT}."),
        },
    ),
}
_EMAIL: Final = {
    "send_email": _Described(
        "Send an e-mail to one recipient.",
        {
            "recipient": _Text(f"E-mail address of the recipient. {_ADDRESS}"),
            "subject": _Text("Subject line."),
            "body": _Text("Text of the message, exactly as it is asked for."),
        },
        ("recipient", "subject", "body"),
    ),
    "delete_email": _Described("Delete an e-mail.", {"email_id": _id("e-mail")}, ("email_id",)),
    "forward_email": _Described(
        "Forward an e-mail to one recipient. Call it once for each recipient.",
        {
            "email_id": _id("e-mail"),
            "recipient": _Text(f"E-mail address of the new recipient. {_ADDRESS}"),
        },
        ("email_id", "recipient"),
    ),
    "reply_email": _Described(
        "Reply to the sender of an e-mail. The subject is kept.",
        {"email_id": _id("e-mail"), "body": _Text("Text of the reply, exactly as it is asked for.")},
        ("email_id", "body"),
    ),
    "get_email_information_by_id": _Described(
        "Read one field of an e-mail whose id you know.",
        {"email_id": _id("e-mail"), "field": _Text("Field to read.", TABLES["emails"])},
        ("email_id", "field"),
    ),
    "search_emails": _Described(
        "Find e-mails, newest first. At most five are returned.",
        {
            "query": _Text("Words that must all occur in the subject, the body or the address, in any case."),
            "date_min": _Text(f"First day, included, {_DAY}."),
            "date_max": _Text(f"Last day, included, {_DAY}."),
        },
    ),
}
_ANALYTICS: Final = {
    "create_plot": _Described(
        "Plot one metric of the website over some days. The result is the name of the picture's file.",
        {
            "time_min": _Text(f"First day of the plot, included, {_DAY}."),
            "time_max": _Text(f"Last day of the plot, included, {_DAY}."),
            "value_to_plot": _Text("Metric to plot.", _PLOTTED),
            "plot_type": _Text(
                "Kind of plot; a histogram shows a distribution.", ("bar", "line", "scatter", "histogram")
            ),
        },
        ("time_min", "time_max", "value_to_plot", "plot_type"),
    ),
    "engaged_users_count": _Described(
        f"Count the website's visits by engaged users for each day. {_BY_DAY}", _DAYS
    ),
    "get_visitor_information_by_id": _Described(
        "Read every visit of one visitor of the website.",
        {"visitor_id": _Text("Id of the visitor: four digits, such as 0042.")},
        ("visitor_id",),
    ),
    "traffic_source_count": _Described(
        f"Count the website's visits from one source for each day. {_BY_DAY}",
        {
            **_DAYS,
            "traffic_source": _Text("Source of the visits. Leave it out to count all of them.", _SOURCES),
        },
    ),
    "total_visits_count": _Described(f"Count the website's visits for each day. {_BY_DAY}", _DAYS),
    "get_average_session_duration": _Described(
        f"Get the mean duration of the website's visits in seconds for each day. {_BY_DAY}", _DAYS
    ),
}
_TASK: Final = {
    "task_name": _Text("Name of the task."),
    "assigned_to_email": _Text(f"E-mail address of the person the task is assigned to. {_ADDRESS}"),
    "list_name": _Text("List that the task is in. Tasks that have not been started are in Backlog.", _LISTS),
    "due_date": _Text(f"Day on which the task is due, {_DAY}."),
    "board": _Text("Board that the task is on.", _BOARDS),
}
_PROJECT: Final = {
    "create_task": _Described(
        "Create a task of the project. The result is the id of the new task.", _TASK, tuple(_TASK)
    ),
    "delete_task": _Described("Delete a task of the project.", {"task_id": _id("task")}, ("task_id",)),
    "update_task": _Described(
        "Change one field of a task of the project.",
        {
            "task_id": _id("task"),
            "field": _Text("Field to change.", _fields("project_tasks")),
            "new_value": _VALUE,
        },
        ("task_id", "field", "new_value"),
    ),
    "get_task_information_by_id": _Described(
        "Read one field of a task whose id you know.",
        {"task_id": _id("task"), "field": _Text("Field to read.", TABLES["project_tasks"])},
        ("task_id", "field"),
    ),
    "search_tasks": _Described(
        "Find all tasks of the project that match every parameter you give. Give at least one; a part of a value matches.",
        _TASK,
    ),
}
_CUSTOMER: Final = {
    "customer_name": _Text("Name of the customer."),
    "customer_email": _Text("E-mail address of the customer."),
    "product_interest": _Text("Product that the customer is interested in.", _PRODUCTS),
    "status": _Text("Stage of the customer.", _STATUSES),
    "assigned_to_email": _Text(f"E-mail address of the employee in charge. {_ADDRESS}"),
}
_CUSTOMERS: Final = {
    "update_customer": _Described(
        "Change one field of a customer.",
        {
            "customer_id": _id("customer"),
            "field": _Text("Field to change.", _fields("customer_relationship_manager_data")),
            "new_value": _VALUE,
        },
        ("customer_id", "field", "new_value"),
    ),
    "add_customer": _Described(
        "Add a customer. The result is the id of the new customer.",
        {
            **_CUSTOMER,
            "customer_phone": _Text("Phone number of the customer."),
            "last_contact_date": _Text(f"Day of the last contact, {_DAY}."),
            "notes": _Text("Notes about the customer."),
            "follow_up_by": _Text(f"Day by which to contact the customer, {_DAY}."),
        },
        ("customer_name", "assigned_to_email", "status"),
    ),
    "delete_customer": _Described("Delete a customer.", {"customer_id": _id("customer")}, ("customer_id",)),
    "search_customers": _Described(
        "Find customers that match every parameter you give. Give at least one; a part of a value matches. At most five "
        "are returned, so narrow the search, and repeat it after a change.",
        {
            **_CUSTOMER,
            "last_contact_date_min": _Text(f"Earliest day of the last contact, included, {_DAY}."),
            "last_contact_date_max": _Text(f"Latest day of the last contact, included, {_DAY}."),
            "follow_up_by_min": _Text(f"Earliest day of the next contact, included, {_DAY}."),
            "follow_up_by_max": _Text(f"Latest day of the next contact, included, {_DAY}."),
        },
    ),
}
_DIRECTORY: Final = {
    "find_email_address": _Described(
        "Find the e-mail addresses of employees by name. The result is a list.",
        {"name": _Text("First name, last name, or a part of one, in any case.")},
        ("name",),
    )
}
_GROUPS: Final[Mapping[str, Mapping[str, _Described]]] = {
    "calendar": _CALENDAR,
    "email": _EMAIL,
    "analytics": _ANALYTICS,
    "project_management": _PROJECT,
    "customer_relationship_manager": _CUSTOMERS,
    "company_directory": _DIRECTORY,
}


def _tool(name: str) -> Tool:
    """Return a tool with its parameters in the order of its function."""
    group, _, short = name.partition(".")
    described = _GROUPS[group][short]
    properties: dict[str, Json] = {}
    for parameter in CATALOG[name].parameters:
        text = described.parameters[parameter]
        properties[parameter] = {
            "type": "string",
            "description": text.description,
            **({"enum": list(text.choices)} if text.choices else {}),
        }
    schema: dict[str, Json] = {
        "type": "object",
        "properties": properties,
        **({"required": list(described.required)} if described.required else {}),
        "additionalProperties": False,
    }
    return Tool(name, described.description, schema)


TOOLS: Final = tuple(map(_tool, CATALOG))
"""The tools as systems see them."""
