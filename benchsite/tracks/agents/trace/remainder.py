"""What a format of others has no field for: the difference between an event and what its fields tell.

Owns `remainder` and its inverse `restored`: `restored(told, remainder(event, told))` is the event, its id aside. A remainder is JSON:
`event` has members of the event, `payload` those of its payload, `without` names of the payload that the event lacks.
Refuses nothing: what is malformed in a remainder is skipped, and the event that results is validated like any other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from benchsite.tracks.agents.trace.event import Event

__all__ = ["KEY", "remainder", "restored"]

KEY: Final = "benchsite"
"""The name of remainders in files of others."""
_MEMBERS: Final = frozenset(Event.model_fields) - {"id", "payload"}


def remainder(event: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is to be changed in the members that a format tells, so that they are those of an event."""
    payload, known = event["payload"], told.get("payload") or {}
    found = {
        "event": {name: event.get(name) for name in sorted(_MEMBERS) if event.get(name) != told.get(name)},
        "payload": {
            name: value
            for name, value in payload.items()
            if name not in known or not _is_same(value, known[name])
        },
        "without": sorted(known.keys() - payload.keys()),
    }
    return {name: value for name, value in found.items() if value}


def restored(told: Mapping[str, Any], rest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of the event."""
    members, payload, without = rest.get("event"), rest.get("payload"), rest.get("without")
    kept = dict(told.get("payload") or {})
    for name in without if isinstance(without, list) else ():
        if isinstance(name, str):
            kept.pop(name, None)
    more = members if isinstance(members, dict) else {}
    return {
        **told,
        **{name: value for name, value in more.items() if name in _MEMBERS},
        "payload": {**kept, **(payload if isinstance(payload, dict) else {})},
    }


def _is_same(value: Any, other: Any) -> bool:
    """Whether two JSON values are written alike: true is not 1."""
    return json.dumps(value, sort_keys=True) == json.dumps(other, sort_keys=True)
