"""Every member that a JSON Schema promises, one a line, for the golden copies of `/api/v1/`.

python tests/api_members.py     adds new members to the golden copies; it never removes or changes one
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchsite import plugins
from benchsite.site.pages.schemas import shared_schemas, track_schemas

GOLDEN = Path(__file__).parent / "golden/api-v1"
Members = Mapping[str, str]
"""Path of a member, such as `rows[].value`, to its kinds and whether it is always there."""


def schemas() -> dict[str, dict[str, Any]]:
    """Every schema of a site with our tracks, by its path below `api/v1/schema/`."""
    tracks = {name: plugins.track(name) for name in ("agents", "retrieval", "rubric")}
    leaderboards = [track.part("board").LEADERBOARD for track in tracks.values()]
    pages = [page for about in leaderboards for page in track_schemas(about, "")]
    pages += shared_schemas(tracks, leaderboards, "")
    found = {page.path.removeprefix("api/v1/schema/"): json.loads(page.data or b"") for page in pages}
    # `retrieval.json` is another address of the newest receipt schema.
    names = {"api/v1/dictionary.json", *(f"{name}.json" for name in tracks)}
    return {path: schema for path, schema in found.items() if path not in names}


def members(schema: Mapping[str, Any]) -> Members:
    """The members of a document of this schema."""
    return dict(_members(schema, schema, ""))


def _members(node: Mapping[str, Any], whole: Mapping[str, Any], at: str) -> Iterator[tuple[str, str]]:
    for choice in _choices(node, whole):
        required = set(choice.get("required", ()))
        for name, inner in choice.get("properties", {}).items():
            path = f"{at}.{name}" if at else name
            yield path, f"{_kinds(inner, whole)} {'always' if name in required else 'optional'}"
            yield from _members(inner, whole, path)
        for keyword, mark in (("items", "[]"), ("additionalProperties", "{}")):
            if isinstance(choice.get(keyword), dict):
                yield f"{at}{mark}", f"{_kinds(choice[keyword], whole)} each"
                yield from _members(choice[keyword], whole, f"{at}{mark}")


def _choices(node: Mapping[str, Any], whole: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The alternatives of a node, references resolved."""
    if "$ref" in node:
        yield from _choices(whole["$defs"][node["$ref"].rpartition("/")[2]], whole)
    elif "anyOf" in node:
        for choice in node["anyOf"]:
            yield from _choices(choice, whole)
    else:
        yield node


def _kinds(node: Mapping[str, Any], whole: Mapping[str, Any]) -> str:
    """The JSON types of a value, or its constants: `number|null`, `1`."""
    found: set[str] = set()
    for choice in _choices(node, whole):
        if "const" in choice or "enum" in choice:
            found |= {json.dumps(value) for value in choice.get("enum", [choice.get("const")])}
        else:
            kinds = choice.get("type", "any")
            found |= {kinds} if isinstance(kinds, str) else set(kinds)
    return "|".join(sorted(found))


def golden(path: str) -> Members:
    """The members of a schema that were promised."""
    lines = _file(path).read_text(encoding="utf-8").splitlines()
    return dict(line.split(" ", 1) for line in lines)


def breaks(old: Members, new: Members, *, closed: bool) -> list[str]:
    """What a reader, or for a closed schema a writer, of the old version would trip over."""
    gone = [f"{path} was removed" for path in old if path not in new]
    other = [
        f"{path} is now: {new[path]}; it was: {kinds}"
        for path, kinds in old.items()
        if path in new and new[path] != kinds
    ]
    demanded = [
        f"{path} is required of documents that don't have it"
        for path, kinds in new.items()
        if closed and path not in old and kinds.endswith(" always") and _parent(path) in (*old, "")
    ]
    return gone + other + demanded


def _parent(path: str) -> str:
    return path.rpartition(".")[0]


def _file(path: str) -> Path:
    return GOLDEN / path.replace("/", "-").replace(".json", ".txt")


def _write() -> None:
    for path, schema in schemas().items():
        kept = golden(path) if _file(path).exists() else {}
        lines = {**members(schema), **kept}
        _file(path).write_text("".join(f"{name} {kinds}\n" for name, kinds in sorted(lines.items())))


if __name__ == "__main__":
    _write()
