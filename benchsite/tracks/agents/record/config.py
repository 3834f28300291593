"""The `config` of an agents receipt: everything that changes the scores, known before anything is run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import Field, StringConstraints

from benchsite.schema import Schema, Seen, Sha256Hex, Slug, Text

__all__ = [
    "MAX_REPEATS",
    "Amount",
    "Budget",
    "Config",
    "Count",
    "Positive",
    "Source",
    "SourceFile",
    "StatedScore",
    "perturbation_words",
]

Count: TypeAlias = Annotated[int, Field(ge=0, le=2**53 - 1)]
Positive: TypeAlias = Annotated[int, Field(ge=1, le=2**53 - 1)]
Amount: TypeAlias = Annotated[float, Field(ge=0, le=2**53 - 1)]
Seed: TypeAlias = Annotated[int, Field(ge=0, le=2**53 - 1)]
Scalar: TypeAlias = str | int | float | bool | None

MAX_FILES: Final = 1_000
MAX_REPEATS: Final = 300
"""Runs of one task: up to there the binomial coefficients of pass@8 are exact doubles."""


class SourceFile(Schema):
    """A published file that was imported, by its path in the published folder."""

    name: Text = Field(description="Path in the published folder.")
    sha256: Sha256Hex = Field(description="SHA-256 of the file.")
    size: Count = Field(description="Size in bytes.")


class StatedScore(Schema):
    """A score that the imported results state of themselves."""

    name: Seen = Field(description="Its name there, with how it is averaged.")
    value: Annotated[float, Field(ge=-(2**53) + 1, le=2**53 - 1)] = Field(description="Its value there.")
    ours: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")] | None = Field(
        description="The metric of `scores` that is the same statistic; null if none is."
    )


class Source(Schema):
    """Where an imported result was published: the kind of its format, its configuration, its files."""

    kind: Slug = Field(description="Format of the published results.")
    configuration: Text = Field(description="Which of the published configurations it is.")
    files: Annotated[tuple[SourceFile, ...], Field(strict=False, min_length=1, max_length=MAX_FILES)] = Field(
        description="The files that were imported."
    )
    references: Annotated[tuple[Seen, ...], Field(strict=False, max_length=20)] | None = Field(
        default=None, description="Where the runs are from, as stated by who imported them."
    )
    stated: Annotated[tuple[StatedScore, ...], Field(strict=False, max_length=50)] | None = Field(
        default=None, description="Scores that the files state of themselves."
    )


class Budget(Schema):
    """Limits of one run, counted by the harness; null is no limit."""

    tool_calls: Positive | None = Field(description="Tool calls.")
    messages: Count | None = Field(description="Messages between agents that the system records.")
    tokens: Positive | None = Field(description="Input and output tokens; the last completion may exceed it.")
    seconds: Amount | None = Field(description="Seconds of wall-clock time.")


class Perturbed(Schema):
    """What was perturbed in the runs; its draws follow from the seed. Such runs are never ranked."""

    kind: Literal["faults", "prompts"] = Field(description="Tool calls that fail, or the wording of queries.")
    rate: Annotated[float, Field(gt=0, lt=1)] | None = Field(
        description="Share of the tool calls that fail; null for prompts."
    )


class Config(Schema):
    """Everything that changes the scores: the receipt's `config`."""

    runs_per_task: Annotated[int, Field(ge=1, le=MAX_REPEATS)] = Field(description="Runs of each task.")
    seed: Seed = Field(description="Seed of random choices and of the bootstrap.")
    limit: Positive | None = Field(description="How many of the first tasks were run; null for all.")
    isolation: Literal["process"] | None = Field(
        default=None, description="Isolation of the system; null for published results."
    )
    budget: Budget | None = Field(default=None, description="Limits of each run; null for published results.")
    concurrency: Positive | None = Field(
        default=None, description="Runs at the same time; null for published results."
    )
    prices: Sha256Hex | None = Field(
        default=None, description="SHA-256 of the price table; null if nothing has a price."
    )
    subject_sha256: Sha256Hex | None = Field(
        description="SHA-256 of the system's program; null where unknown."
    )
    options: dict[Text, Scalar] = Field(description="Other settings of the system.")
    perturbation: Perturbed | None = Field(default=None, description="What was perturbed; null for nothing.")
    source: Source | None = Field(
        description="Where imported results were published; null for runs made here."
    )


def perturbation_words(config: Mapping[str, Any]) -> str:
    """Return what a receipt's `config` perturbs, in words: `faults 0.1`, `prompts`; empty for nothing."""
    found = config.get("perturbation")
    if found is None:
        return ""
    return found["kind"] if found["rate"] is None else f"{found['kind']} {found['rate']:g}"
