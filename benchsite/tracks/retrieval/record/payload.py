"""The retrieval track's own keys of a receipt, and its `config`: schema 1.0.0.

Owns their shape (specs/retrieval.md "Metrics"; DESIGN.md "Receipts"). Relations between the numbers are
``violations``' business. Refuses unknown keys, numbers that are not finite, and free text from a subject: an
error is one of four codes. Refuses too what would make a re-score costly: tables and cut-offs without number.
"""

from __future__ import annotations

from hashlib import sha256
from itertools import pairwise
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field, StringConstraints, field_validator

from benchsite.schema import Schema, Seen, Sha256Hex, Slug, Text
from benchsite.stats import MAX_RANK
from benchsite.tracks.retrieval.record.sentences import said

Count: TypeAlias = Annotated[int, Field(ge=0)]
Positive: TypeAlias = Annotated[int, Field(ge=1)]
Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]
Amount: TypeAlias = Annotated[float, Field(ge=0)]
Grade: TypeAlias = Annotated[int, Field(ge=-1_000, le=1_000)]
Seed: TypeAlias = Annotated[int, Field(ge=0, le=2**53 - 1)]
Metric: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]

# A re-score runs before any signature is checked, so what it costs is bounded by more than the file's size:
# every cut-off is a column of work for every query, and every category a table of its own.
MAX_CUTS: Final = 20
MAX_METRICS: Final = 200
"""More than scoring can emit: 20 cut-offs give 103 names."""
MAX_CATEGORIES: Final = 200
MAX_LISTED: Final = 1_000
"""Hosts and distributions."""
MAX_ASSETS: Final = 2_000

Scores: TypeAlias = Annotated[dict[Metric, float], Field(max_length=MAX_METRICS)]
Scalar: TypeAlias = str | int | float | bool | None

Retrieved: TypeAlias = Text


def unknown_item(name: str) -> str:
    """Return how an id of no item is recorded: `?` and 12 hex digits of its SHA-256, so that a subject's text stays out."""
    # JSON can carry lone surrogates, which have no UTF-8.
    return "?" + sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]


class Interpreter(Schema):
    """The interpreter of an adapter, which may be another one than that of benchsite."""

    name: Text = Field(description="Name of its file, such as `python3.11`.")
    version: Text | None = Field(description="Its version; null if it cannot be read without running it.")
    packages: Sha256Hex = Field(description="SHA-256 of the packages installed in its environment.")


class Confinement(Schema):
    """What the system permitted to shut the adapter off."""

    namespaces: Literal["all", "network", "none"] = Field(description="Linux namespaces that it ran in.")
    root: bool = Field(description="Whether it ran as root of its namespace.")
    keys_hidden: bool = Field(description="Whether key folders and sockets of services were hidden from it.")


class Adapter(Schema):
    """The measured system; where ``hosted``, its version is what it claims.

    ``network`` is what the adapter declares to need, ``networkAccess`` what it had: "not blocked" where the machine
    does not permit to cut it off.
    """

    name: Slug = Field(description="Name of the system.")
    version: Seen = Field(
        description="Version of the system: of its installed distribution, else as declared."
    )
    author: Seen = Field(description="Author of the adapter.")
    hosted: bool = Field(description="Whether a remote service answers.")
    network: bool | None = Field(
        description="Whether the adapter declares to need network access; null for external runs."
    )
    network_access: Literal["off", "allowed", "not blocked"] | None = Field(
        description="Network access during the run; null for external runs."
    )
    hosts: Annotated[tuple[Text, ...], Field(strict=False, max_length=MAX_LISTED)] = Field(
        default=(), description="Hosts that its network access was limited to; empty for no limit."
    )
    backend: Slug | None = Field(default=None, description="The bare system that a product is built on.")
    distributions: Annotated[dict[Text, Text], Field(max_length=MAX_LISTED)] = Field(
        default_factory=dict, description="Versions of the distributions that it imports or declares."
    )
    interpreter: Interpreter | None = Field(
        default=None, description="What runs it; null for its own program."
    )
    confinement: Confinement | None = Field(default=None, description="How it was shut off.")


class Fixture(Schema):
    """What was measured on: ``n`` items, and how many queries and scopes the whole dataset has.

    ``smallestScope`` is the size of its smallest scope: cut-offs from there on are saturated.
    """

    id: Slug = Field(description="Id of the dataset.")
    sha256: Sha256Hex = Field(description="SHA-256 of its canonical JSON.")
    n: Positive = Field(description="Number of items.")
    queries: Positive = Field(description="Number of queries.")
    scopes: Positive = Field(description="Number of scopes.")
    smallest_scope: Positive = Field(description="Number of items in the smallest scope.")
    granularity: Literal["turn", "session", "document"] = Field(description="What one item is.")


class Denominator(Schema):
    """Queries that a score counts and excludes; ``num`` for proportions only."""

    num: Count | None = Field(default=None, description="Numerator of a proportion; null for other scores.")
    den: Count = Field(description="Queries counted.")
    excluded: Count = Field(description="Queries excluded.")


