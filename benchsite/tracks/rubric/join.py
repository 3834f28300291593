"""Joins sheets into one receipt: each is checked against its version's rules, then all of them together.

Follows specs/rubric.md, "The sheet" and "Versions". The rules are those of receipts: `violations` and `provenance` check
the body that sheets make, and each finding names the sheet, line and key it came from. Also refuses sheets of different
agents, versions or disclosures, and evaluators with two statements; a receipt cannot show these.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.history import Violation
from benchsite.methodology import Methodology
from benchsite.tracks.rubric import body, sheet, sheet_words
from benchsite.tracks.rubric.engines import rules
from benchsite.tracks.rubric.payload import MAX_SHEETS
from benchsite.tracks.rubric.provenance import departures
from benchsite.tracks.rubric.sheet import Sheet
from benchsite.tracks.rubric.sheet_words import Fault, Path, shown
from benchsite.tracks.rubric.violations import OF_ALL_SHEETS, violations
from benchsite.yaml_document import YamlDocument

Pin = Callable[[YamlDocument, Path, Mapping[str, Any]], Mapping[str, Any]]
"""(sheet, place in it, file and excerpt) to the receipt's entry: sha256 and excerpt."""

_SHARED: Final[tuple[Path, ...]] = (
    ("methodology",),
    ("template",),
    ("agent", "name"),
    ("agent", "version"),
    ("agent", "vendor"),
    ("disclosures", "repeatabilityTested"),
    ("disclosures", "multiStep"),
)
_STATED: Final[tuple[Path, ...]] = (
    ("evaluator", "kind"),
    ("evaluator", "model"),
    ("evaluator", "conflictOfInterest"),
)
"""What every sheet of an evaluator states alike."""
_EVER: Final = "9999-12-31T23:59:59Z"
_ADVICE: Final = {
    "criteria-unknown": "use the template's own criteria, all of them",
    "evaluator-twice": "spell each evaluator's name the same on every sheet; use distinct names for different evaluators",
    "model-missing": "describe it under evaluator.model: name, promptSha256 (null if not recorded), saw, "
    "falsePositiveProbe (null if not measured)",
    "model-unknown": "write kind: model, or remove evaluator.model",
    "probe-impossible": "write how many answers were planted, and how many of them were accepted",
    "sheet-twice": "number the passes, or remove one sheet",
    "sheet-repeated": "list each sheet once",
    "pass-missing": "add the sheets of the missing passes, or number the passes from 1",
    "session-missing": "add the sheets of the missing sessions, or number the sessions from 1",
    "too-few-sessions": "run more sessions, each in a new conversation, and list all their sheets in one call",
    "too-few-sheets": "add a sheet of another evaluator, or of a second pass with `pass: 2`",
    "text-blank": "write visible text",
    "date-unknown": "write the date of the session as YYYY-MM-DD",
    "date-ahead": "write the date of the session, or correct this machine's clock",
    "question-twice": "score each question once",
    "questions-differ": "score the questions of the session in the order in which they were asked",
    "questions-not-repeated": "spell each question the same in all sessions, and ask the same questions in each",
    "sessions-alike": "cite the transcript of each session as its evidence",
    "tests-missing": "run the tests, and record outcome, note and evidence under requiredTests",
    "tests-unknown": "remove requiredTests, or score under a version that has them",
    "disclosure-missing": "write repeatabilityTested: true or false, and multiStep: single-message or multi-turn",
    "disclosure-unknown": "remove disclosures, or score under a version that asks for them",
    "repeatability-unfounded": "list the sheets of every session in one call, and write whether there are several",
    "averaging-unknown": "score one question under criteria, or score under a version that averages several",
    "note-missing": "write one sentence on why it is this score and not the next one",
    "evidence-missing": "cite the transcript (evidence: [{file: transcript.md}]) or quote it ([{excerpt: ...}])",
}


@dataclass(frozen=True, slots=True)
class Filled:
    """A sheet with the file it was read from: `document` knows the line of every value."""

    data: bytes
    document: YamlDocument
    sheet: Sheet


def parse(data: bytes, *, where: str, methodology: Methodology) -> Sheet:
    """A sheet from its bytes; raises as `sheet.load` and `hold` do."""
    return hold(data, sheet.load(data, where=where), methodology).sheet


def hold(data: bytes, document: YamlDocument, methodology: Methodology) -> Filled:
    """A loaded sheet, checked by itself against the version it names.

    Raises:
        InputError: its faults, up to twenty of them, each with line and rule.
    """
    found, faults = sheet.read(document)
    if isinstance(document.value, dict):
        known = {fault.path for fault in faults}
        faults += [
            fault
            for fault in _broken([document], methodology)
            if not any(fault.path[:end] in known for end in range(len(fault.path) + 1))
        ]
    if found is None or faults:
        raise sheet_words.refusal(sorted(faults, key=lambda fault: fault.line))
    return Filled(data, document, found)


