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
    """Model of one role, as requested and as it responded."""

    requested: Seen | None = Field(description="Requested model; null if the source doesn't state it.")
    responded: Seen | None = Field(description="Model that responded; null if none did or none is stated.")
    sha256: Sha256Hex | None = Field(
        default=None, description="SHA-256 of the model file; null if it isn't on this machine."
    )
    settings: Annotated[dict[Text, Scalar], Field(max_length=100)] = Field(
        default_factory=dict,
        description="Model settings that can change answers; non-scalar values as JSON text.",
    )


class System(Schema):
    """Measured system."""

    name: Slug = Field(description="Name of the system.")
    version: Seen = Field(description="Version of the system; for published results, their date.")
    kind: Literal["baseline", "single-agent", "multi-agent"] = Field(description="Type of system.")
    models: Annotated[dict[Slug, ModelUse], Field(max_length=MAX_ROLES)] = Field(
        default_factory=dict, description="Model of each role; empty if the system uses none."
    )
    sizes: Annotated[dict[Metric, Count], Field(max_length=MAX_ROLES)] = Field(
        default_factory=dict, description="Sizes that the system reports, such as `agents` and `rounds`."
    )
    prompts: Sha256Hex | None = Field(
        default=None, description="SHA-256 of the prompts' canonical JSON; null if the system reports none."
    )
    model: Seen | None = Field(
        default=None, description="Deprecated, only read: model of a draft made before models had roles."
    )


class Benchmark(Schema):
    """Benchmark that was run, its size, and how much of it may be published."""

    id: Slug = Field(description="Id of the benchmark.")
    sha256: Sha256Hex = Field(description="SHA-256 of the data's canonical JSON.")
    tasks: Positive = Field(description="Number of tasks in the whole benchmark.")
    publish: Literal["full", "redacted", "sealed"] = Field(
        description="How much of the tasks may be published."
    )
    edition: Text | None = Field(default=None, description="Edition of the data, if there are several.")
    evaluator: Seen | None = Field(
        default=None, description="External evaluator that decided the outcomes, if benchsite can't."
    )


class Denominator(Schema):
    """Tasks that a score counts and excludes; ``num`` only for proportions."""

    num: Count | None = Field(default=None, description="Numerator of a proportion; absent for other means.")
    den: Count = Field(description="Number of tasks in the mean.")
    excluded: Count = Field(description="Number of tasks for which the metric is not defined.")


class Interval(Schema):
    """95% CI of a score, clustered by task."""

    low: float = Field(description="Lower bound.")
    high: float = Field(description="Upper bound.")
    method: Literal["wilson", "bootstrap"] = Field(description="Wilson score interval or bootstrap.")


Denominators: TypeAlias = Annotated[dict[Metric, Denominator], Field(max_length=MAX_METRICS)]
Intervals: TypeAlias = Annotated[dict[Metric, Interval], Field(max_length=MAX_METRICS)]


class Table(Schema):
    """Scores of the tasks in one domain."""

    scores: Scores = Field(description="Scores by metric.")
    denominators: Denominators = Field(description="Denominator of each score, by metric.")
    intervals: Intervals = Field(description="95% CI of each score, by metric.")


def _require_even(first: tuple[object, ...], columns: Iterable[tuple[object, ...] | None]) -> None:
    if any(column is not None and len(column) != len(first) for column in columns):
        raise ValueError(said("columns-uneven"))


_Counts: TypeAlias = Annotated[tuple[Count | None, ...], Field(strict=False, max_length=MAX_RUNS)] | None
_Amounts: TypeAlias = Annotated[tuple[Amount | None, ...], Field(strict=False, max_length=MAX_RUNS)] | None
_Shares: TypeAlias = Annotated[tuple[Share | None, ...], Field(strict=False, max_length=MAX_RUNS)] | None
_Flags: TypeAlias = Annotated[tuple[bool, ...], Field(strict=False, max_length=MAX_RUNS)]
_Limits: TypeAlias = Annotated[tuple[Limit | None, ...], Field(strict=False, max_length=MAX_RUNS)] | None


