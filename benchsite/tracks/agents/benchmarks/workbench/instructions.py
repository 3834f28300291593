"""Instructions and worked examples of WorkBench for models; the examples are made from the data, and are no tasks of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from benchsite import canonical
from benchsite.canonical import Json
from benchsite.tracks.agents.benchmarks import Example, Step
from benchsite.tracks.agents.benchmarks.workbench.dataset import Dataset
from benchsite.tracks.agents.tools import Workspace

__all__ = ["INSTRUCTIONS", "examples"]

INSTRUCTIONS: Final = (
    "You work in the office of Sam, who gives you one task. Today is Thursday, 2023-11-30, and it is 00:00. "
    "Meetings start at 09:00 or later and end at 18:00 or earlier. "
    "Look up ids and e-mail addresses with the tools before you use them. "
    "Do exactly what the task says. If it has a condition that is not met, change nothing. "
    "When you have finished, answer with one sentence."
)
_MINUTES: Final = "45"
_SUBJECT: Final = "Parking"
_BODY: Final = "Please move the blue car."


def examples(data: Dataset, workspace: Workspace) -> tuple[Example, ...]:
    """Return two worked examples whose results are those of the tools; none if the data do not allow one.

    Args:
        data: the dataset.
        workspace: fresh tables, which the examples change.
    """
    event = dict(
        zip(data.tables["calendar_events"].columns, data.tables["calendar_events"].rows[0], strict=True)
    )
    name, start = event["event_name"], event["event_start"]
    moved = _worked(
        workspace,
        f"Make the event '{name}' of {start[:10]} {_MINUTES} minutes long.",
        {
            "calendar.search_events": {
                "query": name,
                "time_min": f"{start[:10]} 00:00:00",
                "time_max": f"{start[:10]} 23:59:59",
            },
            "calendar.update_event": {
                "event_id": event["event_id"],
                "field": "duration",
                "new_value": _MINUTES,
            },
        },
        f"The event '{name}' now lasts {_MINUTES} minutes.",
    )
    address = data.directory[0] if data.directory else ""
    person = address.partition("@")[0].partition(".")[0]
    sent = _worked(
        workspace,
        f"Send {person} an email titled '{_SUBJECT}' that says '{_BODY}'",
        {
            "company_directory.find_email_address": {"name": person},
            "email.send_email": {"recipient": address, "subject": _SUBJECT, "body": _BODY},
        },
        f"I sent the e-mail to {address}.",
    )
    return tuple(example for example in (moved, sent) if example is not None)


def _worked(
    workspace: Workspace, query: str, calls: Mapping[str, Mapping[str, Json]], answer: str
) -> Example | None:
    steps = []
    for tool, arguments in calls.items():
        seen = workspace.call(tool, arguments)
        if seen.failed:
            return None
        text = seen.result if isinstance(seen.result, str) else canonical.dumps(seen.result).decode("utf-8")
        steps.append(Step(tool, arguments, text))
    return Example(query, tuple(steps), answer)
