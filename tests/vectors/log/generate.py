"""Writes the JSON vectors of this folder: `python tests/vectors/log/generate.py`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from log_entries import entries
from log_events import key_events
from log_oracle import Object
from log_trees import checkpoints, merkle

FILES: dict[str, Callable[[], Object]] = {
    "merkle.json": merkle,
    "checkpoint.json": checkpoints,
    "key-events.json": key_events,
    "entries.json": entries,
}


def text_of(name: str) -> str:
    return json.dumps(FILES[name](), indent=1, ensure_ascii=True) + "\n"


if __name__ == "__main__":
    for file in FILES:
        Path(__file__).with_name(file).write_text(text_of(file), encoding="ascii")
