"""Receipt schema 0.0.1, the seed's: readable and verifiable for ever, never written.

It kept latency inside `scores`, recorded the Node version, allowed fractional seconds and did not require
the file to be canonical bytes. Methodology 1.0.0 says why it was succeeded. The seed set no bounds; those here lie
far above what it wrote, because a receipt is judged before its signature is checked.
"""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field, StringConstraints

from benchsite.receipt.envelope import Signature
from benchsite.schema import Schema, Sha256Hex, Text, Uuid4

MAX_SCORES: Final = 100
MAX_QUERIES: Final = 50_000

Instant = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?Z$"),
]


class LegacyAdapter(Schema):
    """The measured system."""

    name: Text
    version: Text


class LegacyFixture(Schema):
    """The data set, with the number of queries it says it holds."""

    id: Text
    sha256: Sha256Hex
    n: Annotated[int, Field(ge=0)]


class LegacyGit(Schema):
    """The benchmark's own checkout."""

    commit: Text
    dirty: bool
    tag: Text | None = None


class LegacyEnvironment(Schema):
    """The machine, as the seed recorded it."""

    node: Text
    platform: Text
    container_image: Text | None = None
    git: LegacyGit


class LegacyQuery(Schema):
    """One query's outcome: ids in rank order, duplicates kept. The seed records no expected ids."""

    query_id: Text
    retrieved: Annotated[tuple[str, ...], Field(strict=False)]
    hit: bool
    rank: Annotated[int, Field(ge=1)] | None
    latency_ms: Annotated[float, Field(ge=0)] | None = None


class LegacyReceipt(Schema):
    """A whole signed receipt of schema 0.0.1."""

    receipt_id: Uuid4
    bench_version: Text
    ran_at: Instant
    adapter: LegacyAdapter
    fixture: LegacyFixture
    environment: LegacyEnvironment
    scores: Annotated[dict[str, float], Field(max_length=MAX_SCORES)]
    per_query: Annotated[tuple[LegacyQuery, ...], Field(strict=False, max_length=MAX_QUERIES)]
    signature: Signature
