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
    """Imported file, by its path in the published folder."""

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
    """Where imported results were published: format, configuration and files."""

    kind: Slug = Field(description="Format of the published results.")
    configuration: Text = Field(description="Name of the published configuration.")
    files: Annotated[tuple[SourceFile, ...], Field(strict=False, min_length=1, max_length=MAX_FILES)] = Field(
        description="Imported files."
    )
    references: Annotated[tuple[Seen, ...], Field(strict=False, max_length=20)] | None = Field(
        default=None, description="Sources of the runs, as stated by the importing person."
    )
    stated: Annotated[tuple[StatedScore, ...], Field(strict=False, max_length=50)] | None = Field(
        default=None, description="Scores that the files state of themselves."
    )


class Budget(Schema):
    """Limits of one run, counted by the harness; null means no limit."""

    tool_calls: Positive | None = Field(description="Maximum number of tool calls.")
    messages: Count | None = Field(description="Maximum number of recorded messages between agents.")
    tokens: Positive | None = Field(
        description="Maximum number of input and output tokens; the last completion may exceed it."
    )
    seconds: Amount | None = Field(description="Maximum wall-clock time, in seconds.")


class Perturbed(Schema):
    """Perturbation of the runs, drawn from the seed; perturbed runs are never ranked."""

    kind: Literal["faults", "prompts"] = Field(description="Failing tool calls, or the wording of queries.")
    rate: Annotated[float, Field(gt=0, lt=1)] | None = Field(
        description="Proportion of tool calls that fail; null for prompts."
    )


class Config(Schema):
    """All settings that can change the scores: the receipt's `config`."""

    runs_per_task: Annotated[int, Field(ge=1, le=MAX_REPEATS)] = Field(
        description="Number of runs of each task."
    )
    seed: Seed = Field(description="Seed for random choices and the bootstrap.")
    limit: Positive | None = Field(description="Number of tasks run, from the first; null for all.")
    isolation: Literal["process"] | None = Field(
        default=None, description="Isolation of the system; null for published results."
    )
    budget: Budget | None = Field(default=None, description="Limits of each run; null for published results.")
    concurrency: Positive | None = Field(
        default=None, description="Number of concurrent runs; null for published results."
    )
    prices: Sha256Hex | None = Field(
        default=None, description="SHA-256 of the price table; null if nothing has a price."
    )
    subject_sha256: Sha256Hex | None = Field(description="SHA-256 of the system's program; null if unknown.")
    options: dict[Text, Scalar] = Field(description="Other settings of the system.")
    perturbation: Perturbed | None = Field(
        default=None, description="What was perturbed; null if nothing was."
    )
    source: Source | None = Field(description="Where imported results were published; null for other runs.")


def perturbation_words(config: Mapping[str, Any]) -> str:
    """Return what a receipt's `config` perturbs, in words: `faults 0.1`, `prompts`; empty for nothing."""
    found = config.get("perturbation")
    if found is None:
        return ""
    return found["kind"] if found["rate"] is None else f"{found['kind']} {found['rate']:g}"
