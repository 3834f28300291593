"""Receipt schema 1.0.0: the fields that every track shares (DESIGN.md, "Receipts").

The track's own keys are at the top level too and are checked by the track; the envelope knows them only as "the rest".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

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


MAX_EVIDENCE: Final = 1_000
"""Pieces of evidence that a receipt may pin: each may be asked of every mirror."""


class RanBy(Schema):
    """Who started the run. The signature on a submitted draft attests the receipt and its re-score, not the run."""

    kind: Literal["workflow", "maintainer", "submitted"] = Field(description="Who started the run.")
    name: Seen = Field(description="Workflow reference, or the person's name in git.")


class MethodologyRef(Schema):
    """Methodology of the receipt, identified by the hash of its three files."""

    id: Slug = Field(description="Track of the methodology.")
    version: Semver = Field(description="Version of the methodology.")
    sha256: Sha256Hex = Field(description="SHA-256 of the canonical JSON of its files' hashes.")


class GitState(Schema):
    """State of the instance repository at the start of the run; all null without a repository."""

    commit: GitCommit | None = Field(description="Checked-out commit.")
    dirty: bool | None = Field(
        description="Whether there were uncommitted changes or HEAD had moved; such receipts are not ranked."
    )
    tag: Text | None = Field(description="Tag of the commit, if any.")


class Environment(Schema):
    """Machine and software of the run; null means not recorded."""

    python: Text = Field(description="Python version.")
    platform: Text = Field(description="Operating system and architecture.")
    cpu: Text | None = Field(description="CPU model.")
    cores: Annotated[int, Field(ge=1)] | None = Field(description="Number of CPU cores available to the run.")
    load_average: Annotated[float, Field(ge=0)] | None = Field(description="1-minute load average.")
    runner: Text | None = Field(description="Runner type reported by the CI system.")
    container_image: Text | None = Field(description="Container image of the run.")
    git: GitState = Field(description="State of the instance repository.")
    packages: Sha256Hex | None = Field(description="SHA-256 of the list of installed packages.")


class LogHead(Schema):
    """Log checkpoint at the start of the run: the receipt can't be older, but the run can."""

    origin: Text = Field(description="Origin of the log, which identifies it.")
    size: Count = Field(description="Number of log entries.")
    root: Base64Hash = Field(description="Merkle root hash of these entries, in base64.")


class EvidenceRef(Schema):
    """Evidence file, identified by the SHA-256 of its uncompressed bytes; mirrored files are never stored in git."""

    name: Seen = Field(description="File name.")
    sha256: Sha256Hex = Field(description="SHA-256 of the uncompressed bytes.")
    size: Count = Field(description="Uncompressed size, in bytes.")
    media_type: Text = Field(description="Media type.")
    mirrored: bool = Field(
        default=False, description="Whether the file is kept only on mirrors, whatever its size."
    )


class Signature(Schema):
    """Ed25519 signature of the canonical JSON (RFC 8785) of the receipt without this field."""

    algorithm: Literal["Ed25519"] = Field(description="Signature algorithm.")
    public_key_fingerprint: Fingerprint = Field(description="SHA-256 fingerprint of the public key.")
    value: Base64Url64 = Field(description="Signature, in base64url.")


class Envelope(Schema):
    """Every shared field of a draft of schema 1.0.0."""

    schema_version: Literal["1.0.0"] = Field(description="Version of this schema.")
    track: Slug = Field(description="Track: `retrieval`, `agents`, `rubric` or an installed one.")
    receipt_id: Uuid4 = Field(description="Receipt id, a random UUID; the file is named after it.")
    bench_version: Semver = Field(description="Version of benchsite that wrote the receipt.")
    ran_at: UtcSeconds = Field(description="Start of the run in UTC, self-reported.")
    ran_by: RanBy = Field(description="Who started the run.")
    origin: Literal["native", "external-run", "import"] = Field(
        description="`native`: benchsite ran the system; `external-run`: run elsewhere; `import`: imported results."
    )
    methodology: MethodologyRef = Field(description="Methodology under which the scores were computed.")
    config: dict[str, Any] = Field(description="All settings that can change a score.")
    environment: Environment = Field(description="Machine and software of the run.")
    log_head: LogHead | None = Field(
        description="Log checkpoint at the start of the run; null if there was no log."
    )
    supersedes: Uuid4 | None = Field(description="Id of the receipt that this one replaces.")
    reproduces: Uuid4 | None = Field(description="Id of the receipt that this one reproduces.")
    intent_id: Uuid4 | None = Field(description="Id of the log entry that pre-registered the run.")
    derived_from: Uuid4 | None = Field(description="Id of the receipt that this one was derived from.")
    evidence: Annotated[tuple[EvidenceRef, ...], Field(strict=False, max_length=MAX_EVIDENCE)] = Field(
        description="Evidence files, by hash."
    )
    simulated: bool = Field(description="Whether a simulated model was used; such receipts are not ranked.")


class SignedEnvelope(Envelope):
    """The same with its signature: what `results/published/` holds."""

    signature: Signature = Field(description="Signature of all other fields.")


FIELDS = frozenset(field.alias or name for name, field in SignedEnvelope.model_fields.items())


def names_its_rules(document: Mapping[str, Any]) -> bool:
    """Whether a receipt was made under rules of its own track: the log pins each track's rules by that name."""
    return bool(document["methodology"]["id"] == document["track"])
