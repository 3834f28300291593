"""What each version of the methodology demands of sheets, and how its composite is made: specs/rubric.md, "Versions".

The same numbers stand under `parameters` in `methodology/rubric/<version>/methodology.yaml`, and a test holds them
together. They are here because a receipt is scored again without its methodology at hand, for ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

UNIVERSAL_WEIGHT: Final = Fraction(2, 5)
DOMAIN_WEIGHT: Final = Fraction(3, 5)
LOWEST: Final = 1
HIGHEST: Final = 5


@dataclass(frozen=True, slots=True)
class Rules:
    """One version's demands.

    Attributes:
        required_tests: the standardised task, the hallucination stress test and the invalid input must be recorded.
        disclosures: repeatability and the reading of U3 must be stated.
        averaging: a scenario may hold several questions whose scores are averaged.
        penalty: points taken off the composite when repeatability was not tested.
        sessions: the fewest sessions.
        sheets: the fewest sheets a session, of several evaluators or labelled passes of one.
        evidence: every score must have a note, every dimension and every scenario evidence, and each session a document
            of its own.
        intervals: means over sessions get a 95 % interval.
        repeatability_shown: the statement that repeatability was tested must say what the sessions show: more than one,
            the same questions in each, and where each cites evidence, some of its own.
    """

    required_tests: bool = True
    disclosures: bool = True
    averaging: bool = True
    penalty: int = 0
    sessions: int = 1
    sheets: int = 1
    evidence: bool = False
    intervals: bool = False
    repeatability_shown: bool = False


RULES: Final = {
    "1.0.0": Rules(required_tests=False, disclosures=False, averaging=False),
    "1.1.0": Rules(),
    "1.2.0": Rules(),
    "1.3.0": Rules(penalty=10, repeatability_shown=True),
    "2.0.0": Rules(sessions=3, sheets=2, evidence=True, intervals=True, repeatability_shown=True),
}
"""By methodology version: the versions this release can compute."""


def parameters(version: str) -> Mapping[str, Any] | None:
    """What `parameters` of a version's document must say; None where this release cannot compute the version."""
    rules = RULES.get(version)
    if rules is None:
        return None
    return {
        "universalWeight": str(UNIVERSAL_WEIGHT),
        "domainWeight": str(DOMAIN_WEIGHT),
        "lowest": LOWEST,
        "highest": HIGHEST,
        "requiredTests": rules.required_tests,
        "disclosures": rules.disclosures,
        "averaging": rules.averaging,
        "penalty": rules.penalty,
        "sessions": rules.sessions,
        "sheets": rules.sheets,
        "evidence": rules.evidence,
        "intervals": rules.intervals,
        "repeatabilityShown": rules.repeatability_shown,
    }
