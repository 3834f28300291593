"""Receipt schema 1.0.0: the fields that every track shares (DESIGN.md, "Receipts").

The track's own keys stand beside these at the top level and are checked by the track; the envelope knows
them only as "the rest".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from benchsite.schema import (
    Base64Hash,
    Base64Url64,
    Fingerprint,
    GitCommit,
    Schema,
    Seen,
    Semver,
    Sha256Hex,
    Slug,
    Text,
    UtcSeconds,
    Uuid4,
)

Count = Annotated[int, Field(ge=0)]


class RanBy(Schema):
    """Who ran it. Signing a submitted draft attests the receipt and its re-score, not the execution."""

    kind: Literal["workflow", "maintainer", "submitted"]
    name: Seen


class MethodologyRef(Schema):
    """The rules, by content: sha256 of the JCS of the two files' digests."""

    id: Slug
    version: Semver
    sha256: Sha256Hex


class GitState(Schema):
    """The instance repository when the run began; `None` where there was none."""

    commit: GitCommit | None
    dirty: bool | None
    tag: Text | None


class Environment(Schema):
    """The machine and the software of the run; unknown is null, never invented."""

    python: Text
    platform: Text
    cpu: Text | None
    cores: Annotated[int, Field(ge=1)] | None
    load_average: Annotated[float, Field(ge=0)] | None
    runner: Text | None
    container_image: Text | None
    git: GitState
    packages: Sha256Hex | None


class LogHead(Schema):
    """The log's head seen when the run began: the receipt was composed after it."""

    origin: Text
    size: Count
    root: Base64Hash


class EvidenceRef(Schema):
    """Evidence kept beside the receipt, by the sha256 of its uncompressed bytes."""

    name: Seen
    sha256: Sha256Hex
    size: Count
    media_type: Text


class Signature(Schema):
    """Ed25519 over the JCS of the receipt without this member."""

    algorithm: Literal["Ed25519"]
    public_key_fingerprint: Fingerprint
    value: Base64Url64


class Envelope(Schema):
    """Every shared field of a draft of schema 1.0.0."""

    schema_version: Literal["1.0.0"]
    track: Slug
    receipt_id: Uuid4
    bench_version: Semver
    ran_at: UtcSeconds
    ran_by: RanBy
    origin: Literal["native", "external-run", "import"]
    methodology: MethodologyRef
    config: dict[str, Any]
    environment: Environment
    log_head: LogHead | None
    supersedes: Uuid4 | None
    reproduces: Uuid4 | None
    intent_id: Uuid4 | None
    derived_from: Uuid4 | None
    evidence: Annotated[tuple[EvidenceRef, ...], Field(strict=False)]
    simulated: bool


class SignedEnvelope(Envelope):
    """The same with its signature: what `results/published/` holds."""

    signature: Signature


FIELDS = frozenset(field.alias or name for name, field in SignedEnvelope.model_fields.items())


def names_its_rules(document: Mapping[str, Any]) -> bool:
    """Whether a receipt was made under rules of its own track: the log pins each track's rules by that name."""
    return bool(document["methodology"]["id"] == document["track"])
