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
    vendor: Text = Field(description="Who makes it.")


class Template(Schema):
    """The domain: a template of the methodology the receipt names."""

    slug: Slug = Field(description="Id of the template.")
    schema_name: SchemaName = Field(description="Name of the template in the methodology.")


class FalsePositiveProbe(Schema):
    """Planted wrong answers that a model evaluator scored, and how many of them it accepted."""

    planted: Annotated[int, Field(ge=1, le=MOST_PLANTED)] = Field(description="Planted wrong answers.")
    accepted: Annotated[int, Field(ge=0, le=MOST_PLANTED)] = Field(
        description="Those that the model accepted."
    )


class EvaluatorModel(Schema):
    """A model evaluator: which model, the prompt it was given, what it could see, and its false-positive probe.

    Null means not recorded (the prompt) and not measured (the probe).
    """

    name: Text = Field(description="Name and version of the model.")
    prompt_sha256: Sha256Hex | None = Field(description="SHA-256 of its prompt.")
    saw: Said = Field(description="What the model could see.")
    false_positive_probe: FalsePositiveProbe | None = Field(description="Result of the false-positive probe.")


EvaluatorKind: TypeAlias = Literal["human", "model"]


class Evaluator(Schema):
    """Who scored, by name or pseudonym; publication is consented to before anything is signed.

    `model` is null for a human; `violations` refuses the other combinations.
    """

    name: Text = Field(description="Name or pseudonym.")
    kind: EvaluatorKind = Field(description="Whether a human or a model rated.")
    model: EvaluatorModel | None = Field(description="The model; null for a human.")
    conflict_of_interest: Said = Field(description="Conflicts of interest, as declared.")
    consent_to_publish: Consent = Field(description="Consent to publication.")


class Sheet(Schema):
    """Where one sheet's scores come from: `evaluator` counts into `evaluators` from 0."""

    evaluator: Annotated[int, Field(ge=0, le=MAX_SHEETS - 1)] = Field(
        description="Index in `evaluators`, from 0."
    )
    pass_: Annotated[Ordinal, Field(alias="pass")] = Field(description="Number of the evaluator's pass.")
    session: Ordinal = Field(description="Number of the session.")
    date: Date = Field(description="Date of the evaluation.")


class EvidenceItem(Schema):
    """A document of the receipt's `evidence` by its SHA-256, and a quote from it.

    An excerpt without a document has the SHA-256 of its UTF-8 bytes.
    """

    sha256: Sha256Hex = Field(description="SHA-256 of the document.")
    excerpt: Said | None = Field(description="Quote from it.")


Items: TypeAlias = Annotated[tuple[EvidenceItem, ...], Field(strict=False, max_length=MAX_EVIDENCE)]


class Rating(Schema):
    """One sheet's score of a dimension."""

    score: Score = Field(description="Score from 1 to 5.")
    note: Prose = Field(description="Reason for the score.")
    evidence: Items = Field(description="Evidence for the score.")


class CriterionRating(Schema):
    """One sheet's score of a criterion."""

    score: Score = Field(description="Score from 1 to 5.")
    note: Prose = Field(description="Reason for the score.")


class Question(Schema):
    """What was asked in a scenario; `question` is null unless several were averaged."""

    question: Said | None = Field(description="The question; null for a single one.")
    criteria: Annotated[dict[Name, CriterionRating], Field(min_length=3, max_length=3)] = Field(
        description="Score of each criterion."
    )


class ScenarioRating(Schema):
    """One sheet's scores of a scenario: one question, or several that are averaged."""

    questions: Annotated[
        tuple[Question, ...], Field(strict=False, min_length=1, max_length=MAX_QUESTIONS)
    ] = Field(description="The questions asked.")
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
    """The six dimensions."""

    u1: Annotated[Ratings, Field(alias="U1")] = Field(description="Ratings of dimension U1, one per sheet.")
    u2: Annotated[Ratings, Field(alias="U2")] = Field(description="Ratings of dimension U2, one per sheet.")
    u3: Annotated[Ratings, Field(alias="U3")] = Field(description="Ratings of dimension U3, one per sheet.")
    u4: Annotated[Ratings, Field(alias="U4")] = Field(description="Ratings of dimension U4, one per sheet.")
    u5: Annotated[Ratings, Field(alias="U5")] = Field(description="Ratings of dimension U5, one per sheet.")
    u6: Annotated[Ratings, Field(alias="U6")] = Field(description="Ratings of dimension U6, one per sheet.")


