"""The artifacts of an experiment without what a clock gave, so that two measurements can be compared."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

TIMED = ("latency", "Latency", "timestamp", "C1_", "R2_", "peak-latency")
"""What a clock gave, by a part of its name."""
OF_ONE_COMMAND = ("started", "receiptId", "economics", "benchmarks", "incomparable")
"""What names one measurement, and costs that are relative to latencies."""


def untimed(value: Any) -> Any:
    """A JSON value without what a clock gave."""
    if isinstance(value, Mapping):
        return {key: untimed(item) for key, item in value.items() if not any(name in key for name in TIMED)}
    return [untimed(item) for item in value] if isinstance(value, list) else value


def descriptors(folder: Path) -> dict[str, Any]:
    """Every file above the runs, by path, without what a clock gave."""
    found = {}
    for path in sorted(folder.rglob("*.json")):
        if not path.name.startswith("run_"):
            said = untimed(json.loads(path.read_bytes()))
            said.pop("hints", None)  # the peak of latency is among them
            found[str(path.relative_to(folder))] = {
                key: value for key, value in said.items() if key not in OF_ONE_COMMAND
            }
    return found
