"""The scoring engines of the track, and what a methodology document hands to each: specs/rubric.md, "Versions"."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from benchsite.schema import Form, Schema

__all__ = ["ENGINES", "Parameters"]

_Fraction = Annotated[str, Field(pattern=r"^[0-9]{1,6}/[1-9][0-9]{0,5}$")]


class Parameters(Form):
    """What both engines go by."""

    universal_weight: _Fraction
    domain_weight: _Fraction
    lowest: Literal[1]
    highest: Literal[5]
    required_tests: bool
    disclosures: bool
    averaging: bool
    penalty: Annotated[int, Field(ge=0, le=100)]
    sessions: Annotated[int, Field(ge=1, le=100)]
    sheets: Annotated[int, Field(ge=1, le=100)]
    evidence: bool
    intervals: bool
    repeatability_shown: bool


ENGINES: Final[dict[str, type[Schema]]] = {"rubric/1": Parameters, "rubric/2": Parameters}
