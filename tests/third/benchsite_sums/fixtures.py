"""The track's data: `{"track": "sums", "id": ..., "tasks": [{"a": 1, "b": 2}, ...]}`."""

from typing import Any

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.track import Described

noun = "dataset"
formats: dict[str, Any] = {}


def described(data: bytes, where: str) -> Described:
    value: Any = canonical.loads(data)
    if not isinstance(value, dict) or not value.get("tasks"):
        raise InputError(f"fixture {where}: tasks: there are none", hint="give at least one {a, b}")
    counts = {"tasks": len(value["tasks"])}
    said = (value["license"], value["source"], value["notes"])
    return Described(value["id"], canonical.digest(value), *said, counts, {})