class Interval(Schema):
    """95% CI of a score."""

    low: float = Field(description="Lower bound.")
    high: float = Field(description="Upper bound.")
    method: Literal["wilson", "bootstrap"] = Field(description="How it is computed.")


Denominators: TypeAlias = Annotated[dict[Metric, Denominator], Field(max_length=MAX_METRICS)]
Intervals: TypeAlias = Annotated[dict[Metric, Interval], Field(max_length=MAX_METRICS)]


class Table(Schema):
    """Scores of one category of queries."""

    scores: Scores = Field(description="Scores, by metric.")
    denominators: Denominators = Field(description="What each score counts.")
    intervals: Intervals = Field(description="The 95% CI of each score.")


class Timing(Schema):
    """Outside the scores: never ranked across machines. Milliseconds, items a second, bytes; null is unknown."""

    latency_p50_ms: Annotated[Amount | None, Field(alias="latency_p50_ms")] = Field(
        description="Median latency of a query, in ms."
    )
    latency_p95_ms: Annotated[Amount | None, Field(alias="latency_p95_ms")] = Field(
        description="95th percentile, in ms."
    )
    latency_p99_ms: Annotated[Amount | None, Field(alias="latency_p99_ms")] = Field(
        description="99th percentile, in ms."
    )
    latency_min_ms: Annotated[Amount | None, Field(alias="latency_min_ms")] = Field(
        description="Fastest query, in ms."
    )
    latency_max_ms: Annotated[Amount | None, Field(alias="latency_max_ms")] = Field(
        description="Slowest query, in ms."
    )
    percentile_method: Literal["nearest-rank"] = Field(description="How percentiles are computed.")
    n: Count = Field(description="Answered queries, without the first.")
    first_query_ms: Annotated[Amount | None, Field(alias="first_query_ms")] = Field(
        description="Latency of the first query, in ms."
    )
    ingest_throughput_items_per_sec: Annotated[
        Amount | None, Field(alias="ingest_throughput_items_per_sec")
    ] = Field(description="Items ingested per second.")
    ingested_bytes: Count | None = Field(description="UTF-8 bytes of the ingested texts.")
    peak_rss_bytes: Count | None = Field(description="Peak resident memory of the adapter.")
    noop_rpc_ms: Amount | None = Field(description="Median latency of an empty call, in ms.")
    flags: Annotated[tuple[Literal["low-n", "unreliable-load"], ...], Field(strict=False)] = Field(
        description="Reasons why the figures are unreliable."
    )


class Expected(Schema):
    """A judged item; it belongs to E when its grade is at least 1."""

    id: Text = Field(description="Id of the item.")
    grade: Grade = Field(description="Relevance grade.")


class Usage(Schema):
    """What a query cost by the adapter's own account; null is unknown."""

    calls: Count | None = Field(default=None, description="Calls to a model or service.")
    tokens_in: Count | None = Field(default=None, description="Tokens sent.")
    tokens_out: Count | None = Field(default=None, description="Tokens received.")
    cost_usd: Amount | None = Field(default=None, description="Cost in US dollars.")


class QueryRecord(Schema):
    """One query's evidence: enough to re-score it.

    ``retrieved`` is in the adapter's order, duplicates kept, no deeper than the largest k. ``foreign`` lists, once
    each, the ids in it that are not in the query's scope. ``hit`` and ``rank`` are at the largest k, after
    de-duplication. With an ``error`` nothing was retrieved.
    """

    query_id: Text = Field(description="Id of the query.")
    scope: Text = Field(description="Scope that was searched.")
    category: Text | None = Field(default=None, description="Category of the query.")
    split: Text | None = Field(default=None, description="Split of the dataset.")
    answerable: bool = Field(description="Whether the dataset contains an answer.")
    expected: Annotated[tuple[Expected, ...], Field(strict=False)] = Field(description="Judged items.")
    retrieved: Annotated[tuple[Retrieved, ...], Field(strict=False, max_length=MAX_RANK)] = Field(
        description="Ids of the returned items, in order."
    )
    foreign: Annotated[tuple[Retrieved, ...], Field(strict=False, max_length=MAX_RANK)] = Field(
        description="Returned ids outside the scope."
    )
    hit: bool = Field(description="Whether a relevant item was returned.")
    rank: Annotated[int, Field(ge=1, le=MAX_RANK)] | None = Field(
        description="Rank of the first relevant item."
    )
    latency_ms: Amount | None = Field(description="Latency, in ms.")
    returned_chars: Count | None = Field(default=None, description="Characters of the returned texts.")
    usage: Usage | None = Field(default=None, description="Cost of the query.")
    error: Literal["timeout", "raised", "crashed", "protocol"] | None = Field(
        default=None, description="How the query failed."
    )


