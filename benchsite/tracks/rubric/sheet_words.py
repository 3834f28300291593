"""Messages on faults of a sheet: place, rule, value, hint.

Turns pydantic's faults into sentences an evaluator understands who knows neither pydantic nor YAML.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from pydantic_core import ErrorDetails

from benchsite.errors import InputError
from benchsite.schema import SEMVER
from benchsite.tracks.rubric.payload import LONGEST_PROSE, MAX_SHEETS, MOST_PLANTED
from benchsite.yaml_document import YamlDocument

Path = tuple[str | int, ...]
_SHOWN: Final = 20
_ADVICE: Final = 3
_WHOLE: Final = "`benchsite methodology new-sheet VERSION TEMPLATE` writes a sheet with every key"
_FILL_IN: Final = "fill in the number of the anchor that describes the session"
_QUOTE: Final = 'put text in quotes: "1.0", "no"'
KEYS: Final = (
    *(
        "methodology",
        "template",
        "agent",
        "evaluator",
        "session",
        "disclosures",
        "requiredTests",
        "universal",
    ),
    *(
        "domain",
        "name",
        "version",
        "vendor",
        "pass",
        "kind",
        "model",
        "promptSha256",
        "saw",
        "falsePositiveProbe",
        "planted",
        "accepted",
        "conflictOfInterest",
        "consentToPublish",
        "n",
        "date",
    ),
    *("repeatabilityTested", "multiStep", "standardisedTask", "hallucination", "invalidInput", "outcome"),
    *("score", "note", "evidence", "file", "excerpt", "criteria", "averagedFrom", "question"),
    *("U1", "U2", "U3", "U4", "U5", "U6", "D1", "D2", "D3", "D4", "D5"),
)


class Fault(NamedTuple):
    """One thing wrong with a sheet."""

    document: YamlDocument
    path: Path
    message: str
    advice: str

    @property
    def line(self) -> int:
        """Its line, or the line of what it is missing from."""
        return self.document.line(self.path)


def refusal(faults: Sequence[Fault]) -> InputError:
    """One error for all faults of sheets: a line each, and the advice that goes with the first few."""
    lines = [
        f"{fault.document.where}, line {fault.line}: {'.'.join(map(one_line, fault.path)) or 'the sheet'}: "
        f"{fault.message}"
        for fault in faults[:_SHOWN]
    ]
    if len(faults) > _SHOWN:
        lines.append(f"and {len(faults) - _SHOWN} more")
    advice = list(dict.fromkeys(fault.advice for fault in faults if fault.advice))
    return InputError("\n".join(lines), hint="; ".join(advice[:_ADVICE]))


def worded(document: YamlDocument, error: ErrorDetails) -> Fault:
    """A fault of shape, as pydantic found it, in words."""
    path = tuple(part for part in error["loc"] if part != "[key]")
    version = _at(document.value, ("methodology",))
    rubric = f"rubric {version}" if isinstance(version, str) and re.match(SEMVER, version) else "the rubric"
    message, advice = _words(path, error, _at(document.value, path), rubric)
    if path == ("methodology",) and re.match(SEMVER, f"{version}.0"):
        advice = f"did you mean {version}.0?"
    return Fault(document, path, message, advice)


def _at(value: Any, path: Path) -> Any:
    for part in path:
        if isinstance(value, dict):
            value = value.get(str(part))
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
        else:
            return None
    return value


def one_line(text: object, longest: int = 40) -> str:
    """Foreign words inside a message: the beginning of them, and nothing that could pass for another line."""
    whole = str(text)
    kept = whole[:longest] + ("…" if len(whole) > longest else "")
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in kept)


def shown(value: Any) -> str:
    """A value of a sheet as a message quotes it."""
    match value:
        case None:
            return "empty"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return ".nan" if isinstance(value, float) and math.isnan(value) else str(value)[:40]
        case str():
            return f'the text "{one_line(value)}"'
        case list():
            return "a list"
        case _:
            return "a mapping"


def _words(path: Path, error: ErrorDetails, value: Any, rubric: str) -> tuple[str, str]:
    """(what is wrong, what to do)."""
    kind, last = error["type"], path[-1] if path else ""
    if kind == "extra_forbidden":
        near = difflib.get_close_matches(str(last), KEYS, n=1)
        hint = f"did you mean {near[0]}?" if near and near[0] != last else "remove it"
        return "is not a key of a sheet here", hint
    if last == "score":
        return _score(value, rubric)
    if last == "consentToPublish":
        return (
            "is not true: a receipt is public permanently, so each evaluator must consent to publication",
            "write consentToPublish: true once the evaluator agrees",
        )
    if kind == "missing":
        return f"is missing: {rubric} requires it in every sheet", _WHOLE
    if value is None:
        return f"is empty: {rubric} requires it in every sheet", "fill it in"
    return _shape(kind, last, value, error)


def _score(value: Any, rubric: str) -> tuple[str, str]:
    if value is None:
        return f"is empty: {rubric} scores in whole numbers from 1 to 5", _FILL_IN
    advice = "write the score without quotes" if isinstance(value, str) else _FILL_IN
    return f"must be a whole number from 1 to 5, and is {shown(value)}", advice


def _shape(kind: str, last: str | int, value: Any, error: ErrorDetails) -> tuple[str, str]:
    context = error.get("ctx", {})
    match kind:
        case "value_error":
            said = str(context["error"]), _WHOLE
        case "literal_error":
            wanted = context["expected"].replace("'", "")
            said = f"must be {wanted}, and is {shown(value)}", "choose one of them"
        case "bool_type":
            said = f"must be true or false, and is {shown(value)}", "write true or false, without quotes"
        case "string_type":
            said = f"must be text, and is {shown(value)}", _QUOTE
        case "string_too_long":
            said = (
                f"has {len(value):,} characters, more than {LONGEST_PROSE:,}",
                "shorten it, and put long passages into an evidence file",
            )
        case "string_too_short":
            said = "is empty", "fill it in"
        case "string_pattern_mismatch":
            said = ("is empty", "fill it in") if value == "" else _pattern(last, value)
        case "too_long" | "too_short":
            wanted = (
                f"at least {context['min_length']}"
                if kind == "too_short"
                else f"at most {context['max_length']}"
            )
            said = f"has {len(value)} entries, and must have {wanted}", _WHOLE
        case "int_type" | "int_from_float" | "greater_than_equal" | "less_than_equal":
            said = _whole(last, value)
        case _:
            what = "a list" if kind in ("tuple_type", "list_type") else "a mapping of keys and values"
            said = f"must be {what}, and is {shown(value)}", _WHOLE
    return said


def _whole(last: str | int, value: Any) -> tuple[str, str]:
    if last in ("planted", "accepted"):
        least = 1 if last == "planted" else 0
        return (
            f"must be a whole number from {least} to {MOST_PLANTED:,}, and is {shown(value)}",
            "count the answers",
        )
    return f"must be a whole number from 1 to {MAX_SHEETS}, and is {shown(value)}", "count from 1"


_LINE: Final = (
    "must be one line of 1 to 200 characters, without control characters",
    "shorten it to one line",
)
_PATTERNS: Final[dict[str | int, tuple[str, str]]] = {
    "methodology": ("must be a version such as 1.3.0", "`benchsite methodology list` shows the versions"),
    "date": ("must be a date such as 2026-11-22", "write the date of the session"),
    "template": ("must be a template's name, in lowercase letters and hyphens", _WHOLE),
    "name": _LINE,
    "version": _LINE,
    "vendor": _LINE,
    "file": _LINE,
    "promptSha256": (
        "must be 64 lowercase hexadecimal digits",
        "run `sha256sum` on the prompt, or write null if it was not recorded",
    ),
    "note": (
        "contains a control character",
        "remove it; only line feeds and tabs are allowed",
    ),
}


def _pattern(last: str | int, value: Any) -> tuple[str, str]:
    """What a text must look like; a key of criteria has no entry of its own."""
    named = (
        "must be letters and digits, starting with a lowercase letter",
        "use the template's own name",
    )
    if isinstance(value, str):
        named = _PATTERNS["note"]
    message, advice = _PATTERNS.get(last, named)
    return f"{message}, and is {shown(value)}" if message.startswith("must be a ") else message, advice
