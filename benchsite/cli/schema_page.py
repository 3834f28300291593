"""`content/docs/receipt-schema.md`: every field of a receipt, written from the JSON Schemas of the installed tracks.

A field's text is the description that its model gives; a model's text is its docstring.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from benchsite import plugins
from benchsite.receipt import envelope_schema

_OWN: Final = ("retrieval", "agents", "rubric")
_INTRODUCTION: Final = """\
---
title: Receipt schema
group: Reference
order: 64
description: Every field of a receipt, generated from the JSON Schemas.
---

# Receipt schema

A receipt is one line of canonical JSON ([RFC 8785](https://www.rfc-editor.org/rfc/rfc8785)): UTF-8, without duplicate keys or
unknown fields. Its id is `receiptId`, and its file is `results/published/<aa>/<receiptId>.json`. All fields are required unless
marked. A field that may be null says so in its type.

A site serves the [JSON Schema](https://json-schema.org/) of each track and version at
`api/v1/schema/<track>/receipt-<version>.json`. This page is generated from these schemas (`make reference`), and a test checks that it is current.
"""

Node = Mapping[str, Any]


def receipt_schema() -> str:
    """The whole page, Markdown."""
    shared = envelope_schema()
    known = set(shared["$defs"])
    parts = [_INTRODUCTION, "## Shared fields\n", *_table(shared)]
    parts += _models(shared["$defs"], known, "shared")
    for name in _OWN:
        track = plugins.track(name)
        whole = track.schema()
        own = {key: node for key, node in whole["properties"].items() if key not in shared["properties"]}
        parts += [f"## {track.title} receipts\n", f"`$id`: `{whole['$id']}`\n"]
        parts += _table({"properties": own, "required": whole["required"]})
        defined = {key: node for key, node in whole["$defs"].items() if key not in known}
        parts += _models(defined, set(defined), name)
    return "\n".join(parts)


def _models(defined: Mapping[str, Node], names: set[str], prefix: str) -> Iterator[str]:
    for name in sorted(names):
        yield f"### `{name}` ({prefix})\n"
        text = " ".join(defined[name].get("description", "").replace("``", "`").split())
        if text:
            yield f"{text}\n"
        yield from _table(defined[name])


def _table(model: Node) -> Iterator[str]:
    required = set(model.get("required", ()))
    rows = [
        (key, _type(node) + ("" if key in required else ", optional"), node.get("description", ""))
        for key, node in model.get("properties", {}).items()
    ]
    described = any(text for _, _, text in rows)
    yield "| field | type | description |\n|---|---|---|" if described else "| field | type |\n|---|---|"
    for key, kind, text in rows:
        yield f"| `{key}` | {kind} | {text} |" if described else f"| `{key}` | {kind} |"
    yield ""


def _type(node: Node) -> str:
    """A type in words; a pattern or a range is in the schema itself."""
    if "$ref" in node:
        return f"`{node['$ref'].rpartition('/')[2]}`"
    if "anyOf" in node:
        return " or ".join(_type(choice) for choice in node["anyOf"])
    if "const" in node or "enum" in node:
        values = node.get("enum", [node.get("const")])
        return " or ".join(f'`"{value}"`' if isinstance(value, str) else f"`{value}`" for value in values)
    kind: str = node.get("type", "any")
    if kind == "array":
        item = _type(node.get("items", {}))
        return f"array of ({item})" if " or " in item else f"array of {item}"
    inner = node.get("additionalProperties")
    if kind == "object" and isinstance(inner, dict):
        return f"object of {_type(inner)}"
    return kind


PAGE: Final = "content/docs/receipt-schema.md"