class Determinism(Schema):
    """Whether repeated runs gave byte-identical scores and rankings, and which queries differed."""

    runs: Annotated[int, Field(ge=2)] = Field(description="Number of runs.")
    identical: bool = Field(description="Whether all runs gave the same results.")
    differing: Annotated[tuple[Text, ...], Field(strict=False)] = Field(
        description="Ids of the queries that differed."
    )
    ndcg_low: Share | None = Field(
        default=None,
        description="Lowest nDCG at the largest k over the runs; absent if all runs gave the same results.",
    )
    ndcg_high: Share | None = Field(default=None, description="Highest nDCG at the largest k over the runs.")


class Faults(Schema):
    """How often the adapter broke its contract; ``failed`` queries are scored 0, as ``timed_out`` ones are."""

    duplicates: Count = Field(description="Ids returned more than once.")
    foreign_ids: Count = Field(description="Returned ids outside the query's scope.")
    bad_scores: Count = Field(description="Relevance scores outside [0, 1].")
    over_k: Count = Field(description="Result lists longer than k, which were cut.")
    failed: Count = Field(description="Queries that failed, timeouts excepted.")
    timed_out: Count = Field(description="Queries without a response in time.")


class Payload(Schema):
    """Every key of a retrieval receipt that the envelope does not know."""

    adapter: Adapter = Field(description="The measured system.")
    fixture: Fixture = Field(description="The dataset.")
    scores: Scores = Field(description="Every score, by metric.")
    denominators: Denominators = Field(description="What each score counts.")
    intervals: Intervals = Field(description="The 95% CI of each score.")
    by_category: Annotated[dict[Text, Table], Field(max_length=MAX_CATEGORIES)] = Field(
        description="The same for each category of queries."
    )
    timing: Timing = Field(description="Latency, throughput and memory; measured, not re-scored.")
    per_query: Annotated[tuple[QueryRecord, ...], Field(strict=False)] = Field(
        description="The evidence: one row per query."
    )
    determinism: Determinism | None = Field(description="Comparison of repeated runs; null for a single run.")
    faults: Faults = Field(description="Adapter errors.")

    @field_validator("per_query")
    @classmethod
    def _few_categories(cls, rows: tuple[QueryRecord, ...]) -> tuple[QueryRecord, ...]:
        if len({row.category for row in rows} - {None}) > MAX_CATEGORIES:
            raise ValueError(said("categories-many", most=MAX_CATEGORIES))
        return rows


class Importer(Schema):
    """How an imported dataset was made: the dataset's kind and SHA-256, and the options that changed it."""

    kind: Slug = Field(description="Name of the importer.")
    sha256: Sha256Hex = Field(description="SHA-256 of the imported file.")
    options: dict[Text, Scalar] = Field(description="Options of the import.")


class Asset(Schema):
    """A file that the results depend on besides code: weights, or a mapping."""

    name: Text = Field(description="Name that it is declared under.")
    sha256: Sha256Hex = Field(description="SHA-256 of its bytes.")
    size: Count = Field(description="Its bytes.")


class RunFile(Schema):
    """The run file of an external run."""

    kind: Slug = Field(description="Format of the file.")
    name: Text = Field(description="Its name.")
    sha256: Sha256Hex = Field(description="SHA-256 of its bytes.")
    size: Count = Field(description="Its bytes.")


class Config(Schema):
    """Everything that changes the scores: the receipt's `config`. ``timeoutSeconds`` is a query's deadline."""

    k: Annotated[
        tuple[Annotated[int, Field(ge=1, le=MAX_RANK)], ...],
        Field(strict=False, min_length=1, max_length=MAX_CUTS),
    ] = Field(description="Cut-offs.")
    seed: Seed = Field(description="Seed of the query order, seeded adapters and the bootstrap.")
    limit: Positive | None = Field(
        description="Only the first so many queries; such a receipt is not ranked."
    )
    repeats: Positive = Field(description="Number of runs.")
    isolation: Literal["process"] | None = Field(
        description="How the adapter was separated from benchsite; null for external runs."
    )
    timeout_seconds: Annotated[float, Field(gt=0)] | None = Field(
        description="Time limit of a query, in seconds; null for external runs."
    )
    threads: Positive | None = Field(default=None, description="Threads of numerical libraries.")
    subject_sha256: Sha256Hex | None = Field(
        description="SHA-256 of what ran: the adapter's code, distributions and assets."
    )
    assets: Annotated[tuple[Asset, ...], Field(strict=False, max_length=MAX_ASSETS)] = Field(
        default=(), description="Weights and mapping files."
    )
    options: dict[Text, Scalar] = Field(description="Options of the adapter; `arguments` of a command.")
    importer: Importer | None = Field(description="How the dataset was imported; null where it was not.")
    source: RunFile | None = Field(
        default=None, description="The run file of an external run; null for runs made here."
    )

    @field_validator("k")
    @classmethod
    def _ascending(cls, k: tuple[int, ...]) -> tuple[int, ...]:
        if any(a >= b for a, b in pairwise(k)):
            raise ValueError(said("cuts-unordered"))
        return k
