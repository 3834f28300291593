"""What tables say of a receipt of the track: shares with their counts, outcomes, domains, and why a number is blank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import Any, Final

from benchsite.receipt import Document
from benchsite.tracks.agents import TRACK
from benchsite.tracks.agents.record.runs import OUTCOMES
from benchsite.tracks.agents.scores.scoring import HARMFUL, NEEDS_ACTION, OF_DOMAINS, SUCCESS, TIMED
from benchsite.words import amount, percent

NAMES: Final[Mapping[str, str]] = {"null": "does nothing"}
"""What a baseline is called where its name alone says little."""

_LIMITS: Final[Mapping[str, str]] = {"context": "context window"}


@dataclass(frozen=True, slots=True)
class Share:
    """One score of some of the tasks, with its counts; every field is None where it is blank."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    num: int | None = None
    den: int | None = None

    @classmethod
    def of(cls, table: Mapping[str, Any], name: str) -> Share:
        """A metric of a receipt, or of one of its domains."""
        counted, interval = table["denominators"].get(name) or {}, table["intervals"].get(name) or {}
        value = table["scores"].get(name)
        return cls(value, interval.get("low"), interval.get("high"), counted.get("num"), counted.get("den"))

    @property
    def text(self) -> str:
        """`42.6%`."""
        return percent(self.value)

    @property
    def counts(self) -> str:
        """`294/690`, or `n = 690` where no numerator is stated; empty where it is blank."""
        if not self.den:
            return ""
        return f"n = {self.den:,}" if self.num is None else f"{self.num:,}/{self.den:,}"

    @property
    def ci(self) -> str:
        """`[39.0%, 46.3%]`; a dash without an interval."""
        return "–" if self.low is None else f"[{percent(self.low)}, {percent(self.high)}]"

    @property
    def heat(self) -> int:
        """The shade of its cell, 0 to 5 with the value."""
        return min(5, max(0, int((self.value or 0.0) * 6)))


_HARMFUL: Final = ", harmful"
_TONES: Final[Mapping[str, str]] = {"success": "good", "error": "caution"}


def parted(outcome: str) -> tuple[str, bool]:
    """How a run ended, and whether it was harmful, from an entry of `Measured.outcomes`."""
    return outcome.removesuffix(_HARMFUL), outcome.endswith(_HARMFUL)


def tone(outcome: str) -> str:
    """The color of an entry of `Measured.outcomes`."""
    word, harmful = parted(outcome)
    return "bad" if harmful else _TONES.get(word, "")


@dataclass(frozen=True, slots=True)
class Measured:
    """What tables show of a receipt besides its headline.

    Attributes:
        tasks, runs: how many were run.
        once: whether every task was run once.
        errors: runs that ended in an error of the infrastructure.
        shares: the four shares of `scoring.OF_DOMAINS`, by name.
        domains: success by domain.
        outcomes: task to how each of its runs ended, in their order: `failure, harmful`.
    """

    tasks: int
    runs: int
    once: bool
    errors: int
    shares: Mapping[str, Share]
    domains: Mapping[str, Share]
    outcomes: Mapping[str, tuple[str, ...]]

    @property
    def success(self) -> Share:
        """The headline."""
        return self.shares[SUCCESS]

    @property
    def needs_action(self) -> Share:
        """Success where doing nothing fails."""
        return self.shares[NEEDS_ACTION]

    @property
    def harm(self) -> Share:
        """Failures that changed the state."""
        return self.shares[HARMFUL]


def measured(document: Document) -> Measured:
    """Read a receipt's body."""
    runs = document["runs"]
    outcomes: dict[str, list[str]] = {}
    harmful = runs.get("harmful") or repeat(False)
    for task, outcome, harm in zip(runs["taskId"], runs["outcome"], harmful, strict=False):
        outcomes.setdefault(task, []).append(f"{outcome}{_HARMFUL}" if harm else outcome)
    return Measured(
        tasks=len(outcomes),
        runs=len(runs["taskId"]),
        once=run_once(document),
        errors=sum(outcome == "error" for outcome in runs["outcome"]),
        shares={name: Share.of(document, name) for name in OF_DOMAINS},
        domains={name: Share.of(table, SUCCESS) for name, table in document["byDomain"].items()},
        outcomes={task: tuple(found) for task, found in outcomes.items()},
    )


def run_once(document: Document) -> bool:
    """Whether every task was run once."""
    tasks = document["runs"]["taskId"]
    return len(set(tasks)) == len(tasks)


def outcome_counts(document: Document) -> tuple[tuple[str, int], ...]:
    """How many runs ended how, in words; limits by what was reached."""
    runs = document["runs"]
    limits = runs.get("limit") or [None] * len(runs["outcome"])
    found = Counter(zip(runs["outcome"], limits, strict=True))
    ordered = sorted(found.items(), key=lambda item: (OUTCOMES.index(item[0][0]), -item[1], str(item[0][1])))
    return tuple((_outcome(outcome, limit), count) for (outcome, limit), count in ordered)


def _outcome(outcome: str, limit: str | None) -> str:
    return outcome if limit is None else f"limit: {_LIMITS.get(limit, limit)}"


_REASONS: Final[tuple[tuple[str, frozenset[str]], ...]] = (
    (
        "the source states no token counts",
        frozenset({"tokens_total", "tokens_var", "tokens_cv", "cost_per_success"}),
    ),
    ("the source states no cost", frozenset({"cost_total"})),
    ("one run per task has no spread", frozenset({"success_var", "stability"})),
    ("the traces name no model", frozenset({"turns_total"})),
    ("no run has artifacts of two agents", frozenset({"redundancy"})),
    ("no confidence is recorded", frozenset({"brier_score"})),
    (
        "no task has two successful runs with a trace",
        frozenset({"action_consistency", "sequence_consistency"}),
    ),
    ("the benchmark does not say where doing nothing succeeds", frozenset({NEEDS_ACTION})),
    ("the benchmark's evaluator states no score", frozenset({"eval_avg_score"})),
)


def blanks(document: Document) -> tuple[tuple[str, str], ...]:
    """Why metrics are blank, and which ones: `no timestamps`, `Latency p95, Latency variance`."""
    found: dict[str, list[str]] = {}
    if not document["timing"]:
        found["no timestamps"] = [TRACK.metric(name).label for name in TIMED]
    for name in document["denominators"]:
        if name not in document["scores"]:
            found.setdefault(_reason(name, document), []).append(TRACK.metric(name).label)
    return tuple((reason, ", ".join(labels)) for reason, labels in found.items())


def _reason(name: str, document: Document) -> str:
    if name.startswith("pass_"):
        k = name.removesuffix("_valid").rpartition("_")[2]
        return (
            f"fewer than k runs per task ({amount(document['config']['runsPerTask'], 'run')}; k = 3, 5, 8)"
            if k
            else ""
        )
    return next((reason for reason, names in _REASONS if name in names), "not stated by the source")
