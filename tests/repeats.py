"""Announced runs and runs made again, in a sample record: what tests of links between receipts share."""

from __future__ import annotations

import base64
import uuid
from typing import Any

from sample_record import SampleRecord, config

from benchsite import canonical

SOURCE = "5a" * 32
SETTINGS = {**config(seed=7, label=False), "subjectSha256": SOURCE}
_MEASURED = ("adapter", "fixture", "scores", "denominators", "intervals", "byCategory", "perQuery", "config")


def pinned(record: SampleRecord, name: str = "good", skill: float = 0.9, **changes: Any) -> str:
    """A receipt whose source is pinned."""
    return record.publish(name, skill, **{"config": SETTINGS, **changes})


def again(record: SampleRecord, original: str, **changes: Any) -> str:
    """A receipt that says that it repeats another one, and measured the same."""
    body = record.bodies[original]
    same = {key: body[key] for key in _MEASURED}
    return record.publish("again", 0.5, **{**same, "reproduces": original, **changes})


def announce(record: SampleRecord, **changes: Any) -> str:
    """An intent for a run of `SETTINGS`; its id."""
    intent_id = str(uuid.UUID(int=len(record.entries), version=4))
    record.add(
        {
            "type": "intent",
            "intentId": intent_id,
            "track": "retrieval",
            "subjectSha256": SOURCE,
            "configSha256": canonical.digest(SETTINGS),
            "target": record.fixture["id"],
            "methodology": "1.0.0",
            "seed": 7,
            **changes,
        }
    )
    return intent_id


def log_head(record: SampleRecord, size: int) -> dict[str, Any]:
    """The `logHead` of a run that began when the log had so many entries."""
    root = base64.b64encode(record.log.root(size)).decode()
    return {"origin": record.log.origin, "size": size, "root": root}
