"""The calendar: events, which are read, created, changed and deleted."""

from __future__ import annotations

from typing import Any, Final

from benchsite.tracks.agents.benchmarks.workbench.sandbox import Sandbox, Tool
from benchsite.tracks.agents.benchmarks.workbench.tools.search import contains, moment

TABLE: Final = "calendar_events"
_ID: Final = "event_id"


def get_event_information_by_id(box: Sandbox, event_id: Any = None, field: Any = None) -> Any:
    """One field of an event."""
    if not event_id:
        return "Event ID not provided."
    if not field:
        return "Field not provided."
    found = box.state[TABLE].where(_ID, event_id)
    if not found:
        return "Event not found."
    return {field: found[0][field]} if field in found[0] else "Field not found."


def search_events(box: Sandbox, query: Any = "", time_min: Any = None, time_max: Any = None) -> Any:
    """Up to five events whose name or participant matches, within bounds on the start."""
    matches = contains(query, ignore_case=True)
    found = [
        event
        for event in box.state[TABLE].records()
        if matches(event["event_name"]) or matches(event["participant_email"])
    ]
    if time_min:
        found = [event for event in found if moment(event["event_start"]) >= moment(time_min)]
    if time_max:
        found = [event for event in found if moment(event["event_start"]) <= moment(time_max)]
    return found[:5] or "No events found."


def create_event(
    box: Sandbox,
    event_name: Any = None,
    participant_email: Any = None,
    event_start: Any = None,
    duration: Any = None,
) -> Any:
    """Create an event; the result is its id."""
    if not event_name:
        return "Event name not provided."
    if not participant_email:
        return "Participant email not provided."
    if not event_start:
        return "Event start not provided."
    if not duration:
        return "Event duration not provided."
    events = box.state[TABLE]
    participant = participant_email.lower()
    event_id = str(int(events.greatest(_ID)) + 1).zfill(8)
    record = {
        _ID: event_id,
        "event_name": event_name,
        "participant_email": participant,
        "event_start": event_start,
        "duration": duration,
    }
    box.state[TABLE] = events.appended(0, record)  # the original joins two tables and keeps both their labels
    return event_id


def delete_event(box: Sandbox, event_id: Any = None) -> Any:
    """Delete an event."""
    if not event_id:
        return "Event ID not provided."
    if not box.state[TABLE].holds(_ID, event_id):
        return "Event not found."
    box.state[TABLE] = box.state[TABLE].without(_ID, event_id)
    return "Event deleted successfully."


def update_event(box: Sandbox, event_id: Any = None, field: Any = None, new_value: Any = None) -> Any:
    """Change one field of an event; a field that is no column becomes one."""
    if not event_id or not field or not new_value:
        return "Event ID, field, or new value not provided."
    if not box.state[TABLE].holds(_ID, event_id):
        return "Event not found."
    if field == "participant_email":
        new_value = new_value.lower()
    box.state[TABLE] = box.state[TABLE].changed(_ID, event_id, field, new_value)
    return "Event updated successfully."


TOOLS: Final = (
    Tool("calendar.create_event", create_event, changes_state=True),
    Tool("calendar.delete_event", delete_event, changes_state=True),
    Tool("calendar.update_event", update_event, changes_state=True),
    Tool("calendar.get_event_information_by_id", get_event_information_by_id, changes_state=False),
    Tool("calendar.search_events", search_events, changes_state=False),
)
