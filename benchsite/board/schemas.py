"""JSON Schemas (draft 2020-12) of the site's data files, from the data dictionary.

An object may have more members than its schema names: an addition breaks no reader. Removing or retyping a member is a new
version of the API.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from benchsite.board.board import Leaderboard
from benchsite.board.dictionary import RECEIPTS, leaderboard_columns
from benchsite.schema import HEX64
from benchsite.track import DataColumn

__all__ = ["DIALECT", "comparison_schema", "index_schema", "leaderboard_schema", "per_query_schema"]

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
Schema = Mapping[str, Any]

_TYPES: Final[Mapping[str, Schema]] = {
    "text": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "list": {"type": "array", "items": {"type": "string"}},
    "any": {},
}
_TEXT: Final = {"type": "string"}
_NUMBER: Final = {"type": "number"}
_COUNT: Final = {"type": "integer", "minimum": 0}


def index_schema() -> Schema:
    """Return the schema of `api/v1/index.json`."""
    lists = {column.name: _array(_value(column), column.description) for column in RECEIPTS}
    return _document(
        "Index of receipts",
        "Every receipt of the site, ranked or not, in log order: one array for each column.",
        {
            "origin": _nullable(_TEXT, "Origin of the log; null without a log."),
            "count": {**_COUNT, "description": "Number of receipts: the length of each column."},
            "columns": _object(lists, "One array for each column."),
        },
    )


def leaderboard_schema(about: Leaderboard) -> Schema:
    """Return the schema of the leaderboards of a track, `api/v1/<track>/<target>.json`."""
    fields = leaderboard_columns(about)
    members = {
        **_shared(about),
        "rows": _array(
            _object({one.name: _described(one) for one in fields}), "Ranked rows, then baselines."
        ),
        "notRanked": _array(
            _object(
                {
                    "receiptId": {**_TEXT, "description": "Id of the receipt."},
                    "reasons": _array(_TEXT, "Why it isn't ranked."),
                }
            ),
            "Receipts that aren't ranked.",
        ),
    }
    if about.baselines:
        members["notRun"] = _array(_TEXT, "Names of baselines that were not run.")
        members["referenceBaseline"] = _nullable(
            _TEXT, "Receipt of the reference baseline; null without one."
        )
    if about.programs:
        members |= {name: _array({"type": "object"}, text) for name, text in _LINKED.items()}
    return _document(f"{about.track.title} leaderboard", "A leaderboard as data.", members)


_LINKED: Final = {
    "reproductions": "Receipts that reproduce another one.",
    "unreported": "Pre-registered runs without a receipt.",
    "declined": "Systems that are not measured, with the reason.",
}


def comparison_schema(about: Leaderboard) -> Schema:
    """Return the schema of the values per item, `api/v1/<track>/<target>/comparison.json`."""
    subject, label = about.keys
    values = _array(_nullable(_NUMBER), "Value of each item, in the order of `items`; null for none.")
    system = {
        "receiptId": {**_TEXT, "description": "Id of the receipt."},
        subject: {**_TEXT, "description": "Name of the system."},
        "version": {**_TEXT, "description": "Version of the system."},
        label: {**_TEXT, "description": "Configuration, or vendor, of the system."},
        "baseline": {"type": "boolean", "description": "Whether it is a baseline."},
        "value": _nullable(_NUMBER, "Headline score."),
        "values": values,
    }
    solved = _nullable(
        _object(dict.fromkeys(("systems", "items", "none", "one", "all"), _COUNT)),
        "Items with a value above 0, by none, exactly one, or all of the systems that are not baselines.",
    )
    return _document(
        f"{about.track.title} comparison",
        "The systems of a leaderboard side by side: the value of each item, and each pair.",
        {
            **_shared(about),
            "items": _array(_TEXT, "Ids of the items."),
            "systems": _array(_object(system), "Up to twelve systems, best first."),
            "solved": solved,
            "pairs": _array(_object(_PAIR), "Every two systems with the same items, in both orders."),
        },
    )


def per_query_schema(about: Leaderboard) -> Schema:
    """Return the schema of the results per item, `api/v1/<track>/<target>/per-query.json`."""
    system = {
        "receiptId": {**_TEXT, "description": "Id of the receipt."},
        "path": {**_TEXT, "description": "Page of the receipt, relative to the site."},
        "name": {**_TEXT, "description": "Name of the system."},
        "version": {**_TEXT, "description": "Version of the system."},
        "label": {**_TEXT, "description": "Configuration of the system."},
        "baseline": {"type": "boolean", "description": "Whether it is a baseline."},
        **{name: _nullable(_NUMBER, text) for name, text in _INTERVAL.items()},
        "settings": {
            "description": "Settings of the run, by name.",
            "type": "object",
            "additionalProperties": _TEXT,
        },
    }
    read = {
        "own": _array({}, "What scoring reads of each item's result; null if it was not run."),
        "shared": _array({}, "What scoring reads of each item, if it differs from `items`."),
        "values": _array(_nullable(_NUMBER), "Value of each item, of a track that has no evidence by item."),
    }
    drawn = {
        "cells": {**_TEXT, "description": "One letter for each item: a `key`, or `-` if it was not run."}
    }
    items = {
        "id": _array(_TEXT, "Ids of the items."),
        "categories": _array(
            _object({"name": _TEXT, "items": _COUNT}), "Categories, with their number of items."
        ),
        "shared": _array({}, "What scoring reads of each item: relevant ids, or whether to act."),
    }
    return _document(
        f"{about.track.title} results per item",
        "The result of each query, task or rating, for up to 40 systems.",
        {
            **_shared(about),
            "metrics": _array(_object(_METRIC), "Metrics of a comparison, the headline first."),
            "test": _nullable(_object(_TEST), "Paired test; null of a track without one."),
            "more": {**_COUNT, "description": "Systems of the leaderboard that this file excludes."},
            "items": _object(
                items, "Items, by category.", {"relevant": _RELEVANT} if about.tasks == "queries" else None
            ),
            **({"kinds": _array(_object(_KIND), "Kinds of results."), **_PICTURE} if about.solved else {}),
            "systems": _array(
                _object({**system, **(drawn if about.solved else {})}, optional=read),
                "Systems, best first.",
            ),
        },
    )


_RELEVANT: Final = {
    "description": "Ids of the relevant items of each query, highest grade first; null if it isn't scored.",
    "type": "array",
    "items": {"anyOf": [{"type": "array", "items": _TEXT}, {"type": "null"}]},
}
_INTERVAL: Final = {
    "value": "Headline score.",
    "low": "Lower bound of its 95% CI.",
    "high": "Upper bound of its 95% CI.",
}
_METRIC: Final = {
    "key": {**_TEXT, "description": "Name of the metric in receipts."},
    "label": {**_TEXT, "description": "Name of the metric on pages."},
    "digits": {**_COUNT, "description": "Decimal places on pages."},
    "percent": {"type": "boolean", "description": "Whether pages show it in percent."},
}
_TEST: Final = {
    "seed": {**_TEXT, "description": "Seed of the generator, an integer of 64 bits as text."},
    "flips": {**_COUNT, "description": "Number of random sign assignments."},
    "level": {**_NUMBER, "description": "Significance level."},
}
_KIND: Final = {
    "key": {**_TEXT, "description": "Letter of a cell."},
    "words": {**_TEXT, "description": "What the letter means."},
    "tone": {**_TEXT, "description": "Color class."},
    "solved": {"type": "boolean", "description": "Whether the item counts as solved."},
}
_PICTURE: Final = {
    "step": {**_COUNT, "description": "Items in one column of the picture."},
    "gap": {**_COUNT, "description": "Columns between two categories of the picture."},
}
_PAIR: Final = {
    "first": {**_TEXT, "description": "Receipt of the first system."},
    "second": {**_TEXT, "description": "Receipt of the second system."},
    "delta": {**_NUMBER, "description": "Difference of the headline scores, first minus second."},
    "low": {"type": ["number", "null"], "description": "Lower bound of the 95% CI of the mean difference."},
    "high": {"type": ["number", "null"], "description": "Upper bound of the 95% CI of the mean difference."},
    "p": {"type": ["number", "null"], "description": "p-value of the paired test, unadjusted."},
    "tied": {"type": ["boolean", "null"], "description": "Whether the two are tied."},
    "wins": {**_COUNT, "description": "Items on which the first has the higher value."},
    "losses": {**_COUNT, "description": "Items on which the second has the higher value."},
    "ties": {**_COUNT, "description": "Items on which both have the same value."},
}


def _shared(about: Leaderboard) -> dict[str, Any]:
    """Return the members that say which leaderboard a file is about."""
    data = _object(
        {
            "id": {**_TEXT, "description": "Id of the data."},
            "sha256": {**_TEXT, "pattern": HEX64, "description": "SHA-256 of the data's canonical JSON."},
        },
        "Data that the systems were run on.",
    )
    return {
        "track": {"const": about.track.name, "description": "Track."},
        about.target: data if about.programs else {**_TEXT, "description": "Domain template."},
        "methodology": {**_TEXT, "description": "Methodology version."},
        "metric": {**_TEXT, "description": "Headline metric."},
    }


def _document(title: str, description: str, members: Mapping[str, Any]) -> Schema:
    version = {"const": 1, "description": "Version of the format."}
    return {"$schema": DIALECT, "title": title, **_object({"v": version, **members}, description)}


def _object(
    members: Mapping[str, Any], description: str = "", optional: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    said = {"description": description} if description else {}
    every = {**members, **(optional or {})}
    return {**said, "type": "object", "properties": every, "required": list(members)}


def _array(items: Schema, description: str) -> Schema:
    return {"description": description, "type": "array", "items": items}


def _nullable(schema: Schema, description: str = "") -> Schema:
    said = {"description": description} if description else {}
    if isinstance(schema.get("type"), str) and schema.keys() == {"type"}:
        return {**said, "type": [schema["type"], "null"]}
    return {**said, "anyOf": [schema, {"type": "null"}]}


def _value(column: DataColumn) -> Schema:
    kind = _TYPES[column.kind]
    return kind if column.required or not kind else _nullable(kind)


def _described(column: DataColumn) -> Schema:
    said = {"description": column.description} if column.description else {}
    return {**said, **_value(column)}
