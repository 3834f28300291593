"""Sheets become one receipt: each held against its version's rules, then all of them together.

Follows specs/rubric.md, "The sheet" and "Versions". The rules are those of receipts: the body that sheets make is judged
by `violations` and `provenance`, and what is found is told of the sheet, line and key it came from. Refuses besides
sheets of different agents, versions or disclosures, and evaluators who state two things; a receipt cannot show these.
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
_EVER: Final = "9999-12-31T23:59:59Z"
_ADVICE: Final = {
    "criteria-unknown": "use the template's own criteria, all of them",
    "evaluator-twice": "write one person's name alike everywhere; let two people choose names that readers can tell apart",
    "sheet-twice": "number the passes, or take one sheet out",
    "sheet-repeated": "name each sheet once",
    "pass-missing": "add the sheets of the missing passes, or number the passes from 1",
    "session-missing": "add the sheets of the missing sessions, or number the sessions from 1",
    "too-few-sessions": "hold more sessions, each fresh, and name all their sheets in one call",
    "too-few-sheets": "have another evaluator score it, or score it again in a second pass, and say so in `pass`",
    "text-blank": "write what readers can see",
    "date-unknown": "write the day of the session",
    "date-ahead": "write the day on which the session was held, or set this machine's clock right",
    "question-twice": "score each question once",
    "questions-differ": "score what was asked in the session, in the order in which it was asked",
    "questions-not-repeated": "write each question alike in all sessions; what was asked in one session only shows no "
    "repetition",
    "sessions-alike": "name the transcript of each session as its evidence; one sitting is one session",
    "tests-missing": "run the tests, or if you ran them, record outcome, note and evidence under requiredTests",
    "tests-unknown": "take requiredTests out, or score under a version that has them",
    "disclosure-missing": "write repeatabilityTested: true or false, and multiStep: single-message or multi-turn",
    "disclosure-unknown": "take disclosures out, or score under a version that asks for them",
    "repeatability-unfounded": "name the sheets of every session in one call, and write whether there are several",
    "averaging-unknown": "score one question under criteria, or score under a version that averages several",
    "note-missing": "say in a sentence why it is this score and not the next one",
    "evidence-missing": "name the transcript (evidence: [{file: transcript.md}]) or quote it ([{excerpt: ...}])",
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
    """A loaded sheet, held by itself against the rules it names.

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
    """What a sheet's version would refuse of it, whatever else it is joined with."""
    values = [document.value for document in documents]
    version = values[0].get("methodology")
    if version != methodology.data.version:
        said = f"is {shown(version)}, and the sheet is read under rubric {methodology.data.version}"
        yield Fault(
            documents[0], ("methodology",), said, "a sheet is scored under the version it was filled in for"
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
            f"{len(documents)} sheets are more than one receipt holds ({MAX_SHEETS})",
            hint="make several receipts",
        )
    first = documents[0]
    for other in documents[1:]:
        for path in _SHARED:
            one, two = _at(first, path), _at(other, path)
            if one != two:
                raise other.error(
                    path,
                    f"is {shown(two)} here, and {shown(one)} in {_line_of(first, path)}",
                    hint="the sheets of one receipt agree in this: correct one, or make two receipts",
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
    """One evaluator, one statement of conflicts of interest; a receipt holds but one."""
    seen: dict[str, Filled] = {}
    path = ("evaluator", "conflictOfInterest")
    for item in sheets:
        evaluator = item.sheet.evaluator
        earlier = seen.setdefault(evaluator.name, item)
        if earlier.sheet.evaluator.conflict_of_interest != evaluator.conflict_of_interest:
            raise item.document.error(
                path,
                f"{evaluator.name} states something else here than in {_line_of(earlier.document, path)}",
                hint="an evaluator's statement is the same on every sheet: write it alike",
            )