def _broken(documents: Sequence[YamlDocument], methodology: Methodology) -> Iterator[Fault]:
    """What a sheet's version refuses in it, whatever it is joined with."""
    values = [document.value for document in documents]
    version = values[0].get("methodology")
    if version != methodology.data.version:
        said = f"is {shown(version)}, but the sheet is read under rubric {methodology.data.version}"
        yield Fault(
            documents[0], ("methodology",), said, "score a sheet under the version it was filled in for"
        )
        return
    made = _receipt(documents, methodology, body.unread, _EVER)
    found = (
        *departures(made, methodology),
        *(one for one in violations(made, rules(methodology), every=True) if one.code not in OF_ALL_SHEETS),
    )
    yield from (_fault(one, made, documents, methodology) for one in found)


def require_agreement(documents: Sequence[YamlDocument]) -> None:
    """All sheets of one receipt must be about one agent, under one set of rules, with the same disclosures.

    Raises:
        InputError: two do not agree; both are named with their lines.
    """
    if len(documents) > MAX_SHEETS:
        raise InputError(
            f"too many sheets for one receipt: {len(documents)} of at most {MAX_SHEETS}",
            hint="make several receipts",
        )
    first = documents[0]
    for other in documents[1:]:
        for path in _SHARED:
            one, two = _at(first, path), _at(other, path)
            if one != two:
                raise other.error(
                    path,
                    f"is {shown(two)}, but {shown(one)} in {_line_of(first, path)}",
                    hint="make them equal, or make two receipts",
                )


def joined(
    sheets: Sequence[Filled], methodology: Methodology, pin: Pin, now: str
) -> tuple[tuple[Filled, ...], dict[str, Any]]:
    """Sheets by session, evaluator and pass, and the receipt that they make: its rubric keys but for the numbers.

    Args:
        sheets: of one agent, template and version.
        methodology: that version.
        pin: what the receipt says of a piece of evidence.
        now: when the receipt is made, RFC 3339 UTC.

    Raises:
        InputError: an evaluator's statements differ, or the version would refuse the receipt; or `pin` raises it.
    """
    ordered = tuple(sorted(sheets, key=lambda item: _place(item.sheet)))
    _require_statements(ordered)
    documents = [item.document for item in ordered]
    pinned: list[dict[str, Any]] = []

    def cite(number: int, place: Path, source: Mapping[str, Any]) -> Mapping[str, Any]:
        entry = pin(documents[number], place, source)
        if source.get("file") is not None:
            pinned.append({"sha256": entry["sha256"]})
        return entry

    made = _receipt(documents, methodology, cite, now)
    made |= {
        "config": {"sheets": [canonical.sha256_hex(item.data) for item in ordered], "subjectSha256": None},
        "evidence": pinned,
    }
    if found := list(violations(made, rules(methodology), every=True)):
        raise sheet_words.refusal([_fault(one, made, documents, methodology) for one in found])
    return ordered, made


def _receipt(
    documents: Sequence[YamlDocument], methodology: Methodology, cite: body.Cite, now: str
) -> dict[str, Any]:
    """As much of a receipt as its rules are about."""
    values = [document.value for document in documents]
    instrument = methodology.data.instrument
    template = values[0].get("template")
    known = instrument.template(template) if instrument is not None and isinstance(template, str) else None
    return {
        "methodology": methodology.reference,
        "ranAt": now,
        "config": {"sheets": []},
        "evidence": [],
        **body.body(values, known, cite),
    }


def _fault(
    found: Violation, made: Mapping[str, Any], documents: Sequence[YamlDocument], methodology: Methodology
) -> Fault:
    """What the rules find, at the place in the sheets that it came from."""
    number, path = body.place_of(found.field, made, [document.value for document in documents])
    advice = _ADVICE.get(found.code, "")
    if found.code == "template-unknown" and methodology.data.instrument is not None:
        known = [item.slug for item in methodology.data.instrument.templates]
        near = difflib.get_close_matches(made["template"]["slug"], known, n=1)
        advice = f"did you mean {near[0]}?" if near else f"it has {', '.join(known)}"
    return Fault(documents[number], path, found.message.rstrip("."), advice)


def _at(document: YamlDocument, path: Path) -> Any:
    value = document.value
    for part in path:
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _line_of(document: YamlDocument, path: Path) -> str:
    return f"{document.where}, line {document.line(path)}"


def _place(item: Sheet) -> tuple[int, str, int]:
    return item.session.n, item.evaluator.name, item.evaluator.pass_


def _require_statements(sheets: Sequence[Filled]) -> None:
    """One evaluator has one kind, one model and one statement of conflicts of interest: a receipt holds one of each."""
    seen: dict[str, Filled] = {}
    for item in sheets:
        name = item.sheet.evaluator.name
        earlier = seen.setdefault(name, item)
        for path in _STATED:
            if _at(earlier.document, path) != _at(item.document, path):
                raise item.document.error(
                    path,
                    f"the statement of {name} differs from {_line_of(earlier.document, path)}",
                    hint="write the same statement on every sheet of an evaluator",
                )
