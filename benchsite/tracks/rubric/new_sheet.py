"""`methodology new-sheet`: a sheet to fill in, with the anchors and instructions beside each value.

Written from the methodology's data; scores are left empty, and `sheet.parse` refuses them until they are filled in.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Final

from benchsite.methodology import Instrument, Methodology
from benchsite.methodology.instrument import Dimension, Level, RequiredTest, Scenario, Template
from benchsite.tracks.rubric.engines import Rules, rules

_WIDTH: Final = 110
_SHORT: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_LEVELS: Final[tuple[Level, ...]] = ("1", "2", "3", "4", "5")


def blank(methodology: Methodology, template: Template) -> str:
    """The sheet of a version and template, YAML, with every score, note and name still empty."""
    data, demanded = methodology.data, rules(methodology)
    instrument = data.instrument
    if instrument is None:
        raise ValueError(f"{data.track} {data.version} has no instrument to score with")
    lines = [
        *_opening(data.version, template, demanded),
        *(_disclosures(instrument) if demanded.disclosures else ()),
        *(_tests(instrument.required_tests) if demanded.required_tests else ()),
        *_universal(instrument, demanded),
        *_domain(instrument, template, demanded),
    ]
    return "\n".join(lines) + "\n"


def _opening(version: str, template: Template, rules: Rules) -> Iterator[str]:
    yield from _comment(
        f"Evaluation sheet for rubric {version}, {template.title}: one evaluator, one pass, one session."
    )
    yield from _comment(
        "Fill in every empty value. A score is a whole number from 1 to 5. A note gives the reason in one or two "
        "sentences. Evidence is a file next to this sheet, a quote from the transcript, or both: "
        '[{file: transcript.md}, {excerpt: "the agent\'s words"}, {file: transcript.md, excerpt: "a quote from it"}]'
        + (
            ". This version requires a note for every score, and evidence for every dimension and every scenario."
            if rules.evidence
            else "."
        )
    )
    yield from _comment("Don't look at another evaluator's sheet before yours is finished.")
    if rules.sessions > 1 or rules.sheets > 1:
        yield from _comment(
            f"Rubric {version} requires at least {rules.sessions} sessions with at least {rules.sheets} sheets each, from "
            "several evaluators or from numbered passes of one evaluator."
        )
    yield f"methodology: {quoted(version)}"
    yield f"template: {quoted(template.slug)}"
    yield "agent:"
    yield '  name: ""'
    yield '  version: ""'
    yield '  vendor: ""'
    yield "evaluator:"
    yield from _comment("Your name or a pseudonym. Use the same one on every sheet.", "  ")
    yield '  name: ""'
    yield from _comment("human or model: who gives the scores.", "  ")
    yield "  kind:"
    yield from _comment(
        "Only if kind is model. promptSha256 is the SHA-256 of the prompt; null if it was not recorded. "
        "falsePositiveProbe is the number of planted wrong answers and of those accepted; null if not measured. "
        "Example:",
        "  ",
    )
    yield '  # model: {name: "", promptSha256: null, saw: "the transcript",'
    yield "  #         falsePositiveProbe: {planted: 20, accepted: 1}}"
    yield "  model: null"
    yield from _comment(
        "1, or 2 for a second pass over the same session, without looking at your first scores.", "  "
    )
    yield "  pass: 1"
    yield from _comment(
        'Any interest in the agent, its vendor or a competitor; "none" if there is none.', "  "
    )
    yield '  conflictOfInterest: ""'
    yield from _comment(
        "Receipts are permanently public, with these scores, these notes and this name. Write true if you consent.",
        "  ",
    )
    yield "  consentToPublish:"
    yield "session:"
    yield from _comment(
        "Number the sessions with an agent from 1. Each runs every test and scenario once.", "  "
    )
    yield "  n: 1"
    yield from _comment("Date of the session, such as 2026-11-22.", "  ")
    yield "  date:"


def quoted(text: str) -> str:
    """A text as YAML's double-quoted scalar; what is not printable is escaped."""
    return f'"{"".join(_SHORT.get(char) or _escaped(char) for char in text)}"'


