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
    """Interpreter of the adapter, which may differ from the one that runs benchsite."""

    name: Text = Field(description="File name, such as `python3.11`.")
    version: Text | None = Field(
        description="Version; null if it can't be read without running the interpreter."
    )
    packages: Sha256Hex = Field(description="SHA-256 of the list of packages in its environment.")


class Confinement(Schema):
    """Isolation of the adapter that the operating system allowed."""

    namespaces: Literal["all", "network", "none"] = Field(
        description="Linux namespaces of the adapter: all, only network, or none."
    )
    root: bool = Field(description="Whether the adapter ran as root in its user namespace.")
    keys_hidden: bool = Field(
        description="Whether key folders and service sockets were hidden from the adapter."
    )


class Adapter(Schema):
    """Measured system. If ``hosted``, the version is as declared.

    ``network`` is what the adapter declares that it needs, ``networkAccess`` what it had: "not blocked" if the machine
    can't block access.
    """

    name: Slug = Field(description="Name of the system.")
    version: Seen = Field(description="Version of the installed distribution, else as declared.")
    author: Seen = Field(description="Author of the adapter.")
    hosted: bool = Field(description="Whether a remote service answers the queries.")
    network: bool | None = Field(
        description="Whether the adapter declares that it needs network access; null for external runs."
    )
    network_access: Literal["off", "allowed", "not blocked"] | None = Field(
        description="Network access during the run; null for external runs."
    )
    hosts: Annotated[tuple[Text, ...], Field(strict=False, max_length=MAX_LISTED)] = Field(
        default=(), description="Hosts that network access was limited to; empty if there was no limit."
    )
    backend: Slug | None = Field(
        default=None, description="Name of the underlying system that a product is built on."
    )
    distributions: Annotated[dict[Text, Text], Field(max_length=MAX_LISTED)] = Field(
        default_factory=dict,
        description="Versions of the Python distributions that the adapter imports or declares.",
    )
    interpreter: Interpreter | None = Field(
        default=None, description="Interpreter of the adapter; null for a standalone program."
    )
    confinement: Confinement | None = Field(default=None, description="How the adapter was isolated.")


class Fixture(Schema):
    """Dataset of the run; ``n``, ``queries`` and ``scopes`` are totals of the whole dataset.

    Cut-offs at or above ``smallestScope`` are saturated.
    """

    id: Slug = Field(description="Id of the dataset.")
    sha256: Sha256Hex = Field(description="SHA-256 of the dataset's canonical JSON.")
    n: Positive = Field(description="Number of items.")
    queries: Positive = Field(description="Number of queries.")
    scopes: Positive = Field(description="Number of scopes.")
    smallest_scope: Positive = Field(description="Number of items in the smallest scope.")
    granularity: Literal["turn", "session", "document"] = Field(description="Unit of an item.")


class Denominator(Schema):
    """Queries that a score counts and excludes; ``num`` only for proportions."""

    num: Count | None = Field(default=None, description="Numerator of a proportion; null for other scores.")
    den: Count = Field(description="Number of queries counted.")
    excluded: Count = Field(description="Number of queries excluded.")


class Interval(Schema):
    """95% CI of a score."""

    low: float = Field(description="Lower bound.")
    high: float = Field(description="Upper bound.")
    method: Literal["wilson", "bootstrap"] = Field(description="Wilson score interval or bootstrap.")


Denominators: TypeAlias = Annotated[dict[Metric, Denominator], Field(max_length=MAX_METRICS)]
Intervals: TypeAlias = Annotated[dict[Metric, Interval], Field(max_length=MAX_METRICS)]


class Table(Schema):
    """Scores of one query category."""

    scores: Scores = Field(description="Scores by metric.")
    denominators: Denominators = Field(description="Denominator of each score, by metric.")
    intervals: Intervals = Field(description="95% CI of each score, by metric.")


