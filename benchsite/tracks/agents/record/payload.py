"""The agents track's own keys of a receipt: schema 1.0.0. Its `config` is in `config`.

Owns their shape (specs/agents.md; DESIGN.md "Receipts"). The evidence of a receipt is two tables stored by column:
`tasks`, one entry a task, and `runs`, one entry a run. A column that the source tells nothing about is absent; a
single value that it does not tell is null: blank is never 0. Relations between the numbers are `violations`'
business. Refuses unknown keys, numbers that are not finite, and free text from a system.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Final, Literal, Self, TypeAlias

from pydantic import Field, StringConstraints, field_validator, model_validator

from benchsite.schema import Schema, Seen, Sha256Hex, Slug, Text
from benchsite.tracks.agents.record.config import Amount, Config, Count, Positive, Scalar
from benchsite.tracks.agents.record.sentences import said

__all__ = ["Benchmark", "Config", "Limit", "ModelUse", "Outcome", "Payload", "System"]

Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]
Metric: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]

# A re-score runs before any signature is checked: its cost is bounded by more than the file's size.
MAX_RUNS: Final = 100_000
MAX_DOMAINS: Final = 50
MAX_METRICS: Final = 100
MAX_ROLES: Final = 20

Outcome: TypeAlias = Literal["success", "failure", "limit", "error"]
Limit: TypeAlias = Literal[
    "tokens", "messages", "tool-calls", "rounds", "iterations", "seconds", "cost", "context"
]

Scores: TypeAlias = Annotated[dict[Metric, float], Field(max_length=MAX_METRICS)]


class ModelUse(Schema):
    """The model of one role: as it was requested and as it responded, each null if it is not stated."""

    requested: Seen | None = Field(
        description="Model that was requested; null if the source does not state it."
    )
    responded: Seen | None = Field(
        description="Model that responded; null if no model did or none is stated."
    )
    sha256: Sha256Hex | None = Field(
        default=None, description="SHA-256 of the model's file; null if it isn't on this machine."
    )
    settings: Annotated[dict[Text, Scalar], Field(max_length=100)] = Field(
        default_factory=dict,
        description="Settings of the model that shape answers; JSON text if not a scalar.",
    )


class System(Schema):
    """The measured system."""

    name: Slug = Field(description="Name of the system.")
    version: Seen = Field(description="Version of the system; of published results the date.")
    kind: Literal["baseline", "single-agent", "multi-agent"] = Field(description="What it is.")
    models: Annotated[dict[Slug, ModelUse], Field(max_length=MAX_ROLES)] = Field(
        default_factory=dict, description="Model of each role; empty without a model."
    )
    sizes: Annotated[dict[Metric, Count], Field(max_length=MAX_ROLES)] = Field(
        default_factory=dict, description="Sizes that the system states, such as `agents` and `rounds`."
    )
    prompts: Sha256Hex | None = Field(
        default=None, description="SHA-256 of its prompts, as canonical JSON; null if it states none."
    )
    model: Seen | None = Field(
        default=None, description="Only read: the model of a draft made before models had roles."
    )


class Benchmark(Schema):
    """What was run: how many tasks the whole benchmark has, and what of it may be published."""

    id: Slug = Field(description="Id of the benchmark.")
    sha256: Sha256Hex = Field(description="SHA-256 of its data, as canonical JSON.")
    tasks: Positive = Field(description="Tasks of the whole benchmark.")
    publish: Literal["full", "redacted", "sealed"] = Field(description="What of its tasks may be shown.")
    edition: Text | None = Field(default=None, description="Edition of its data, if it has several.")
    evaluator: Seen | None = Field(
        default=None, description="Who decided the outcomes, if that was not done here and cannot be."
    )


class Denominator(Schema):
    """What a score counts and excludes, in tasks; ``num`` successes of ``den`` runs where each task has equally many."""

    num: Count | None = Field(default=None, description="Numerator of a share; absent for other means.")
    den: Count = Field(description="Tasks in the mean.")
    excluded: Count = Field(description="Tasks for which the metric is blank.")


class Interval(Schema):
    """95% CI of a score, clustered by task."""

    low: float = Field(description="Lower end.")
    high: float = Field(description="Upper end.")
    method: Literal["wilson", "bootstrap"] = Field(description="How it was computed.")


Denominators: TypeAlias = Annotated[dict[Metric, Denominator], Field(max_length=MAX_METRICS)]
Intervals: TypeAlias = Annotated[dict[Metric, Interval], Field(max_length=MAX_METRICS)]


class Table(Schema):
    """Scores of the tasks of one domain."""

    scores: Scores = Field(description="Scores of these tasks.")
    denominators: Denominators = Field(description="What each score counts.")
    intervals: Intervals = Field(description="The 95% CI of each score.")


def _require_even(first: tuple[object, ...], columns: Iterable[tuple[object, ...] | None]) -> None:
    if any(column is not None and len(column) != len(first) for column in columns):
        raise ValueError(said("columns-uneven"))


_Counts: TypeAlias = Annotated[tuple[Count | None, ...], Field(strict=False, max_length=MAX_RUNS)] | None
_Amounts: TypeAlias = Annotated[tuple[Amount | None, ...], Field(strict=False, max_length=MAX_RUNS)] | None
_Shares: TypeAlias = Annotated[tuple[Share | None, ...], Field(strict=False, max_length=MAX_RUNS)] | None
_Flags: TypeAlias = Annotated[tuple[bool, ...], Field(strict=False, max_length=MAX_RUNS)]
_Limits: TypeAlias = Annotated[tuple[Limit | None, ...], Field(strict=False, max_length=MAX_RUNS)] | None


class Tasks(Schema):
    """The tasks that were run, by column."""

    id: Annotated[tuple[Slug, ...], Field(strict=False, min_length=1, max_length=MAX_RUNS)] = Field(
        description="Id of the task."
    )
    domain: Annotated[tuple[Text, ...], Field(strict=False, max_length=MAX_RUNS)] = Field(
        description="Domain of the task."
    )
    needs_action: Annotated[tuple[bool, ...], Field(strict=False, max_length=MAX_RUNS)] | None = Field(
        default=None,
        description="False where doing nothing succeeds; absent where the benchmark does not tell.",
    )

    action_consistency: _Shares = Field(
        default=None,
        description="1 − mean divergence of the actions of its successful runs; from the traces.",
    )
    sequence_consistency: _Shares = Field(
        default=None,
        description="1 − mean edit distance of the actions of its successful runs; from the traces.",
    )

    @field_validator("domain")
    @classmethod
    def _few_domains(cls, domain: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(domain)) > MAX_DOMAINS:
            raise ValueError(said("domains-many", most=MAX_DOMAINS))
        return domain

    @model_validator(mode="after")
    def _even(self) -> Self:
        _require_even(
            self.id, (self.domain, self.needs_action, self.action_consistency, self.sequence_consistency)
        )
        return self


class Runs(Schema):
    """One entry a run in every column; a column that its source tells nothing about is absent."""

    task_id: Annotated[tuple[Slug, ...], Field(strict=False, min_length=1, max_length=MAX_RUNS)] = Field(
        description="Task of the run."
    )
    run: Annotated[tuple[Positive, ...], Field(strict=False, max_length=MAX_RUNS)] = Field(
        description="Number of the run among those of its task, from 1."
    )
    outcome: Annotated[tuple[Outcome, ...], Field(strict=False, max_length=MAX_RUNS)] = Field(
        description="How the run ended."
    )
    limit: _Limits = Field(default=None, description="Limit that ended a run of outcome `limit`.")
    completion: _Flags = Field(description="Whether it ended with an answer and without an explicit failure.")
    harmful: _Flags | None = Field(
        default=None, description="Whether it changed the state, and not to the expected one."
    )
    score: _Shares = Field(default=None, description="The evaluator's score.")
    confidence: _Shares = Field(default=None, description="The system's own confidence.")
    steps: _Counts = Field(default=None, description="Events of the trace.")
    tool_calls: _Counts = Field(default=None, description="Tool calls, without messages between agents.")
    tool_failures: _Counts = Field(default=None, description="Tool calls that failed.")
    backtracks: _Counts = Field(default=None, description="Events that revise or redo.")
    loop_num: _Counts = Field(default=None, description="Numerator of the loop score.")
    loop_den: _Counts = Field(default=None, description="Denominator of the loop score.")
    verifies: _Counts = Field(default=None, description="Events that verify.")
    agent_to_agent: _Counts = Field(default=None, description="Edges of messages sent by agents.")
    system_mediated: _Counts = Field(default=None, description="Edges of messages sent by the system.")
    handoffs: _Counts = Field(default=None, description="Changes of actor.")
    turns: _Counts = Field(default=None, description="Completions of a model.")
    redundancy: _Shares = Field(default=None, description="Mean similarity of the artifacts of its agents.")
    latency_ms: _Amounts = Field(
        default=None, description="Sum of the latencies of the events, in milliseconds."
    )
    latency_wall_ms: _Amounts = Field(
        default=None, description="Last end minus first start, in milliseconds."
    )
    tokens: _Counts = Field(default=None, description="Input and output tokens.")
    cost_usd: _Amounts = Field(default=None, description="Cost in US dollars.")

    @model_validator(mode="after")
    def _even(self) -> Self:
        _require_even(self.task_id, (getattr(self, name) for name in type(self).model_fields))
        return self


class Calibration(Schema):
    """How the confidence of the runs fits their success, pooled over all runs that state one."""

    runs: Positive = Field(description="Runs that state a confidence.")
    calibration_error: Share = Field(
        description="Mean gap between confidence and success rate, over 10 bins."
    )
    auroc: Share | None = Field(
        description="Probability that a success has the higher confidence; null without both outcomes."
    )


class Payload(Schema):
    """Every key of an agents receipt that the envelope does not know."""

    system: System = Field(description="The measured system.")
    benchmark: Benchmark = Field(description="The tasks and their evaluator.")
    scores: Scores = Field(description="Every score, by metric.")
    denominators: Denominators = Field(description="What each score counts.")
    intervals: Intervals = Field(description="The 95% CI of each score, clustered by task.")
    by_domain: Annotated[dict[Text, Table], Field(max_length=MAX_DOMAINS)] = Field(
        description="The same for the tasks of each domain."
    )
    timing: Scores = Field(
        description="Means over tasks of what a clock gave, in milliseconds; re-scored, not ranked."
    )
    calibration: Calibration | None = Field(
        default=None, description="How confidence fits success; absent if no run states one."
    )
    tasks: Tasks = Field(description="The tasks that were run, by column.")
    runs: Runs = Field(description="The evidence: one entry per run, by column.")
