"""The retrieval track's own keys of a receipt, and its `config`: schema 1.0.0.

Owns their shape (specs/retrieval.md "Metrics"; DESIGN.md "Receipts"). Relations between the numbers are
``violations``' business. Refuses unknown keys, numbers that are not finite, and free text from a subject: an
error is one of four codes. Refuses too what would make scoring again costly: tables and cut-offs without number.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field, StringConstraints, field_validator

from benchsite.schema import Schema, Seen, Sha256Hex, Slug, Text
from benchsite.stats import MAX_RANK

Count: TypeAlias = Annotated[int, Field(ge=0)]
Positive: TypeAlias = Annotated[int, Field(ge=1)]
Amount: TypeAlias = Annotated[float, Field(ge=0)]
Grade: TypeAlias = Annotated[int, Field(ge=-1_000, le=1_000)]
Seed: TypeAlias = Annotated[int, Field(ge=0, le=2**53 - 1)]
Metric: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]

# Scoring again is made before any signature is checked, so what it costs is bounded by more than the file's size:
# every cut-off is a column of work for every query, and every category a table of its own.
MAX_CUTS: Final = 20
MAX_METRICS: Final = 200
"""More than scoring can emit: 20 cut-offs give 123 names."""
MAX_CATEGORIES: Final = 200
Scores: TypeAlias = Annotated[dict[Metric, float], Field(max_length=MAX_METRICS)]
Scalar: TypeAlias = str | int | float | bool | None

# An id of no item of the fixture is recorded as `?` and 12 hex digits of its sha256: a subject's text stays out.
Retrieved: TypeAlias = Text


class Adapter(Schema):
    """The measured system; where ``hosted``, its version is what it claims.

    ``network`` is what the adapter declares to need, ``networkAccess`` what it had: "not blocked" where the machine
    does not permit to cut it off.
    """

    name: Slug
    version: Seen
    author: Seen
    hosted: bool
    network: bool
    network_access: Literal["off", "allowed", "not blocked"]


class Fixture(Schema):
    """What was measured on: ``n`` items, and how many queries and scopes the whole fixture has.

    ``smallestScope`` is the size of its smallest scope: cut-offs from there on are saturated.
    """

    id: Slug
    sha256: Sha256Hex
    n: Positive
    queries: Positive
    scopes: Positive
    smallest_scope: Positive
    granularity: Literal["turn", "session", "document"]


class Denominator(Schema):
    """Queries scored and left out; ``num`` for shares only."""

    num: Count | None = None
    den: Count
    excluded: Count


class Interval(Schema):
    """95 % interval of a score."""

    low: float
    high: float
    method: Literal["wilson", "bootstrap"]


Denominators: TypeAlias = Annotated[dict[Metric, Denominator], Field(max_length=MAX_METRICS)]
Intervals: TypeAlias = Annotated[dict[Metric, Interval], Field(max_length=MAX_METRICS)]


class Table(Schema):
    """Scores of one category of queries."""

    scores: Scores
    denominators: Denominators
    intervals: Intervals


class Timing(Schema):
    """Outside the scores: never ranked across machines. Milliseconds, items a second, bytes; null is unknown."""

    latency_p50_ms: Annotated[Amount | None, Field(alias="latency_p50_ms")]
    latency_p95_ms: Annotated[Amount | None, Field(alias="latency_p95_ms")]
    latency_p99_ms: Annotated[Amount | None, Field(alias="latency_p99_ms")]
    latency_min_ms: Annotated[Amount | None, Field(alias="latency_min_ms")]
    latency_max_ms: Annotated[Amount | None, Field(alias="latency_max_ms")]
    percentile_method: Literal["nearest-rank"]
    n: Count
    first_query_ms: Annotated[Amount | None, Field(alias="first_query_ms")]
    ingest_throughput_items_per_sec: Annotated[Amount | None, Field(alias="ingest_throughput_items_per_sec")]
    ingested_bytes: Count | None
    peak_rss_bytes: Count | None
    noop_rpc_ms: Amount | None
    flags: Annotated[tuple[Literal["low-n", "unreliable-load"], ...], Field(strict=False)]


class Expected(Schema):
    """A judged item; it belongs to E when its grade is at least 1."""

    id: Text
    grade: Grade


class Usage(Schema):
    """What a query cost by the adapter's own account; null is unknown."""

    calls: Count | None = None
    tokens_in: Count | None = None
    tokens_out: Count | None = None
    cost_usd: Amount | None = None


