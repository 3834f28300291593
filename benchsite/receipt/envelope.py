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
    """Who ran it. The signature of a submitted draft attests the receipt and its re-score, not the run."""

    kind: Literal["workflow", "maintainer", "submitted"] = Field(
        description="Workflow, maintainer or submitter."
    )
    name: Seen = Field(description="The workflow's address, or the name in git.")


class MethodologyRef(Schema):
    """The methodology, by content: SHA-256 of the canonical JSON of the digests of its two files."""

    id: Slug = Field(description="The track.")
    version: Semver = Field(description="Version of the methodology.")
    sha256: Sha256Hex = Field(description="SHA-256 of the version's content.")


class GitState(Schema):
    """The instance repository when the run started; null where there was none."""

    commit: GitCommit | None = Field(description="Commit that was checked out.")
    dirty: bool | None = Field(
        description="Whether there were uncommitted changes, or HEAD had moved; then the receipt is not ranked."
    )
    tag: Text | None = Field(description="Tag of the commit.")


class Environment(Schema):
    """The machine and the software of the run; null is not recorded."""

    python: Text = Field(description="Version of Python.")
    platform: Text = Field(description="Operating system and architecture.")
    cpu: Text | None = Field(description="Model of the processor.")
    cores: Annotated[int, Field(ge=1)] | None = Field(description="Number of processor cores.")
    load_average: Annotated[float, Field(ge=0)] | None = Field(description="Load average of one minute.")
    runner: Text | None = Field(description="Kind of machine that the CI system names.")
    container_image: Text | None = Field(description="Container image that the measurement ran in.")
    git: GitState = Field(description="State of the repository.")
    packages: Sha256Hex | None = Field(description="SHA-256 of the list of installed packages.")


class LogHead(Schema):
    """The log head when the run started: a lower bound for the receipt, not for the run."""

    origin: Text = Field(description="Identity of the log.")
    size: Count = Field(description="Number of entries.")
    root: Base64Hash = Field(description="Merkle root over them, in base64.")


class EvidenceRef(Schema):
    """An evidence file, by the SHA-256 of its uncompressed bytes; a mirrored one is never in git, whatever its size."""

    name: Seen = Field(description="File name.")
    sha256: Sha256Hex = Field(description="SHA-256 of the bytes.")
    size: Count = Field(description="Size in bytes.")
    media_type: Text = Field(description="Media type.")
    mirrored: bool = Field(default=False, description="Whether it is kept outside git whatever its size.")


class Signature(Schema):
    """Ed25519 over the canonical JSON (RFC 8785) of the receipt without this member."""

    algorithm: Literal["Ed25519"] = Field(description="Signature algorithm.")
    public_key_fingerprint: Fingerprint = Field(description="SHA-256 of the public key.")
    value: Base64Url64 = Field(description="The signature, in base64url.")


class Envelope(Schema):
    """Every shared field of a draft of schema 1.0.0."""

    schema_version: Literal["1.0.0"] = Field(description="Version of this schema.")
    track: Slug = Field(description="The kind of benchmark.")
    receipt_id: Uuid4 = Field(description="Id of the receipt, a random UUID; the file is named after it.")
    bench_version: Semver = Field(description="benchsite release that wrote the receipt.")
    ran_at: UtcSeconds = Field(description="Start of the run in UTC, self-reported.")
    ran_by: RanBy = Field(description="Who ran it: a workflow, a maintainer or a submitter.")
    origin: Literal["native", "external-run", "import"] = Field(
        description="`native` where benchsite measured it itself."
    )
    methodology: MethodologyRef = Field(description="Methodology that the scores follow.")
    config: dict[str, Any] = Field(description="Every setting that can change a score.")
    environment: Environment = Field(description="Machine and software of the run.")
    log_head: LogHead | None = Field(
        description="State of the log when the run started; null where there was no log."
    )
    supersedes: Uuid4 | None = Field(description="Receipt that this one replaces.")
    reproduces: Uuid4 | None = Field(description="Receipt that this one reproduces.")
    intent_id: Uuid4 | None = Field(description="Log entry that pre-registered the run.")
    derived_from: Uuid4 | None = Field(description="Receipt that this one was made from.")
    evidence: Annotated[tuple[EvidenceRef, ...], Field(strict=False, max_length=MAX_EVIDENCE)] = Field(
        description="Files that are too large for the receipt, by hash."
    )
    simulated: bool = Field(description="Whether a simulated model took part; such a receipt is not ranked.")


class SignedEnvelope(Envelope):
    """The same with its signature: what `results/published/` holds."""

    signature: Signature = Field(description="Signature of all other fields.")


FIELDS = frozenset(field.alias or name for name, field in SignedEnvelope.model_fields.items())


def names_its_rules(document: Mapping[str, Any]) -> bool:
    """Whether a receipt was made under rules of its own track: the log pins each track's rules by that name."""
    return bool(document["methodology"]["id"] == document["track"])
