"""The rubric's scoring engines: what `parameters` of a methodology document may say (specs/rubric.md, "Scoring").

Both score six dimensions, five scenarios and three criteria from 1 to 5; weights, penalty and demands are the document's.
`rubric/1` is that of the 1.x versions: one session and one sheet are enough, and there are no intervals. `rubric/2` may
demand several, and evidence. Refuses weights that do not add up to 1, and more sheets than a receipt can hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Final, Literal, Self, TypeAlias

from pydantic import BeforeValidator, Field, StringConstraints, ValidationInfo, model_validator

from benchsite.errors import BenchsiteError
from benchsite.methodology import Methodology
from benchsite.methodology.engine import require_engine
from benchsite.schema import Form
from benchsite.tracks.rubric.sentences import said

LOWEST: Final = 1
HIGHEST: Final = 5

Weight: TypeAlias = Annotated[str, StringConstraints(pattern=r"^(0|[1-9][0-9]{0,3})/[1-9][0-9]{0,3}$")]
One: TypeAlias = Annotated[int, Field(ge=1, le=1)]


def _is_false(value: object) -> object:
    """For Python 0 equals false, and a literal takes whatever equals it."""
    if value is not False:
        raise ValueError("must be false")
    return value


Never: TypeAlias = Annotated[Literal[False], BeforeValidator(_is_false)]


class Rules(Form):
    """One version's demands, and how its composite is made: the parameters of `rubric/2`.

    Attributes:
        universal_weight: the share of the universal score in the composite, `p/q`; with `domain_weight` 1.
        required_tests: the standardized task, the hallucination stress test and the invalid input must be recorded.
        disclosures: repeatability and the reading of U3 must be stated.
        averaging: a scenario may hold several questions whose scores are averaged.
        penalty: points taken off the composite when repeatability was not tested.
        sessions: the fewest sessions.
        sheets: the fewest sheets a session, of several evaluators or labeled passes of one.
        evidence: every score must have a note, every dimension and every scenario evidence, and each session its own
            document.
        intervals: means over sessions get a 95% CI.
        repeatability_shown: the statement that repeatability was tested must say what the sessions show: more than one,
            the same questions in each, and where each cites evidence, some of its own.
    """

    universal_weight: Weight
    domain_weight: Weight
    lowest: Annotated[int, Field(ge=LOWEST, le=LOWEST)]
    highest: Annotated[int, Field(ge=HIGHEST, le=HIGHEST)]
    required_tests: bool
    disclosures: bool
    averaging: bool
    penalty: Annotated[int, Field(ge=0, le=100)]
    sessions: Annotated[int, Field(ge=1, le=20)]
    sheets: Annotated[int, Field(ge=1, le=10)]
    evidence: bool
    intervals: bool
    repeatability_shown: bool

    @property
    def universal_share(self) -> str:
        """How much the universal score counts: `40%`, or the fraction where that is no whole number."""
        return _share(self.universal_weight)

    @property
    def domain_share(self) -> str:
        """How much the domain score counts."""
        return _share(self.domain_weight)

    @model_validator(mode="after")
    def _whole(self, info: ValidationInfo) -> Self:
        wrong = []
        if Fraction(self.universal_weight) + Fraction(self.domain_weight) != 1:
            wrong.append(said("other-sum"))
        instrument = info.context["document"].instrument if info.context else None
        if instrument is not None:
            if self.required_tests and not instrument.required_tests:
                wrong.append("requiredTests is true, and instrument.requiredTests lists none")
            if self.disclosures and not instrument.disclosures:
                wrong.append("disclosures is true, and instrument.disclosures lists none")
        if wrong:
            raise ValueError("; ".join(wrong))
        return self


def _share(weight: str) -> str:
    percent = 100 * Fraction(weight)
    return f"{percent}%" if percent.denominator == 1 else weight


class SingleRules(Rules):
    """The parameters of `rubric/1`."""

    sessions: One
    sheets: One
    evidence: Never
    intervals: Never


ENGINES: Final[Mapping[str, type[Rules]]] = {"rubric/1": SingleRules, "rubric/2": Rules}


def rules(methodology: Methodology) -> Rules:
    """What a document demands; raises as `require_engine` does."""
    require_engine(methodology, ENGINES)
    return ENGINES[methodology.engine].model_validate(methodology.data.parameters)


def known_rules(methodology: Methodology | None) -> Rules | None:
    """The same for pages; None where the document is not at hand, or this release cannot compute it."""
    try:
        return None if methodology is None else rules(methodology)
    except BenchsiteError:
        return None
