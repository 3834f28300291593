"""The rubric track's own keys of a receipt, and its `config`: schema 1.0.0.

Owns their shape (specs/rubric.md; DESIGN.md "Receipts"). A receipt holds every score of every sheet with its note and
evidence, so that all its numbers can be computed again. Lists run parallel to `sheets`: entry i of a dimension is what
sheet i says. What a version demands besides is `rules`' and `verification`'s business.

Refuses unknown keys, scores outside 1 to 5 and sheets without number: scoring again comes before any signature is
checked, so what it costs is bounded.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BeforeValidator, Field, StringConstraints

from benchsite.methodology.instrument import Name, SchemaName
from benchsite.schema import Schema, Sha256Hex, Slug, Text

MAX_SHEETS: Final = 200
MAX_QUESTIONS: Final = 10
MAX_EVIDENCE: Final = 20
LONGEST_PROSE: Final = 4_000

Score: TypeAlias = Annotated[int, Field(ge=1, le=5)]
Ordinal: TypeAlias = Annotated[int, Field(ge=1, le=MAX_SHEETS)]
Metric: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
Fraction: TypeAlias = Annotated[str, StringConstraints(pattern=r"^-?(0|[1-9][0-9]{0,99})/[1-9][0-9]{0,99}$")]
DATE: Final = r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"
Date: TypeAlias = Annotated[str, StringConstraints(pattern=DATE)]
# Prose of an evaluator or a transcript: lines of text, and no control character but line feed and tab.
Prose: TypeAlias = Annotated[
    str, StringConstraints(pattern=r"^[^\x00-\x08\x0b-\x1f\x7f-\x9f]*$", max_length=LONGEST_PROSE)
]
Said: TypeAlias = Annotated[Prose, StringConstraints(min_length=1)]


def _is_true(value: object) -> object:
    """For Python 1 equals true, and a literal takes whatever equals it."""
    if value is not True:
        raise ValueError("must be true")
    return value


Consent: TypeAlias = Annotated[Literal[True], BeforeValidator(_is_true)]

TESTS: Final = ("standardisedTask", "hallucination", "invalidInput")
Outcome: TypeAlias = Literal["pass", "partial", "fail"]
Scope: TypeAlias = Literal["single-message", "multi-turn"]


class Agent(Schema):
    """What was evaluated."""

    name: Text
    version: Text
    vendor: Text


class Template(Schema):
    """The domain: a template of the methodology the receipt names."""

    slug: Slug
    schema_name: SchemaName


class Evaluator(Schema):
    """Who scored, by name or pseudonym; publication is consented to before anything is signed."""

    name: Text
    conflict_of_interest: Said
    consent_to_publish: Consent


class Sheet(Schema):
    """Where one sheet's scores come from: `evaluator` counts into `evaluators` from 0."""

    evaluator: Annotated[int, Field(ge=0, lt=MAX_SHEETS)]
    pass_: Annotated[Ordinal, Field(alias="pass")]
    session: Ordinal
    date: Date


class EvidenceItem(Schema):
    """A document of the receipt's `evidence` by its sha256, and the words in it that matter.

    Words without a document stand for themselves: the sha256 is then that of their UTF-8 bytes.
    """

    sha256: Sha256Hex
    excerpt: Said | None


Items: TypeAlias = Annotated[tuple[EvidenceItem, ...], Field(strict=False, max_length=MAX_EVIDENCE)]


class Rating(Schema):
    """One sheet's score of a dimension."""

    score: Score
    note: Prose
    evidence: Items


class CriterionRating(Schema):
    """One sheet's score of a criterion."""

    score: Score
    note: Prose


class Question(Schema):
    """What was asked in a scenario; `question` is null unless several were averaged."""

    question: Said | None
    criteria: Annotated[dict[Name, CriterionRating], Field(min_length=3, max_length=3)]


class ScenarioRating(Schema):
    """One sheet's scores of a scenario: one question, or several that are averaged."""

    questions: Annotated[tuple[Question, ...], Field(strict=False, min_length=1, max_length=MAX_QUESTIONS)]
    evidence: Items


class TestResult(Schema):
    """What came of a required test in one sheet's session."""

    __test__ = False  # pytest would collect it

    outcome: Outcome
    note: Said
    evidence: Items


Ratings: TypeAlias = Annotated[tuple[Rating, ...], Field(strict=False, max_length=MAX_SHEETS)]
Scenarios: TypeAlias = Annotated[tuple[ScenarioRating, ...], Field(strict=False, max_length=MAX_SHEETS)]
Results: TypeAlias = Annotated[tuple[TestResult, ...], Field(strict=False, max_length=MAX_SHEETS)]


class Universal(Schema):
    """The six dimensions."""

    u1: Annotated[Ratings, Field(alias="U1")]
    u2: Annotated[Ratings, Field(alias="U2")]
    u3: Annotated[Ratings, Field(alias="U3")]
    u4: Annotated[Ratings, Field(alias="U4")]
    u5: Annotated[Ratings, Field(alias="U5")]
    u6: Annotated[Ratings, Field(alias="U6")]


class Domain(Schema):
    """The five scenarios."""

    d1: Annotated[Scenarios, Field(alias="D1")]
    d2: Annotated[Scenarios, Field(alias="D2")]
    d3: Annotated[Scenarios, Field(alias="D3")]
    d4: Annotated[Scenarios, Field(alias="D4")]
    d5: Annotated[Scenarios, Field(alias="D5")]


class RequiredTests(Schema):
    """The tests that methodology 1.1.0 and later require; null where a version required none."""

    standardised_task: Results
    hallucination: Results
    invalid_input: Results


class Disclosures(Schema):
    """What the evaluation discloses; null where the version did not ask."""

    repeatability_tested: bool | None
    multi_step: Scope | None


class Agreement(Schema):
    """Whose scores were compared: different evaluators', or one evaluator's passes. Its figures are in `scores`."""

    kind: Literal["inter-rater", "intra-rater"]
    raters: Annotated[int, Field(ge=2, le=MAX_SHEETS)]
    units: Annotated[int, Field(ge=1)]


class Denominator(Schema):
    """How many values a mean is over, and how many could not be used."""

    den: Annotated[int, Field(ge=0)]
    excluded: Annotated[int, Field(ge=0)]


class Interval(Schema):
    """95 % interval of a mean over sessions, from Student's t."""

    low: float
    high: float
    method: Literal["t"]


MAX_METRICS: Final = 40


class Payload(Schema):
    """Every key of a rubric receipt that the envelope does not know."""

    agent: Agent
    template: Template
    evaluators: Annotated[tuple[Evaluator, ...], Field(strict=False, min_length=1, max_length=MAX_SHEETS)]
    sheets: Annotated[tuple[Sheet, ...], Field(strict=False, min_length=1, max_length=MAX_SHEETS)]
    universal: Universal
    domain: Domain
    required_tests: RequiredTests | None
    disclosures: Disclosures
    agreement: Agreement | None
    scores: Annotated[dict[Metric, float], Field(max_length=MAX_METRICS)]
    exact: Annotated[dict[Metric, Fraction], Field(max_length=MAX_METRICS)]
    denominators: Annotated[dict[Metric, Denominator], Field(max_length=MAX_METRICS)]
    intervals: Annotated[dict[Metric, Interval], Field(max_length=MAX_METRICS)]


class Config(Schema):
    """What decides the scores besides the rules: the sheets, by the sha256 of their bytes, in the order of `sheets`."""

    sheets: Annotated[tuple[Sha256Hex, ...], Field(strict=False, min_length=1, max_length=MAX_SHEETS)]
    subject_sha256: None