class Timing(Schema):
    """Latency, throughput and memory: not part of the scores, not compared across machines. Null means unknown."""

    latency_p50_ms: Annotated[Amount | None, Field(alias="latency_p50_ms")] = Field(
        description="Median query latency, in ms."
    )
    latency_p95_ms: Annotated[Amount | None, Field(alias="latency_p95_ms")] = Field(
        description="95th percentile of query latency, in ms."
    )
    latency_p99_ms: Annotated[Amount | None, Field(alias="latency_p99_ms")] = Field(
        description="99th percentile of query latency, in ms."
    )
    latency_min_ms: Annotated[Amount | None, Field(alias="latency_min_ms")] = Field(
        description="Minimum query latency, in ms."
    )
    latency_max_ms: Annotated[Amount | None, Field(alias="latency_max_ms")] = Field(
        description="Maximum query latency, in ms."
    )
    percentile_method: Literal["nearest-rank"] = Field(description="Percentile method.")
    n: Count = Field(description="Number of answered queries, without the first.")
    first_query_ms: Annotated[Amount | None, Field(alias="first_query_ms")] = Field(
        description="Latency of the first query, in ms."
    )
    ingest_throughput_items_per_sec: Annotated[
        Amount | None, Field(alias="ingest_throughput_items_per_sec")
    ] = Field(description="Items ingested per second.")
    ingested_bytes: Count | None = Field(description="Size of the ingested texts in UTF-8, in bytes.")
    peak_rss_bytes: Count | None = Field(description="Peak resident set size of the adapter, in bytes.")
    noop_rpc_ms: Amount | None = Field(description="Median latency of an empty call to the adapter, in ms.")
    flags: Annotated[tuple[Literal["low-n", "unreliable-load"], ...], Field(strict=False)] = Field(
        description="Why the timing is unreliable: few queries or high load."
    )


class Expected(Schema):
    """Judged item; it is relevant if its grade is at least 1."""

    id: Text = Field(description="Id of the item.")
    grade: Grade = Field(description="Relevance grade.")


class Usage(Schema):
    """Cost of a query as reported by the adapter; null means unknown."""

    calls: Count | None = Field(default=None, description="Number of calls to models or services.")
    tokens_in: Count | None = Field(default=None, description="Number of input tokens.")
    tokens_out: Count | None = Field(default=None, description="Number of output tokens.")
    cost_usd: Amount | None = Field(default=None, description="Cost in US dollars.")


class QueryRecord(Schema):
    """Evidence for one query, sufficient to re-score it.

    ``retrieved`` is in the adapter's order, with duplicates, up to the largest k. ``foreign`` lists each id in it that
    is not in the query's scope once. ``hit`` and ``rank`` are at the largest k, after de-duplication. If there is an
    ``error``, nothing was retrieved.
    """

    query_id: Text = Field(description="Id of the query.")
    scope: Text = Field(description="Scope of the query.")
    category: Text | None = Field(default=None, description="Category of the query.")
    split: Text | None = Field(default=None, description="Dataset split of the query.")
    answerable: bool = Field(description="Whether the dataset contains an answer.")
    expected: Annotated[tuple[Expected, ...], Field(strict=False)] = Field(
        description="Judged items of the query (qrels)."
    )
    retrieved: Annotated[tuple[Retrieved, ...], Field(strict=False, max_length=MAX_RANK)] = Field(
        description="Ids of the returned items, in order."
    )
    foreign: Annotated[tuple[Retrieved, ...], Field(strict=False, max_length=MAX_RANK)] = Field(
        description="Returned ids outside the query's scope."
    )
    hit: bool = Field(description="Whether a relevant item was retrieved.")
    rank: Annotated[int, Field(ge=1, le=MAX_RANK)] | None = Field(
        description="Rank of the first relevant item; null if there is none."
    )
    latency_ms: Amount | None = Field(description="Query latency, in ms.")
    returned_chars: Count | None = Field(
        default=None, description="Number of characters in the returned texts."
    )
    usage: Usage | None = Field(default=None, description="Calls, tokens and cost of the query.")
    error: Literal["timeout", "raised", "crashed", "protocol"] | None = Field(
        default=None, description="How the query failed; absent if it did not."
    )


class Determinism(Schema):
    """Whether repeated runs gave byte-identical scores and rankings, and which queries differed."""

    runs: Annotated[int, Field(ge=2)] = Field(description="Number of runs.")
    identical: bool = Field(description="Whether all runs gave the same results.")
    differing: Annotated[tuple[Text, ...], Field(strict=False)] = Field(
        description="Ids of the queries with different results."
    )
    ndcg_low: Share | None = Field(
        default=None,
        description="Lowest nDCG at the largest k across the runs; absent if all runs gave the same results.",
    )
    ndcg_high: Share | None = Field(
        default=None, description="Highest nDCG at the largest k across the runs."
    )


