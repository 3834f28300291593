"""Ways into a published receipt for tests that change it: every leaf, and another value of the same kind."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from snapshots import snapshot

from benchsite.pipeline.workspace import Workspace


def by_name(instance: Workspace, adapter: str) -> tuple[str, dict[str, Any]]:
    for item in snapshot(instance).published:
        document = json.loads(instance.repository.blob(item.blob_id))
        if document["adapter"]["name"] == adapter:
            return item.path, document
    raise AssertionError(adapter)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list) and value:
        for place, inner in enumerate(value):
            yield from leaves(inner, (*path, place))
    else:
        yield path


def changed(value: Any) -> Any:
    """Another value of the same kind, as near as possible: a schema must not be what catches it."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value / 2
    if isinstance(value, str):
        swapped = "b" if value[-1:] == "a" else "a"
        return value[:-1] + swapped if value else "a"
    return "x" if value is None else {"x": 1} if value == {} else ["x"]


def at(document: dict[str, Any], path: tuple[Any, ...]) -> tuple[Any, Any]:
    holder: Any = document
    for key in path[:-1]:
        holder = holder[key]
    return holder, path[-1]
