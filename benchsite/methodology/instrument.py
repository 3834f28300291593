"""What evaluators score with: required tests, disclosures, dimensions with anchors, domain templates.

The part of a methodology's data that a track scored by people has and a track scored by programs has not. Owns its
shape (specs/rubric.md). Refuses a dimension whose anchors do not cover the whole scale, a template that has not five
scenarios of three criteria, and any id given twice: sheets, receipts and links name parts by id.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Final, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from benchsite.schema import Form, Slug

__all__ = [
    "DIMENSIONS",
    "SCENARIOS",
    "Criterion",
    "Dimension",
    "Disclosure",
    "Instrument",
    "Level",
    "RequiredTest",
    "Scenario",
    "Template",
]

DIMENSIONS: Final = ("U1", "U2", "U3", "U4", "U5", "U6")
SCENARIOS: Final = ("D1", "D2", "D3", "D4", "D5")
CRITERIA: Final = 3
MAX_TEMPLATES: Final = 100

Level = Literal["5", "4", "3", "2", "1"]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-zA-Z0-9]{0,39}$")]
"""A key of a sheet: camelCase."""
SchemaName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,79}$")]


class RequiredTest(Form):
    """A test every session must hold; `feeds` is the dimension whose score rests on it."""

    id: Literal["standardisedTask", "hallucination", "invalidInput"]
    title: str
    instruction: str
    desired: str
    failure: str
    feeds: str | None = None


class Disclosure(Form):
    """A fact every published evaluation must state, and the words it may be stated in."""

    id: Literal["repeatabilityTested", "multiStep"]
    title: str
    text: str


class Dimension(Form):
    """A universal capability, scored from 1 to 5; `anchors` says what each score means, none or all five."""

    id: Literal["U1", "U2", "U3", "U4", "U5", "U6"]
    title: str
    question: str
    note: str | None = None
    anchors: Annotated[dict[Level, str], Field(default_factory=dict)]

    @model_validator(mode="after")
    def _whole_scale(self) -> Self:
        if self.anchors and len(self.anchors) != 5:
            raise ValueError(f"{self.id} has anchors for some scores only: give all of 1 to 5, or none")
        return self


class Criterion(Form):
    """One of the three things every scenario of a template is scored on, from 1 to 5."""

    id: Name
    title: str
    question: str | None = None


class Scenario(Form):
    """One of the five tasks of a template; `setup` says what the evaluator prepares, `look_for` what to watch."""

    id: Literal["D1", "D2", "D3", "D4", "D5"]
    title: str
    task: str
    setup: str | None = None
    look_for: str | None = None


class Template(Form):
    """A domain: five scenarios, three criteria. `schema_name` is the name the first public versions used."""

    slug: Slug
    schema_name: SchemaName
    title: str
    summary: str | None = None
    examples: Annotated[tuple[str, ...], Field(strict=False)] = ()
    criteria: Annotated[tuple[Criterion, ...], Field(strict=False, min_length=CRITERIA, max_length=CRITERIA)]
    scenarios: Annotated[tuple[Scenario, ...], Field(strict=False)]

    @model_validator(mode="after")
    def _five_scenarios(self) -> Self:
        if tuple(item.id for item in self.scenarios) != SCENARIOS:
            raise ValueError(f"{self.slug} must have the scenarios {', '.join(SCENARIOS)}, in this order")
        _distinct((item.id for item in self.criteria), f"criterion of {self.slug}")
        return self


class Instrument(Form):
    """Everything an evaluator reads while scoring.

    Attributes:
        required_tests: what every session must hold; empty where the version requires none.
        disclosures: what every evaluation must state; empty where the version requires nothing.
        criterion_anchors: what each score of a criterion means, where the version says so.
        repeatability: what the version says about repeated sessions, paragraph by paragraph.
    """

    required_tests: Annotated[tuple[RequiredTest, ...], Field(strict=False)] = ()
    disclosures: Annotated[tuple[Disclosure, ...], Field(strict=False)] = ()
    dimensions: Annotated[tuple[Dimension, ...], Field(strict=False)]
    criterion_anchors: Annotated[dict[Level, str], Field(default_factory=dict)]
    templates: Annotated[tuple[Template, ...], Field(strict=False, min_length=1, max_length=MAX_TEMPLATES)]
    repeatability: Annotated[tuple[str, ...], Field(strict=False)] = ()

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if tuple(item.id for item in self.dimensions) != DIMENSIONS:
            raise ValueError(f"the dimensions must be {', '.join(DIMENSIONS)}, in this order")
        if self.criterion_anchors and len(self.criterion_anchors) != 5:
            raise ValueError("criterionAnchors must have all of 1 to 5, or none")
        _distinct((item.slug for item in self.templates), "template")
        _distinct((item.id for item in self.required_tests), "required test")
        _distinct((item.id for item in self.disclosures), "disclosure")
        return self

    def template(self, slug: str) -> Template | None:
        """The template of a slug, if this version has it."""
        return next((item for item in self.templates if item.slug == slug), None)


def _distinct(names: Iterable[str], what: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"the {what} {name} is given twice")
        seen.add(name)
