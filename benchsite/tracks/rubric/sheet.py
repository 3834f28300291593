"""An evaluation sheet: the scores of one evaluator in one pass over one session. YAML in, a strict model out.

Owns the layout of specs/rubric.md, "The sheet". Refuses unknown keys, scores that are not whole numbers from 1 to 5,
aliases, anchors, tags and keys given twice. `join` checks what the named version demands.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Annotated, Final, NamedTuple, Self, TypeAlias

from pydantic import Field, ValidationError, model_validator

from benchsite import yaml_document
from benchsite.errors import InputError
from benchsite.methodology.instrument import Name
from benchsite.schema import Form, Semver, Slug, Text
from benchsite.tracks.rubric import sheet_words
from benchsite.tracks.rubric.payload import (
    MAX_EVIDENCE,
    MAX_QUESTIONS,
    Agent,
    Consent,
    CriterionRating,
    Date,
    EvaluatorKind,
    EvaluatorModel,
    Ordinal,
    Outcome,
    Prose,
    Said,
    Scope,
    Score,
)
from benchsite.tracks.rubric.sheet_words import Fault
from benchsite.yaml_document import MAX_BYTES, YamlDocument

_PLAIN: Final = (
    f"a sheet is plain YAML in UTF-8 of at most {MAX_BYTES:,} bytes: each key once, values written out, "
    "without anchors, aliases or tags"
)
MAX_CRITERIA: Final = 20
"""Enough to say which of a scenario's criteria are not the template's."""
_OPENING: Final = ((), ("methodology",), ("template",), ("agent",), ("agent", "name"))
_NOT_YAML: Final = re.compile("[^\\t\\n\\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Source(Form):
    """A piece of evidence: a file beside the sheet, an excerpt, or an excerpt of such a file."""

    file: Text | None = None
    excerpt: Said | None = None

    @model_validator(mode="after")
    def _something(self) -> Self:
        if self.file is None and self.excerpt is None:
            raise ValueError("evidence needs a file, an excerpt, or both")
        if self.excerpt is not None and not self.excerpt.strip():
            raise ValueError("the excerpt is blank")
        return self


Sources: TypeAlias = Annotated[tuple[Source, ...], Field(strict=False, max_length=MAX_EVIDENCE)]


class Criterion(CriterionRating):
    """The score of a criterion; without a note, an empty one."""

    note: Prose = ""


class Rating(Form):
    """The score of a dimension."""

    score: Score
    note: Prose = ""
    evidence: Sources = ()


Criteria: TypeAlias = Annotated[dict[Name, Criterion], Field(max_length=MAX_CRITERIA)]


class Question(Form):
    """One of several questions that a scenario's score is averaged from."""

    question: Said
    criteria: Criteria


Questions: TypeAlias = Annotated[
    tuple[Question, ...], Field(strict=False, min_length=2, max_length=MAX_QUESTIONS)
]


class Scenario(Form):
    """The scores of a scenario: of its one question, or of each question they are averaged from."""

    criteria: Criteria | None = None
    averaged_from: Questions | None = None
    evidence: Sources = ()

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.criteria is None) == (self.averaged_from is None):
            raise ValueError("a scenario has either criteria or averagedFrom, and not both")
        return self


class TestOutcome(Form):
    """The outcome of a required test."""

    __test__ = False  # pytest would collect it

    outcome: Outcome
    note: Said
    evidence: Sources = ()


class Evaluator(Form):
    """Who scored, and in which pass; `model` describes a model evaluator and is absent or null for a human."""

    name: Text
    kind: EvaluatorKind
    model: EvaluatorModel | None = None
    pass_: Annotated[Ordinal, Field(alias="pass")]
    conflict_of_interest: Said
    consent_to_publish: Consent


class Session(Form):
    """The scored session with the agent."""

    n: Ordinal
    date: Date


class Disclosures(Form):
    """What the evaluation discloses; the version decides which statements are required."""

    repeatability_tested: bool | None = None
    multi_step: Scope | None = None


class RequiredTests(Form):
    """The tests that methodology 1.1.0 and later require."""

    standardised_task: TestOutcome
    hallucination: TestOutcome
    invalid_input: TestOutcome


class Universal(Form):
    """The six dimensions."""

    u1: Annotated[Rating, Field(alias="U1")]
    u2: Annotated[Rating, Field(alias="U2")]
    u3: Annotated[Rating, Field(alias="U3")]
    u4: Annotated[Rating, Field(alias="U4")]
    u5: Annotated[Rating, Field(alias="U5")]
    u6: Annotated[Rating, Field(alias="U6")]


class Domain(Form):
    """The five scenarios."""

    d1: Annotated[Scenario, Field(alias="D1")]
    d2: Annotated[Scenario, Field(alias="D2")]
    d3: Annotated[Scenario, Field(alias="D3")]
    d4: Annotated[Scenario, Field(alias="D4")]
    d5: Annotated[Scenario, Field(alias="D5")]


class Sheet(Form):
    """A whole sheet."""

    methodology: Semver
    template: Slug
    agent: Agent
    evaluator: Evaluator
    session: Session
    disclosures: Disclosures | None = None
    required_tests: RequiredTests | None = None
    universal: Universal
    domain: Domain


class Opening(NamedTuple):
    """What must be known of a sheet before its rules can be looked up; `stated` is where it names their version."""

    methodology: str
    template: str
    agent: str
    stated: str


@lru_cache(maxsize=16)
def load(data: bytes, *, where: str) -> YamlDocument:
    """The YAML of a sheet, not yet validated; read once for its opening and for all of it.

    Raises:
        InputError: too large, not UTF-8, not YAML, or YAML of a kind that no sheet needs.
    """
    _require_text(data, where)
    try:
        return yaml_document.load(data, where, tags="refused")
    except yaml_document.YamlError as error:
        raise InputError(error.message, hint=_PLAIN) from None


def _require_text(data: bytes, where: str) -> None:
    """Name the line of what is not text, which the YAML reader does not."""
    if len(data) > MAX_BYTES:
        raise InputError(f"{where} is larger than {MAX_BYTES:,} bytes", hint=_PLAIN)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{where}, line {line}: not UTF-8 at byte {error.start}", hint=_PLAIN) from None
    odd = _NOT_YAML.search(text)
    if odd is not None:
        line = text.count("\n", 0, odd.start()) + 1
        raise InputError(
            f"{where}, line {line}: the character U+{ord(odd[0]):04X} is not allowed in YAML", hint=_PLAIN
        )


def opening(data: bytes, *, where: str) -> Opening:
    """Version, template and agent of a sheet; `join.hold` reports everything else.

    Raises:
        InputError: one of the three is wrong; every other fault of shape is named too.
    """
    document = load(data, where=where)
    _, found = read(document)
    if any(fault.path in _OPENING for fault in found):
        raise sheet_words.refusal(found)
    value = document.value
    stated = f"{where}, line {document.line(('methodology',))}: methodology"
    return Opening(value["methodology"], value["template"], value["agent"]["name"], stated)


def read(document: YamlDocument) -> tuple[Sheet | None, list[Fault]]:
    """The sheet if its shape is right, and else every fault of it."""
    try:
        return Sheet.model_validate(document.value), []
    except ValidationError as error:
        faults = [sheet_words.worded(document, item) for item in error.errors(include_url=False)]
        return None, list({fault.path: fault for fault in reversed(faults)}.values())[::-1]
