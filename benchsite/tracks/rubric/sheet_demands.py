"""What a version of the methodology demands of a sheet beyond its shape: specs/rubric.md, "Scoring".

Reads the parsed YAML, right or wrong, so that these faults are told together with those of shape. The demands
themselves stand in `rules`; which templates and criteria there are stands in the methodology.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from benchsite.methodology import Methodology
from benchsite.methodology.instrument import DIMENSIONS, SCENARIOS, Template
from benchsite.tracks.rubric.likeness import alike, in_calendar
from benchsite.tracks.rubric.payload import DATE, TESTS
from benchsite.tracks.rubric.rules import RULES, Rules
from benchsite.tracks.rubric.sheet_words import Path, one_line, shown
from benchsite.unseen import is_blank

Demand = tuple[Path, str, str]
"""(path, what is wrong, what to do)."""

_TESTS: Final = {
    "standardisedTask": "the universal standardised task",
    "hallucination": "the hallucination stress test",
    "invalidInput": "the invalid input that U4 rests on",
}
_DISCLOSURES: Final = {
    "repeatabilityTested": (
        "requires every evaluation to disclose whether repeatability was tested",
        "write repeatabilityTested: true or false",
    ),
    "multiStep": (
        "requires every evaluation to disclose what U3 was scored on",
        "write multiStep: single-message or multi-turn",
    ),
}
_RUN: Final = "run the test, or if you ran it, record outcome, note and evidence under requiredTests"
_SEEN: Final = (
    *(("agent", name) for name in ("name", "version", "vendor")),
    *(("evaluator", name) for name in ("name", "conflictOfInterest")),
)
_OTHER_RULES: Final = "a sheet is scored under the version it was filled in for"


def version(value: Any) -> str | None:
    """The methodology a sheet names, if this release can compute under it."""
    named = value.get("methodology") if isinstance(value, dict) else None
    return named if isinstance(named, str) and named in RULES else None


def demanded(value: Any, methodology: Methodology | None) -> Iterator[Demand]:
    """Where a sheet falls short of its version's rules.

    Args:
        value: the parsed YAML.
        methodology: the rules to hold it against; None where they are not looked up yet.
    """
    if not isinstance(value, dict):
        return
    named = version(value)
    if named is None:
        if value.get("methodology") is not None:
            meant = f"{value['methodology']}.0"
            yield (
                ("methodology",),
                f"{shown(value['methodology'])} is none of the versions that can be scored: {', '.join(RULES)}",
                f"did you mean {meant}?"
                if meant in RULES
                else "name one of them; a newer release may know more: pip install -U benchsite",
            )
        return
    rules = RULES[named]
    yield from _tests(value, named, rules)
    yield from _disclosures(value, named, rules)
    if rules.evidence:
        yield from _notes(value, named)
        yield from _evidence(value, named)
    yield from _repeated(value)
    if not rules.averaging:
        yield from _averaging(value, named)
    yield from _day(value)
    yield from _blanks(value)
    if methodology is not None:
        yield from _template(value, methodology)


def _mapping(value: Any, *path: str) -> Mapping[str, Any]:
    for part in path:
        value = value.get(part) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _tests(value: Any, named: str, rules: Rules) -> Iterator[Demand]:
    recorded = value.get("requiredTests")
    if not rules.required_tests:
        if recorded is not None:
            yield (
                ("requiredTests",),
                f"rubric {named} has no required tests, so that a receipt under it cannot hold them",
                "take requiredTests out, or score under 1.1.0 or later",
            )
    elif recorded is None:
        tests = ", ".join(_TESTS[name] for name in TESTS)
        yield ("requiredTests",), f"is missing: rubric {named} requires {tests}", _RUN
    elif isinstance(recorded, dict):
        for name in TESTS:
            if recorded.get(name) is None:
                message = f"is missing: rubric {named} requires {_TESTS[name]} in every session"
                yield ("requiredTests", name), message, _RUN


def _disclosures(value: Any, named: str, rules: Rules) -> Iterator[Demand]:
    stated = value.get("disclosures")
    if not rules.disclosures:
        if stated is not None:
            yield (
                ("disclosures",),
                f"rubric {named} asks for no disclosures, so that a receipt under it cannot hold them",
                "take disclosures out, or score under 1.1.0 or later",
            )
    elif stated is None or isinstance(stated, dict):
        for name, (demand, advice) in _DISCLOSURES.items():
            if _mapping(stated).get(name) is None:
                yield ("disclosures", name), f"is missing: rubric {named} {demand}", advice


def _notes(value: Any, named: str) -> Iterator[Demand]:
    for path, score in _scores(value):
        note = score.get("note", "")
        if score and (note is None or (isinstance(note, str) and is_blank(note))):
            yield (
                (*path, "note"),
                f"is missing: rubric {named} requires a note for every score",
                "say in a sentence why it is this score and not the next one",
            )


def _scores(value: Any) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Whatever of a sheet holds a score, with its place."""
    for name in DIMENSIONS:
        yield ("universal", name), _mapping(value, "universal", name)
    for name in SCENARIOS:
        scenario = _mapping(value, "domain", name)
        places: list[tuple[Path, Any]] = [(("domain", name), scenario)]
        for place, item in enumerate(_several(scenario)):
            places.append((("domain", name, "averagedFrom", place), item))
        for path, item in places:
            for criterion, given in _mapping(item, "criteria").items():
                yield (*path, "criteria", criterion), _mapping(given)


