"""Sheets as the body of a receipt, and the fields of that body as places in the sheets.

Puts the content of sheets where a receipt holds it, so that `violations` can check it: specs/rubric.md, "The sheet".
Sheets may be wrong: what lacks the shape of a receipt is omitted or empty, since `sheet` refuses it at its own place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from benchsite.methodology.instrument import DIMENSIONS, SCENARIOS, Template
from benchsite.tracks.rubric.payload import DATE, TESTS
from benchsite.tracks.rubric.sheet_words import Path

Cite = Callable[[int, Path, Mapping[str, Any]], Mapping[str, Any]]
"""(number of the sheet, place in it, file and excerpt) to the receipt's entry: sha256 and excerpt."""

KEYS: Final = (
    *("agent", "template", "evaluators", "sheets", "universal", "domain", "requiredTests", "disclosures"),
)
_STEP: Final = re.compile(r"([^.\[\]]+)|\[([0-9]+)\]")
_NAME: Final = re.compile(r"[a-z][a-zA-Z0-9]*\Z")
_SHEET: Final = {"pass": ("evaluator", "pass"), "session": ("session", "n"), "date": ("session", "date")}


def unread(_number: int, _place: Path, source: Mapping[str, Any]) -> Mapping[str, Any]:
    """An entry for evidence whose files are not read yet."""
    return {"sha256": "", "excerpt": _text(source, "excerpt") or None}


def body(sheets: Sequence[Any], template: Template | None, cite: Cite = unread) -> dict[str, Any]:
    """The track's own keys of a receipt, without its numbers.

    Args:
        sheets: parsed YAML, in the order of the receipt.
        template: the domain they score; None where the version has none of this name.
        cite: what the receipt says of a piece of evidence.
    """
    first = sheets[0]
    evaluators = {
        _text(item, "evaluator", "name"): _evaluator(_mapping(item, "evaluator")) for item in sheets
    }
    names = sorted(evaluators)
    stated, tests = _mapping(first, "disclosures"), _mapping(first, "requiredTests")
    return {
        "agent": {key: _text(first, "agent", key) for key in ("name", "version", "vendor")},
        "template": {
            "slug": _text(first, "template"),
            "schemaName": template.schema_name if template is not None else "",
        },
        "evaluators": [evaluators[name] for name in names],
        "sheets": [_sheet(item, names) for item in sheets],
        "universal": {
            name: [
                _rating(item) | _evidence(item, number, ("universal", name), cite)
                for number, item in _each(sheets, "universal", name)
            ]
            for name in DIMENSIONS
        },
        "domain": {
            name: [
                {"questions": _questions(item)} | _evidence(item, number, ("domain", name), cite)
                for number, item in _each(sheets, "domain", name)
            ]
            for name in SCENARIOS
        },
        "requiredTests": {
            name: [
                {key: item.get(key) for key in ("outcome", "note")}
                | _evidence(item, number, ("requiredTests", name), cite)
                for number, item in _each(sheets, "requiredTests", name)
            ]
            for name in TESTS
        }
        if tests
        else None,
        "disclosures": {key: stated.get(key) for key in ("repeatabilityTested", "multiStep")},
    }


def place_of(field: str, document: Mapping[str, Any], sheets: Sequence[Any]) -> tuple[int, Path]:
    """(number of the sheet, place in it) of a field of the body, or of the receipt around it.

    Args:
        field: such as `domain.D1[2].questions[0].criteria.accuracy.note`.
        document: the body.
        sheets: what it was made of.
    """
    steps = tuple(name or int(number) for name, number in _STEP.findall(field))
    match steps:
        case ("sheets", int(number), str(key)):
            return number, _SHEET[key]
        case ("evaluators", int(number), *rest):
            held = [item["evaluator"] for item in document["sheets"]]
            return held.index(number), ("evaluator", *(rest or ("name",)))
        case ("universal" | "domain" | "requiredTests" as part, str(name), int(number), *rest):
            inside = tuple(rest)
            if inside[:1] == ("questions",):
                several = "averagedFrom" in _mapping(sheets[number], part, name)
                inside = ("averagedFrom", *inside[1:]) if several else inside[2:]
            return number, (part, name, *inside)
        case ("config", "sheets", int(number)):
            return number, ()
        case ("template", "slug"):
            return 0, ("template",)
    return 0, steps


def _mapping(value: Any, *path: str) -> Mapping[str, Any]:
    for part in path:
        value = value.get(part) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _text(value: Any, *path: str) -> str:
    found = _mapping(value, *path[:-1]).get(path[-1])
    return found if isinstance(found, str) else ""


def _number(value: Any, *path: str) -> int:
    found = _mapping(value, *path[:-1]).get(path[-1])
    return found if type(found) is int else 1


def _evaluator(given: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": _text(given, "name"),
        "kind": _text(given, "kind"),
        "model": _model(given["model"]) if isinstance(given.get("model"), dict) else None,
        "conflictOfInterest": _text(given, "conflictOfInterest"),
        "consentToPublish": True,
    }


def _model(given: Mapping[str, Any]) -> dict[str, Any]:
    probe = given.get("falsePositiveProbe")
    return {
        "name": _text(given, "name"),
        "promptSha256": given.get("promptSha256"),
        "saw": _text(given, "saw"),
        "falsePositiveProbe": {"planted": _number(probe, "planted"), "accepted": _number(probe, "accepted")}
        if isinstance(probe, dict)
        else None,
    }


def _sheet(item: Any, names: Sequence[str]) -> dict[str, Any]:
    date = _text(item, "session", "date")
    return {
        "evaluator": names.index(_text(item, "evaluator", "name")),
        "pass": _number(item, "evaluator", "pass"),
        "session": _number(item, "session", "n"),
        "date": date if re.match(DATE, date) else "2000-01-01",
    }


def _each(sheets: Sequence[Any], part: str, name: str) -> list[tuple[int, Mapping[str, Any]]]:
    return [(number, _mapping(item, part, name)) for number, item in enumerate(sheets)]


def _rating(given: Mapping[str, Any]) -> dict[str, Any]:
    return {"score": given.get("score"), "note": _text(given, "note")}


def _questions(scenario: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Each question with its scores; the text is None where there is but one."""
    several = scenario.get("averagedFrom")
    return [
        {
            "question": _text(asked, "question") if isinstance(several, list) else None,
            "criteria": {
                name: _rating(_mapping(given))
                for name, given in _mapping(asked, "criteria").items()
                if _NAME.match(name)
            },
        }
        for asked in (several if isinstance(several, list) else [scenario])
    ]


def _evidence(given: Mapping[str, Any], number: int, place: Path, cite: Cite) -> dict[str, Any]:
    held = given.get("evidence")
    return {
        "evidence": [
            dict(cite(number, (*place, "evidence", at), _mapping(source)))
            for at, source in enumerate(held if isinstance(held, list) else ())
        ]
    }
