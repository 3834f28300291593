"""The rubric track's own keys of a receipt, and its `config`: schema 1.0.0.

Owns their shape (specs/rubric.md; DESIGN.md "Receipts"). A receipt holds every score of every sheet with its note and
evidence, so that every number can be recomputed. Lists run parallel to `sheets`: entry i of a dimension is what sheet i
says. Further demands of a version belong to `rules` and `verification`.

Refuses unknown keys, scores outside 1 to 5 and an unbounded number of sheets: re-scoring comes before any signature is
checked, so its cost is bounded.
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
MOST_PLANTED: Final = 10_000
"""Most wrong answers that a false-positive probe may count."""

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
    """The evaluated agent."""

    name: Text = Field(description="Name of the agent.")
    version: Text = Field(description="Version of the agent.")
    vendor: Text = Field(description="Vendor of the agent.")


class Template(Schema):
    """Domain template of the receipt's methodology."""

    slug: Slug = Field(description="Template id, such as `customer-service`.")
    schema_name: SchemaName = Field(description="Schema name of the template, such as `customer_service_v1`.")


class FalsePositiveProbe(Schema):
    """Wrong answers planted for a model evaluator, and how many it accepted."""

    planted: Annotated[int, Field(ge=1, le=MOST_PLANTED)] = Field(
        description="Number of planted wrong answers."
    )
    accepted: Annotated[int, Field(ge=0, le=MOST_PLANTED)] = Field(
        description="Number of planted answers that the model accepted."
    )


class EvaluatorModel(Schema):
    """Model evaluator: the model, its prompt, what it could see, and its false-positive probe."""

    name: Text = Field(description="Name and version of the model.")
    prompt_sha256: Sha256Hex | None = Field(
        description="SHA-256 of the complete prompt; null if not recorded."
    )
    saw: Said = Field(description="What the model could see.")
    false_positive_probe: FalsePositiveProbe | None = Field(
        description="Result of the false-positive probe; null if not measured."
    )


EvaluatorKind: TypeAlias = Literal["human", "model"]


class Evaluator(Schema):
    """Human or model that scored, by name or pseudonym; consents to publication before anything is signed."""

    name: Text = Field(description="Name or pseudonym of the evaluator.")
    kind: EvaluatorKind = Field(description="Whether the evaluator is a human or a model.")
    model: EvaluatorModel | None = Field(description="Description of the model; null for a human.")
    conflict_of_interest: Said = Field(description="Conflict-of-interest statement.")
    consent_to_publish: Consent = Field(description="Consent to publication; always true.")


class Sheet(Schema):
    """Source of one sheet's scores: evaluator, pass and session."""

    evaluator: Annotated[int, Field(ge=0, le=MAX_SHEETS - 1)] = Field(
        description="Index in `evaluators`, from 0."
    )
    pass_: Annotated[Ordinal, Field(alias="pass")] = Field(description="Pass number, from 1.")
    session: Ordinal = Field(description="Session number, from 1.")
    date: Date = Field(description="Date of the session.")


class EvidenceItem(Schema):
    """Document in the receipt's `evidence`, a quote from it, or a quote without a document."""

    sha256: Sha256Hex = Field(description="SHA-256 of the document, or of a quote without a document.")
    excerpt: Said | None = Field(description="Quote; null for a whole document.")


Items: TypeAlias = Annotated[tuple[EvidenceItem, ...], Field(strict=False, max_length=MAX_EVIDENCE)]


class Rating(Schema):
    """One sheet's score for a dimension."""

    score: Score = Field(description="Score from 1 to 5.")
    note: Prose = Field(description="Reason for the score.")
    evidence: Items = Field(description="Evidence for the score.")


class CriterionRating(Schema):
    """One sheet's score for a criterion."""

    score: Score = Field(description="Score from 1 to 5.")
    note: Prose = Field(description="Reason for the score.")


class Question(Schema):
    """Question asked in a scenario."""

    question: Said | None = Field(description="Text of the question; null for a single one.")
    criteria: Annotated[dict[Name, CriterionRating], Field(min_length=3, max_length=3)] = Field(
        description="Score and note for each criterion."
    )


class ScenarioRating(Schema):
    """One sheet's scores for a scenario: one question, or several that are averaged."""

    questions: Annotated[
        tuple[Question, ...], Field(strict=False, min_length=1, max_length=MAX_QUESTIONS)
    ] = Field(description="Questions asked, with their scores.")
    evidence: Items = Field(description="Evidence for the scores.")


class TestResult(Schema):
    """The outcome of a required test in one sheet's session."""

    __test__ = False  # pytest would collect it

    outcome: Outcome = Field(description="Outcome of the test.")
    note: Said = Field(description="What was observed.")
    evidence: Items = Field(description="Evidence for the outcome.")


Ratings: TypeAlias = Annotated[tuple[Rating, ...], Field(strict=False, max_length=MAX_SHEETS)]
Scenarios: TypeAlias = Annotated[tuple[ScenarioRating, ...], Field(strict=False, max_length=MAX_SHEETS)]
Results: TypeAlias = Annotated[tuple[TestResult, ...], Field(strict=False, max_length=MAX_SHEETS)]