class QueryRecord(Schema):
    """One query's evidence: enough to score it again with nothing else.

    ``retrieved`` is in the adapter's order, duplicates kept, no deeper than the largest k. ``foreign`` lists, once
    each, the ids in it that are not in the query's scope. ``hit`` and ``rank`` are at the largest k, after
    de-duplication. With an ``error`` nothing was retrieved.
    """

    query_id: Text
    scope: Text
    category: Text | None = None
    split: Text | None = None
    answerable: bool
    expected: Annotated[tuple[Expected, ...], Field(strict=False)]
    retrieved: Annotated[tuple[Retrieved, ...], Field(strict=False, max_length=MAX_RANK)]
    foreign: Annotated[tuple[Retrieved, ...], Field(strict=False, max_length=MAX_RANK)]
    hit: bool
    rank: Annotated[int, Field(ge=1, le=MAX_RANK)] | None
    latency_ms: Amount | None
    returned_chars: Count | None = None
    usage: Usage | None = None
    error: Literal["timeout", "raised", "crashed", "protocol"] | None = None


class Determinism(Schema):
    """Whether repeated runs gave byte-identical scores and rankings, and which queries differed."""

    runs: Annotated[int, Field(ge=2)]
    identical: bool
    differing: Annotated[tuple[Text, ...], Field(strict=False)]


class Faults(Schema):
    """How often the adapter broke its contract; ``failed`` queries are scored 0, as ``timed_out`` ones are."""

    duplicates: Count
    foreign_ids: Count
    bad_scores: Count
    over_k: Count
    failed: Count
    timed_out: Count


class Payload(Schema):
    """Every key of a retrieval receipt that the envelope does not know."""

    adapter: Adapter
    fixture: Fixture
    scores: Scores
    denominators: Denominators
    intervals: Intervals
    by_category: Annotated[dict[Text, Table], Field(max_length=MAX_CATEGORIES)]
    timing: Timing
    per_query: Annotated[tuple[QueryRecord, ...], Field(strict=False)]
    determinism: Determinism | None
    faults: Faults

    @field_validator("per_query")
    @classmethod
    def _few_categories(cls, rows: tuple[QueryRecord, ...]) -> tuple[QueryRecord, ...]:
        if len({row.category for row in rows} - {None}) > MAX_CATEGORIES:
            raise ValueError(f"the queries are of more than {MAX_CATEGORIES} categories")
        return rows


class Importer(Schema):
    """How an imported fixture was made: the data set's kind and sha256, and the options that changed it."""

    kind: Slug
    sha256: Sha256Hex
    options: dict[Text, Scalar]


class Config(Schema):
    """Everything that changes the scores: the receipt's `config`. ``timeoutSeconds`` is a query's deadline."""

    k: Annotated[
        tuple[Annotated[int, Field(ge=1, le=MAX_RANK)], ...],
        Field(strict=False, min_length=1, max_length=MAX_CUTS),
    ]
    seed: Seed
    limit: Positive | None
    repeats: Positive
    isolation: Literal["process"]
    timeout_seconds: Annotated[float, Field(gt=0)]
    subject_sha256: Sha256Hex | None
    options: dict[Text, Scalar]
    importer: Importer | None

    @field_validator("k")
    @classmethod
    def _ascending(cls, k: tuple[int, ...]) -> tuple[int, ...]:
        if any(a >= b for a, b in pairwise(k)):
            raise ValueError("cuts must be strictly ascending")
        return k
