"""Values drawn from a JSON Schema, with the words and numbers of a task, for the simulated model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from random import Random
from typing import Any, Final

from benchsite.canonical import Json

__all__ = ["Drawing"]

_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_WORD: Final = re.compile(r"[^\W\d_][\w'-]{2,30}")
_EXPRESSION: Final = re.compile(r"[\d\s.+*/()-]*\d[\d\s.+*/()-]*")
_DEEPEST: Final = 8
_OPTIONAL: Final = 0.3
"""Chance of a member that a schema does not require."""


class Drawing:
    """Draws for one answer.

    Args:
        random: gives the same values for the same request.
        task: what the words and numbers are taken from.
    """

    def __init__(self, random: Random, task: str) -> None:
        self._random, self._task = random, task
        self._root: Mapping[str, Any] = {}

    @cached_property
    def _numbers(self) -> list[str]:
        return _NUMBER.findall(self._task[:2_000]) or ["1", "2"]

    @cached_property
    def _words(self) -> list[str]:
        return _WORD.findall(self._task[:2_000]) or ["nothing"]

    def word(self) -> str:
        """Return a word or a number of the task."""
        return self._random.choice([*self._words, *self._numbers])

    def arguments(self, parameters: Mapping[str, Json], like: Mapping[str, Json]) -> dict[str, Json]:
        """Return the arguments of a call: the members of an example's call, or those that the schema requires."""
        drawn = self.value({"type": "object", **parameters})
        shapes: Any = parameters.get("properties") or {}
        known: Mapping[str, Any] = drawn if isinstance(drawn, dict) else {}
        if not like:
            return dict(known)
        return {name: self._alike(value, shapes.get(name, {})) for name, value in like.items()}

    def _alike(self, value: Json, shape: Any) -> Json:
        """Return a value of the form that an example has: its numbers or words are replaced by the task's."""
        if isinstance(value, str) and "enum" not in shape and "const" not in shape:
            if _EXPRESSION.fullmatch(value):
                return _NUMBER.sub(lambda _: self._random.choice(self._numbers), value)
            return " ".join(self._random.choice(self._words) for _ in range(min(3, len(value.split()) or 1)))
        return self.value(shape) if shape else value

    def value(self, schema: Any) -> Json:
        """Return a value that a schema allows, as far as types, members, values and bounds say so."""
        self._root = schema if isinstance(schema, Mapping) else {}
        return self._value(self._root, 0)

    def _value(self, schema: Any, depth: int) -> Json:
        if not isinstance(schema, Mapping) or depth > _DEEPEST:
            return self.word()
        if "const" in schema:
            return schema["const"]  # type: ignore[no-any-return]
        for name in ("enum", "anyOf", "oneOf", "allOf"):
            choices = schema.get(name)
            if isinstance(choices, Sequence) and choices:
                chosen = self._random.choice(choices)
                return chosen if name == "enum" else self._value(chosen, depth + 1)
        if "$ref" in schema:
            return self._value(self._named(schema["$ref"]), depth + 1)
        kind = schema.get("type", "object" if "properties" in schema else "string")
        if isinstance(kind, Sequence) and not isinstance(kind, str):
            kind = next((one for one in kind if one != "null"), "null")
        return self._of_kind(kind, schema, depth)

    def _of_kind(self, kind: object, schema: Mapping[str, Any], depth: int) -> Json:
        found: Json
        match kind:
            case "object":
                found = self._object(schema, depth)
            case "array":
                found = self._list(schema, depth)
            case "integer":
                found = self._whole(schema)
            case "number":
                low, high = float(schema.get("minimum", 0)), float(schema.get("maximum", 100))
                found = round(low + (high - low) * self._random.random(), 2)
            case "boolean":
                found = self._random.random() < 0.5
            case "null":
                found = None
            case _:
                found = self._text(schema)
        return found

    def _list(self, schema: Mapping[str, Any], depth: int) -> Json:
        least, most = schema.get("minItems", 0), schema.get("maxItems", 3)
        size = self._random.randint(min(least, most), max(least, min(most, 3)))
        return [self._value(schema.get("items", {}), depth + 1) for _ in range(size)]

    def _object(self, schema: Mapping[str, Any], depth: int) -> Json:
        required = set(schema.get("required", ()))
        return {
            name: self._value(shape, depth + 1)
            for name, shape in schema.get("properties", {}).items()
            if name in required or self._random.random() < _OPTIONAL
        }

    def _whole(self, schema: Mapping[str, Any]) -> int:
        if "minimum" not in schema and "maximum" not in schema:
            return int(float(self._random.choice(self._numbers)))
        low = int(schema["minimum"] if "minimum" in schema else schema["maximum"] - 100)
        return self._random.randint(low, max(low, int(schema.get("maximum", low + 100))))

    def _text(self, schema: Mapping[str, Any]) -> str:
        words = " ".join(self._random.choice(self._words) for _ in range(self._random.randint(1, 3)))
        words = words.ljust(schema.get("minLength", 0), "x")
        return words[: schema.get("maxLength", 200)]

    def _named(self, reference: object) -> Any:
        """Return the part of the schema that `#/a/b` names."""
        found: Any = self._root
        for part in str(reference).removeprefix("#/").split("/"):
            found = found.get(part, {}) if isinstance(found, Mapping) else {}
        return found