class Universal(Schema):
    """The six universal dimensions."""

    u1: Annotated[Ratings, Field(alias="U1")] = Field(description="Ratings of dimension U1, one per sheet.")
    u2: Annotated[Ratings, Field(alias="U2")] = Field(description="Ratings of dimension U2, one per sheet.")
    u3: Annotated[Ratings, Field(alias="U3")] = Field(description="Ratings of dimension U3, one per sheet.")
    u4: Annotated[Ratings, Field(alias="U4")] = Field(description="Ratings of dimension U4, one per sheet.")
    u5: Annotated[Ratings, Field(alias="U5")] = Field(description="Ratings of dimension U5, one per sheet.")
    u6: Annotated[Ratings, Field(alias="U6")] = Field(description="Ratings of dimension U6, one per sheet.")


class Domain(Schema):
    """The five domain scenarios."""

    d1: Annotated[Scenarios, Field(alias="D1")] = Field(description="Ratings of scenario D1, one per sheet.")
    d2: Annotated[Scenarios, Field(alias="D2")] = Field(description="Ratings of scenario D2, one per sheet.")
    d3: Annotated[Scenarios, Field(alias="D3")] = Field(description="Ratings of scenario D3, one per sheet.")
    d4: Annotated[Scenarios, Field(alias="D4")] = Field(description="Ratings of scenario D4, one per sheet.")
    d5: Annotated[Scenarios, Field(alias="D5")] = Field(description="Ratings of scenario D5, one per sheet.")


class RequiredTests(Schema):
    """Tests required by methodology 1.1.0 and later."""

    standardised_task: Results = Field(description="Universal standardized task, one result per sheet.")
    hallucination: Results = Field(description="Hallucination stress test, one result per sheet.")
    invalid_input: Results = Field(description="Invalid-input test, one result per sheet.")


class Disclosures(Schema):
    """Disclosures of the evaluation; null if the version doesn't require them."""

    repeatability_tested: bool | None = Field(description="Whether repeatability was tested.")
    multi_step: Scope | None = Field(
        description="Whether U3 was tested in a single message or over several turns."
    )


class Agreement(Schema):
    """Agreement between evaluators, or between one evaluator's passes; its values are in `scores`."""

    kind: Literal["inter-rater", "intra-rater"] = Field(
        description="Between evaluators, or between passes of one evaluator."
    )
    raters: Annotated[int, Field(ge=2, le=MAX_SHEETS)] = Field(
        description="Number of evaluators or passes compared."
    )
    units: Annotated[int, Field(ge=1)] = Field(
        description="Number of items scored by at least two raters in a session."
    )


class Denominator(Schema):
    """Values that a score counts and excludes."""

    den: Annotated[int, Field(ge=0)] = Field(description="Number of values counted.")
    excluded: Annotated[int, Field(ge=0)] = Field(description="Number of values excluded.")


class Interval(Schema):
    """95% CI of a mean over sessions, from Student's t."""

    low: float = Field(description="Lower bound.")
    high: float = Field(description="Upper bound.")
    method: Literal["t"] = Field(description="Student's t.")


MAX_METRICS: Final = 40


class Payload(Schema):
    """Every key of a rubric receipt that the envelope does not know."""

    agent: Agent = Field(description="Evaluated agent.")
    template: Template = Field(description="Domain template.")
    evaluators: Annotated[tuple[Evaluator, ...], Field(strict=False, min_length=1, max_length=MAX_SHEETS)] = (
        Field(description="Evaluators of the agent.")
    )
    sheets: Annotated[tuple[Sheet, ...], Field(strict=False, min_length=1, max_length=MAX_SHEETS)] = Field(
        description="Evaluator, pass, session and date of each sheet."
    )
    universal: Universal = Field(
        description="Ratings of the six universal dimensions, in the order of `sheets`."
    )
    domain: Domain = Field(description="Ratings of the five scenarios, in the order of `sheets`.")
    required_tests: RequiredTests | None = Field(
        description="Outcomes of the required tests; null if the version has none."
    )
    disclosures: Disclosures = Field(description="Disclosures of the evaluation.")
    agreement: Agreement | None = Field(
        description="Raters and units compared; null if no session has two raters."
    )
    scores: Annotated[dict[Metric, float], Field(max_length=MAX_METRICS)] = Field(
        description="Scores by metric, rounded to two decimals."
    )
    exact: Annotated[dict[Metric, Fraction], Field(max_length=MAX_METRICS)] = Field(
        description="Scores as exact fractions, by metric."
    )
    denominators: Annotated[dict[Metric, Denominator], Field(max_length=MAX_METRICS)] = Field(
        description="Denominator of each score, by metric."
    )
    intervals: Annotated[dict[Metric, Interval], Field(max_length=MAX_METRICS)] = Field(
        description="95% CI of the composite, universal and domain scores, if the version has them."
    )


class Config(Schema):
    """Sheets of the receipt, by hash."""

    sheets: Annotated[tuple[Sha256Hex, ...], Field(strict=False, min_length=1, max_length=MAX_SHEETS)] = (
        Field(description="SHA-256 of each sheet, in the order of `sheets`.")
    )
    subject_sha256: None = Field(description="Always null: the agent is not part of this repository.")