def _several(scenario: Mapping[str, Any]) -> Sequence[Any]:
    """The questions that a scenario is averaged from."""
    questions = scenario.get("averagedFrom")
    return questions if isinstance(questions, list) else ()


def _repeated(value: Any) -> Iterator[Demand]:
    for name in SCENARIOS:
        first: dict[str, int] = {}
        for place, item in enumerate(_several(_mapping(value, "domain", name))):
            question = _mapping(item).get("question")
            if not isinstance(question, str):
                continue
            earlier = first.setdefault(alike(question), place)
            if earlier != place:
                yield (
                    ("domain", name, "averagedFrom", place, "question"),
                    f"is question {earlier + 1} of {name} again, which would count more than once",
                    "score each question once",
                )


def _evidence(value: Any, named: str) -> Iterator[Demand]:
    for part, names in (("universal", DIMENSIONS), ("domain", SCENARIOS)):
        for name in names:
            rating = _mapping(value, part, name)
            if rating and not rating.get("evidence"):
                yield (
                    (part, name, "evidence"),
                    f"is missing: rubric {named} requires evidence for every score",
                    "name the transcript (evidence: [{file: transcript.md}]) or quote it ([{excerpt: ...}])",
                )


def _averaging(value: Any, named: str) -> Iterator[Demand]:
    for name in SCENARIOS:
        if "averagedFrom" in _mapping(value, "domain", name):
            yield (
                ("domain", name, "averagedFrom"),
                f"rubric {named} scores one question a scenario; averaging came with 1.1.0",
                "score one question under criteria, or score under 1.1.0 or later",
            )


def _day(value: Any) -> Iterator[Demand]:
    """A day that looks like one and is in no calendar."""
    date = _mapping(value, "session").get("date")
    if isinstance(date, str) and re.fullmatch(DATE, date) and not in_calendar(date):
        yield ("session", "date"), f"{date} is in no calendar", "write the day of the session"


def _blanks(value: Any) -> Iterator[Demand]:
    """Names and a statement that show nothing: spaces are characters, so that the shape lets them pass."""
    for path in _SEEN:
        said = _mapping(value, path[0]).get(path[1])
        if isinstance(said, str) and said and is_blank(said):
            yield path, "is blank", "write what readers can see"


def _template(value: Any, methodology: Methodology) -> Iterator[Demand]:
    named, rules = value["methodology"], methodology.data
    if named != rules.version or rules.instrument is None:
        yield (
            ("methodology",),
            f"is {named}, and the sheet is read under rubric {rules.version}",
            _OTHER_RULES,
        )
        return
    slug = value.get("template")
    if not isinstance(slug, str):
        return
    template = rules.instrument.template(slug)
    if template is None:
        known = [item.slug for item in rules.instrument.templates]
        near = difflib.get_close_matches(slug, known, n=1)
        yield (
            ("template",),
            f'rubric {named} has no template "{one_line(slug)}"; it has {", ".join(known)}',
            f"did you mean {near[0]}?" if near else "name one of them, or score under a version that has it",
        )
        return
    for name in SCENARIOS:
        scenario = _mapping(value, "domain", name)
        yield from _criteria(scenario.get("criteria"), ("domain", name, "criteria"), named, template)
        for place, item in enumerate(_several(scenario)):
            path = ("domain", name, "averagedFrom", place, "criteria")
            yield from _criteria(_mapping(item).get("criteria"), path, named, template)


def _criteria(given: Any, path: Path, named: str, template: Template) -> Iterator[Demand]:
    """Criteria of a scenario that are not the template's, and those of the template that it lacks."""
    if not isinstance(given, dict):
        return
    wanted: Sequence[str] = [item.id for item in template.criteria]
    rule = f"{template.slug} of rubric {named} is scored on {', '.join(wanted)}"
    for name in given:
        if name not in wanted:
            yield (*path, name), f"is none of its criteria: {rule}", "use the template's own criteria"
    for name in wanted:
        if name not in given:
            yield (*path, name), f"is missing: {rule}", "score it, too"