class Domain(Schema):
    """The five scenarios."""

    d1: Annotated[Scenarios, Field(alias="D1")] = Field(description="Ratings of scenario D1, one per sheet.")
    d2: Annotated[Scenarios, Field(alias="D2")] = Field(description="Ratings of scenario D2, one per sheet.")
    d3: Annotated[Scenarios, Field(alias="D3")] = Field(description="Ratings of scenario D3, one per sheet.")
    d4: Annotated[Scenarios, Field(alias="D4")] = Field(description="Ratings of scenario D4, one per sheet.")
    d5: Annotated[Scenarios, Field(alias="D5")] = Field(description="Ratings of scenario D5, one per sheet.")


class RequiredTests(Schema):
    """The tests that methodology 1.1.0 and later require; null where a version required none."""

    standardised_task: Results = Field(description="The universal standardized task.")
    hallucination: Results = Field(description="A question with an untrue or uncheckable premise.")
    invalid_input: Results = Field(description="An input that is malformed or contradicts itself.")


class Disclosures(Schema):
    """What the evaluation discloses; null where the version did not ask."""

    repeatability_tested: bool | None = Field(description="Whether repeatability was tested.")
    multi_step: Scope | None = Field(
        description="Whether dependent steps were asked for in one message or over several turns."
    )


class Agreement(Schema):
    """Whose scores were compared: different evaluators', or one evaluator's passes. Its figures are in `scores`."""

    kind: Literal["inter-rater", "intra-rater"] = Field(
        description="Between evaluators, or between passes of one."
    )
    raters: Annotated[int, Field(ge=2, le=MAX_SHEETS)] = Field(description="Evaluators or passes compared.")
    units: Annotated[int, Field(ge=1)] = Field(description="Scores that each of them gave.")


class Denominator(Schema):
    """How many values a mean is over, and how many could not be used."""

    den: Annotated[int, Field(ge=0)] = Field(description="Values counted.")
    excluded: Annotated[int, Field(ge=0)] = Field(description="Values excluded.")


class Interval(Schema):
    """95% CI of a mean over sessions, from Student's t."""

    low: float = Field(description="Lower bound.")
    high: float = Field(description="Upper bound.")
    method: Literal["t"] = Field(description="How it is computed.")


MAX_METRICS: Final = 40


class Payload(Schema):
    """Every key of a rubric receipt that the envelope does not know."""

    agent: Agent = Field(description="Which agent was evaluated.")
    template: Template = Field(description="The domain.")
    evaluators: Annotated[tuple[Evaluator, ...], Field(strict=False, min_length=1, max_length=MAX_SHEETS)] = (
        Field(description="Who rated the agent.")
    )
    sheets: Annotated[tuple[Sheet, ...], Field(strict=False, min_length=1, max_length=MAX_SHEETS)] = Field(
        description="Evaluator, pass, session and date of each sheet."
    )
    universal: Universal = Field(
        description="Ratings of the six universal dimensions, in the order of `sheets`."
    )
    domain: Domain = Field(description="Ratings of the five scenarios, in the order of `sheets`.")
    required_tests: RequiredTests | None = Field(description="Outcomes of the required tests.")
    disclosures: Disclosures = Field(description="What the evaluation discloses.")
    agreement: Agreement | None = Field(
        description="Whose ratings were compared; null where no session was rated twice."
    )
    scores: Annotated[dict[Metric, float], Field(max_length=MAX_METRICS)] = Field(
        description="Every score, by metric."
    )
    exact: Annotated[dict[Metric, Fraction], Field(max_length=MAX_METRICS)] = Field(
        description="The same scores as fractions."
    )
    denominators: Annotated[dict[Metric, Denominator], Field(max_length=MAX_METRICS)] = Field(
        description="What each score counts."
    )
    intervals: Annotated[dict[Metric, Interval], Field(max_length=MAX_METRICS)] = Field(
        description="The 95% CI of each headline score."
    )


class Config(Schema):
    """What decides the scores besides the methodology: the SHA-256 of each sheet, in the order of `sheets`."""

    sheets: Annotated[tuple[Sha256Hex, ...], Field(strict=False, min_length=1, max_length=MAX_SHEETS)] = (
        Field(description="SHA-256 of each sheet.")
    )
    subject_sha256: None = Field(description="Always null: the agent is not software of this repository.")