class Faults(Schema):
    """Adapter errors, by kind; queries that failed or timed out score 0."""

    duplicates: Count = Field(description="Number of ids returned more than once.")
    foreign_ids: Count = Field(description="Returned ids outside the query's scope.")
    bad_scores: Count = Field(description="Number of relevance scores outside [0, 1].")
    over_k: Count = Field(description="Number of result lists longer than k, which were truncated.")
    failed: Count = Field(description="Number of failed queries, not counting timeouts.")
    timed_out: Count = Field(description="Number of queries that timed out.")


class Payload(Schema):
    """Every key of a retrieval receipt that the envelope does not know."""

    adapter: Adapter = Field(description="Measured system and its adapter.")
    fixture: Fixture = Field(description="Dataset of the run.")
    scores: Scores = Field(description="Scores by metric.")
    denominators: Denominators = Field(description="Denominator of each score, by metric.")
    intervals: Intervals = Field(description="95% CI of each score, by metric.")
    by_category: Annotated[dict[Text, Table], Field(max_length=MAX_CATEGORIES)] = Field(
        description="Scores, denominators and intervals by query category."
    )
    timing: Timing = Field(description="Latency, throughput and memory; not re-scored.")
    per_query: Annotated[tuple[QueryRecord, ...], Field(strict=False)] = Field(
        description="Evidence: one record per query."
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
    """How an imported dataset was made: importer, imported file and options."""

    kind: Slug = Field(description="Name of the importer.")
    sha256: Sha256Hex = Field(description="SHA-256 of the imported file.")
    options: dict[Text, Scalar] = Field(description="Import options.")


class Asset(Schema):
    """File other than code that the results depend on: model weights or a mapping."""

    name: Text = Field(description="Declared name.")
    sha256: Sha256Hex = Field(description="SHA-256 of the file.")
    size: Count = Field(description="Size in bytes.")


class RunFile(Schema):
    """Run file of an external run."""

    kind: Slug = Field(description="File format.")
    name: Text = Field(description="File name.")
    sha256: Sha256Hex = Field(description="SHA-256 of the file.")
    size: Count = Field(description="Size in bytes.")


class Config(Schema):
    """All settings that can change the scores: the receipt's `config`."""

    k: Annotated[
        tuple[Annotated[int, Field(ge=1, le=MAX_RANK)], ...],
        Field(strict=False, min_length=1, max_length=MAX_CUTS),
    ] = Field(description="Cut-offs, in ascending order.")
    seed: Seed = Field(description="Seed for the query order, seeded adapters and the bootstrap.")
    limit: Positive | None = Field(
        description="Number of queries run, from the first; null for all. Limited receipts are not ranked."
    )
    repeats: Positive = Field(description="Number of runs.")
    isolation: Literal["process"] | None = Field(
        description="Isolation of the adapter from benchsite; null for external runs."
    )
    timeout_seconds: Annotated[float, Field(gt=0)] | None = Field(
        description="Time limit per query, in seconds; null for external runs."
    )
    threads: Positive | None = Field(default=None, description="Number of threads for numerical libraries.")
    subject_sha256: Sha256Hex | None = Field(
        description="SHA-256 of the adapter's code, distributions and assets."
    )
    assets: Annotated[tuple[Asset, ...], Field(strict=False, max_length=MAX_ASSETS)] = Field(
        default=(), description="Model weights and mapping files."
    )
    options: dict[Text, Scalar] = Field(description="Adapter options; `arguments` for a command.")
    importer: Importer | None = Field(description="How the dataset was imported; null if it was not.")
    source: RunFile | None = Field(
        default=None, description="Run file of an external run; null for other runs."
    )

    @field_validator("k")
    @classmethod
    def _ascending(cls, k: tuple[int, ...]) -> tuple[int, ...]:
        if any(a >= b for a, b in pairwise(k)):
            raise ValueError(said("cuts-unordered"))
        return k