def _escaped(char: str) -> str:
    if char.isprintable():
        return char
    return f"\\u{ord(char):04X}" if ord(char) <= 0xFFFF else f"\\U{ord(char):08X}"


def _disclosures(instrument: Instrument) -> Iterator[str]:
    yield ""
    yield "disclosures:"
    choices = {
        "repeatabilityTested": "true or false",
        "multiStep": "single-message or multi-turn",
    }
    told = {item.id: item for item in instrument.disclosures}
    for name, words in choices.items():
        if name in told:
            yield from _comment(f"{told[name].title}: {told[name].text}", "  ")
        yield from _comment(f"Write {words}.", "  ")
        yield f"  {name}:"


def _tests(tests: tuple[RequiredTest, ...]) -> Iterator[str]:
    yield ""
    yield from _comment("Every session must include these. The outcome is pass, partial or fail.")
    yield "requiredTests:"
    for test in tests:
        yield from _comment(f"{test.title}. {test.instruction}", "  ")
        yield from _comment(f"Pass if: {test.desired}", "  ")
        yield from _comment(f"Fail if: {test.failure}", "  ")
        if test.feeds:
            yield from _comment(f"The outcome is used for the score of {test.feeds}.", "  ")
        yield f"  {test.id}:"
        yield "    outcome:"
        yield '    note: ""'
        yield "    evidence: []"


def _universal(instrument: Instrument, rules: Rules) -> Iterator[str]:
    yield ""
    yield "universal:"
    for dimension in instrument.dimensions:
        yield from _dimension(dimension, rules)


def _dimension(dimension: Dimension, rules: Rules) -> Iterator[str]:
    yield from _comment(f"{dimension.title}. {dimension.question}", "  ")
    if dimension.note:
        yield from _comment(dimension.note, "  ")
    yield f"  {dimension.id}:"
    yield from _anchors(dimension.anchors, "    ")
    yield "    score:"
    yield f'    note: ""{_required(rules)}'
    yield from _evidence(rules)


def _domain(instrument: Instrument, template: Template, rules: Rules) -> Iterator[str]:
    yield ""
    yield from _comment("The five scenarios. Each is scored on the same three criteria, each from 1 to 5:")
    for criterion in template.criteria:
        yield from _comment(f"{criterion.id}: {criterion.title}. {criterion.question or ''}")
    yield from _anchors(instrument.criterion_anchors, "")
    if rules.averaging:
        yield from _comment(
            "If you asked several questions in a scenario, score each; their scores are averaged. Replace criteria with "
            'averagedFrom, a list of {question: "...", criteria: {...}}.'
        )
    yield "domain:"
    for scenario in template.scenarios:
        yield from _scenario(scenario, template, rules)


def _scenario(scenario: Scenario, template: Template, rules: Rules) -> Iterator[str]:
    yield from _comment(f"{scenario.title}. {scenario.task}", "  ")
    if scenario.setup:
        yield from _comment(f"Prepare: {scenario.setup}", "  ")
    if scenario.look_for:
        yield from _comment(f"Look for: {scenario.look_for}", "  ")
    yield f"  {scenario.id}:"
    yield "    criteria:"
    for criterion in template.criteria:
        yield f"      {criterion.id}:"
        yield "        score:"
        yield f'        note: ""{_required(rules)}'
    yield from _evidence(rules)


def _evidence(rules: Rules) -> Iterator[str]:
    yield f"    evidence: []{_required(rules)}"


def _required(rules: Rules) -> str:
    """What a version that asks for evidence asks for besides the score."""
    return "  # required" if rules.evidence else ""


def _anchors(anchors: Mapping[Level, str], indent: str) -> Iterator[str]:
    for level in _LEVELS:
        if level in anchors:
            yield from _comment(f"{level}: {anchors[level]}", indent)


def _comment(text: str, indent: str = "") -> Iterator[str]:
    """Prose as comment lines; nothing in it can end a comment."""
    words = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    for line in textwrap.wrap(
        words, _WIDTH - len(indent) - 2, break_long_words=False, break_on_hyphens=False
    ):
        yield f"{indent}# {line}"
