"""The body of a receipt. The answers are evidence of their own, one JSON object a line."""

from typing import Annotated, Literal

from pydantic import Field

from benchsite.schema import Schema, Seen, Sha256Hex, Slug

Count = Annotated[int, Field(ge=0)]


class System(Schema):
    name: Slug
    version: Seen


class FixtureRef(Schema):
    id: Slug
    sha256: Sha256Hex


class Scores(Schema):
    accuracy: float


class Denominator(Schema):
    num: Count
    den: Count
    excluded: Count


class Denominators(Schema):
    accuracy: Denominator


class Interval(Schema):
    low: float
    high: float
    method: Literal["wilson"]


class Intervals(Schema):
    accuracy: Interval


class Payload(Schema):
    system: System
    fixture: FixtureRef
    scores: Scores
    denominators: Denominators
    intervals: Intervals


class Config(Schema):
    seed: Count
    limit: Annotated[int, Field(ge=1)] | None
    subject_sha256: Sha256Hex