class Tasks(Schema):
    """Tasks that were run, stored by column."""

    id: Annotated[tuple[Slug, ...], Field(strict=False, min_length=1, max_length=MAX_RUNS)] = Field(
        description="Task id."
    )
    domain: Annotated[tuple[Text, ...], Field(strict=False, max_length=MAX_RUNS)] = Field(
        description="Domain of the task."
    )
    needs_action: Annotated[tuple[bool, ...], Field(strict=False, max_length=MAX_RUNS)] | None = Field(
        default=None,
        description="Whether the task requires an action; absent if the benchmark doesn't say.",
    )

    action_consistency: _Shares = Field(
        default=None,
        description="1 − mean divergence between the actions of the task's successful runs, from the traces.",
    )
    sequence_consistency: _Shares = Field(
        default=None,
        description="1 − mean edit distance between the actions of the task's successful runs, from the traces.",
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
    """Runs, stored by column, one entry per run; a column without data in the source is absent."""

    task_id: Annotated[tuple[Slug, ...], Field(strict=False, min_length=1, max_length=MAX_RUNS)] = Field(
        description="Task id of the run."
    )
    run: Annotated[tuple[Positive, ...], Field(strict=False, max_length=MAX_RUNS)] = Field(
        description="Run number within its task, from 1."
    )
    outcome: Annotated[tuple[Outcome, ...], Field(strict=False, max_length=MAX_RUNS)] = Field(
        description="How the run ended."
    )
    limit: _Limits = Field(default=None, description="Limit that ended the run, if its outcome is `limit`.")
    completion: _Flags = Field(
        description="Whether the run ended with an answer and without an explicit failure."
    )
    harmful: _Flags | None = Field(
        default=None, description="Whether the run changed the state to something other than expected."
    )
    score: _Shares = Field(default=None, description="Evaluator's score, from 0 to 1.")
    confidence: _Shares = Field(default=None, description="Confidence reported by the system, from 0 to 1.")
    judged: Annotated[tuple[bool | None, ...], Field(strict=False, max_length=MAX_RUNS)] | None = Field(
        default=None,
        description="Whether an external judge accepts the answer, as imported; null without a verdict.",
    )
    evidence_recall: _Shares = Field(
        default=None, description="Share of the task's evidence documents that were retrieved or opened."
    )
    steps: _Counts = Field(default=None, description="Number of trace events.")
    tool_calls: _Counts = Field(
        default=None, description="Number of tool calls, without messages between agents."
    )
    tool_failures: _Counts = Field(default=None, description="Number of tool calls that failed.")
    backtracks: _Counts = Field(
        default=None, description="Number of events that revise or redo earlier work."
    )
    loop_num: _Counts = Field(default=None, description="Numerator of the loop score.")
    loop_den: _Counts = Field(default=None, description="Denominator of the loop score.")
    verifies: _Counts = Field(default=None, description="Number of verification events.")
    agent_to_agent: _Counts = Field(default=None, description="Number of message edges from agents.")
    system_mediated: _Counts = Field(default=None, description="Number of message edges from the system.")
    handoffs: _Counts = Field(default=None, description="Number of changes of the acting agent.")
    turns: _Counts = Field(default=None, description="Number of model completions.")
    redundancy: _Shares = Field(
        default=None, description="Mean similarity of the agents' artifacts, from 0 to 1."
    )
    latency_ms: _Amounts = Field(default=None, description="Sum of event latencies, in ms.")
    latency_wall_ms: _Amounts = Field(
        default=None, description="Wall-clock time from first start to last end, in ms."
    )
    tokens: _Counts = Field(default=None, description="Number of input and output tokens.")
    cost_usd: _Amounts = Field(default=None, description="Cost in US dollars.")

    @model_validator(mode="after")
    def _even(self) -> Self:
        _require_even(self.task_id, (getattr(self, name) for name in type(self).model_fields))
        return self


class Calibration(Schema):
    """How well confidence matches success, pooled over all runs that report a confidence."""

    runs: Positive = Field(description="Number of runs that report a confidence.")
    calibration_error: Share = Field(description="Expected calibration error over 10 bins.")
    auroc: Share | None = Field(
        description="Probability that a success has a higher confidence than a failure; null unless both occur."
    )


class Answers(Schema):
    """Figures of judged answers and of retrieved evidence, as BrowseComp-Plus defines them; shown, never ranked."""

    judge_success: Share | None = Field(
        description="Mean over tasks of the share of runs that the judge accepts; a run without a verdict counts as wrong."
    )
    judge_verdicts: Count = Field(description="Number of runs with a verdict of the judge.")
    judge_calibration_error: Share | None = Field(
        description="RMS calibration error by the judge, over bins of 100 runs; null below 200 runs."
    )
    exact_calibration_error: Share | None = Field(
        description="RMS calibration error by `outcome`, over bins of 100 runs; null below 200 runs."
    )
    evidence_recall: Share | None = Field(
        description="Mean over tasks of the share of evidence documents that were retrieved or opened."
    )


class Payload(Schema):
    """Every key of an agents receipt that the envelope does not know."""

    system: System = Field(description="Measured system and its models.")
    benchmark: Benchmark = Field(description="Benchmark and its evaluator.")
    scores: Scores = Field(description="Scores by metric.")
    denominators: Denominators = Field(description="Denominator of each score, by metric.")
    intervals: Intervals = Field(description="95% CI of each score, clustered by task.")
    by_domain: Annotated[dict[Text, Table], Field(max_length=MAX_DOMAINS)] = Field(
        description="Scores, denominators and intervals by domain."
    )
    timing: Scores = Field(description="Latency metrics, as means over tasks; re-scored, not ranked.")
    calibration: Calibration | None = Field(
        default=None,
        description="How well confidence matches success; absent if no run reports a confidence.",
    )
    answers: Answers | None = Field(
        default=None, description="Judged answers and retrieved evidence; absent if no run states either."
    )
    tasks: Tasks = Field(description="Tasks that were run, by column.")
    runs: Runs = Field(description="Evidence: one entry per run, by column.")
