"""The certificate of an agents receipt: descriptor by group, denominators, outcomes, domains, sources and first runs.

A function of the receipt, its status record and the documents that it pins, and of no other receipt.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from benchsite.addresses import is_slug
from benchsite.board.receipt_view import Number, View, board_of, methodology_of, number, page
from benchsite.board.summary_text import measure_words
from benchsite.history import Header
from benchsite.methodology import Methodology
from benchsite.receipt import Document
from benchsite.track import Library, Page
from benchsite.tracks.agents import TRACK
from benchsite.tracks.agents.pages.leaderboard import LEADERBOARD
from benchsite.tracks.agents.pages.metric_table import Measured, Share, blanks, measured, outcome_counts
from benchsite.tracks.agents.pages.paths import runs_path
from benchsite.tracks.agents.record.columns import pinned
from benchsite.tracks.agents.scores.scoring import HARMFUL, NEEDS_ACTION, SUCCESS
from benchsite.tracks.agents.trace import archive
from benchsite.words import amount, figure, percent, share

SHOWN_RUNS: Final = 15
SHOWN_FILES: Final = 12

GROUPS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("Quality", (SUCCESS, "success_valid", NEEDS_ACTION, "completion", HARMFUL, "eval_avg_score")),
    ("Cost", ("tokens_total", "cost_total", "tool_calls_total", "cost_per_success")),
    (
        "Coordination",
        (
            "tool_error_rate",
            "communication_count",
            "agent_to_agent_communication_count",
            "system_mediated_communication_count",
            *("handoff_count", "turns_total", "redundancy"),
        ),
    ),
    (
        "Reliability",
        (
            *("success_var", "tokens_var", "stability", "tokens_cv"),
            *("action_consistency", "sequence_consistency", "brier_score"),
            *(f"pass_at_{k}" for k in (3, 5, 8)),
            *(f"pass_hat_{k}{suffix}" for k in (3, 5, 8) for suffix in ("", "_valid")),
        ),
    ),
    ("Process", ("steps_total", "backtrack_rate", "loop_score", "verification_density")),
)
"""The scores by the seed's letters: Q, C, D, R and P."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run: its task and number, both in words, domain, outcome with the limit, and counts."""

    task: str
    number: int
    name: str
    cells: tuple[str, str, str, str, str]


@dataclass(frozen=True, kw_only=True)
class Certificate(View):
    """Everything the template prints that is not the envelope's.

    Attributes:
        groups: the scores that are not blank and differ between tasks, by group.
        constant: the scores that are the same for every task.
        timing: what a clock gave, which is not ranked.
        blanks: why scores are blank, and which.
        outcomes: how many runs ended how.
        files: the imported files: name, SHA-256, size; `more_files` is how many are not shown.
        runs: the first runs; `several` whether a task was run more than once.
        runs_page: the page of every run; empty where the benchmark's id cannot be part of a path.
        profile: the reliability profile; empty where no task was run twice.
        traces: the entry of the pinned traces; None where there are none.
    """

    measured: Measured
    groups: tuple[tuple[str, tuple[Number, ...]], ...]
    constant: tuple[Number, ...]
    timing: tuple[tuple[str, str], ...]
    blanks: tuple[tuple[str, str], ...]
    outcomes: tuple[tuple[str, int], ...]
    domains: tuple[tuple[str, Share, Share, Share], ...]
    facts: tuple[tuple[str, str], ...]
    files: tuple[Mapping[str, Any], ...]
    more_files: int
    runs: tuple[Run, ...]
    several: bool
    runs_page: str
    calibration: tuple[tuple[str, str], ...]
    answers: tuple[tuple[str, str], ...]
    traces: Mapping[str, Any] | None


def receipt_page(header: Header, document: Document, library: Library) -> Page:
    """The page of a receipt whose numbers may be quoted."""
    view = certificate(header, document, library)
    return page(LEADERBOARD, header, document, view, "agents/receipt.html.j2")


def certificate(header: Header, document: Document, library: Library) -> Certificate:
    """Read a receipt's body into what its page says; `header.summary` must be present."""
    if header.summary is None:
        raise ValueError(f"receipt {header.receipt_id} failed verification: its scores are hidden")
    headline, target = header.summary.headline, header.summary.target
    rules = methodology_of(document, library)
    read = measured(document)
    groups = tuple(_groups(document, rules))
    numbers = tuple(one for _, found in groups for one in found)
    source = document["config"]["source"]
    files = source["files"] if source else ()
    return Certificate(
        headline=TRACK.metric(headline.metric).label,
        value=headline.value,
        low=headline.low,
        high=headline.high,
        sentence=_sentence(document, read),
        newer=library.newer(header.track, header.methodology),
        numbers=numbers,
        board=board_of(LEADERBOARD, header),
        here=library.fixture(target, header.summary.target_sha256) is not None,
        measured=read,
        groups=tuple((title, kept) for title, found in groups if (kept := tuple(filter(_varies, found)))),
        constant=tuple(one for one in numbers if not _varies(one)),
        timing=tuple(
            (TRACK.metric(name).label, f"{TRACK.metric(name).figure(value)}{TRACK.metric(name).scale}")
            for name, value in document["timing"].items()
        ),
        blanks=blanks(document),
        outcomes=outcome_counts(document),
        domains=tuple(
            (name, *(Share.of(table, metric) for metric in (SUCCESS, NEEDS_ACTION, HARMFUL)))
            for name, table in document["byDomain"].items()
        ),
        facts=tuple(_facts(document, header.summary.subject.label)),
        files=tuple(files[:SHOWN_FILES]),
        more_files=max(0, len(files) - SHOWN_FILES),
        runs=tuple(islice(_runs(document), SHOWN_RUNS)),
        several=not read.once,
        runs_page=runs_path(target, header.receipt_id) if is_slug(target) else "",
        calibration=tuple(_calibration(document.get("calibration"))),
        answers=tuple(_answers(document.get("answers"))),
        traces=pinned(document, archive.NAME),
    )


def _calibration(found: Mapping[str, Any] | None) -> Iterator[tuple[str, str]]:
    """How confidence fits success, pooled over runs; nothing if no run states a confidence."""
    if found is not None:
        yield "Calibration error of confidence", figure(found["calibrationError"])
        yield "AUROC", figure(found["auroc"])
        yield "n", amount(found["runs"], "run")


def _answers(found: Mapping[str, Any] | None) -> Iterator[tuple[str, str]]:
    """Judged answers and retrieved evidence; nothing if no run states either."""
    if found is None:
        return
    if found["judgeSuccess"] is not None:
        yield "Judge success", percent(found["judgeSuccess"])
        yield "verdicts", amount(found["judgeVerdicts"], "run")
    if found["judgeCalibrationError"] is not None:
        yield "RMS calibration error by the judge", percent(found["judgeCalibrationError"])
    if found["exactCalibrationError"] is not None:
        yield "RMS calibration error by exact match", percent(found["exactCalibrationError"])
    if found["evidenceRecall"] is not None:
        yield "Evidence recall", percent(found["evidenceRecall"])


def _groups(document: Document, rules: Methodology | None) -> Iterator[tuple[str, tuple[Number, ...]]]:
    """The scores that are not blank; success without errors only where errors occurred."""
    errors = "error" in document["runs"]["outcome"]
    for title, names in GROUPS:
        shown = [
            number(document, [name], TRACK.metric(name), _definition(name, rules))
            for name in names
            if name in document["scores"] and (errors or name != "success_valid")
        ]
        if shown:
            yield title, tuple(shown)


def _varies(one: Number) -> bool:
    """Whether a metric differs between tasks: resamples of equal values have an interval of one point."""
    return one.low is None or one.low != one.high


def _definition(name: str, rules: Methodology | None) -> str:
    """What a metric means, as the methodology has it."""
    if name.startswith("pass_hat_"):
        k, _, valid = name.removeprefix("pass_hat_").partition("_")
        return measure_words(f"pass_hat_k{'_valid' if valid else ''}", rules).replace(" k ", f" {k} ")
    return measure_words(name, rules)


def _sentence(document: Document, read: Measured) -> str:
    """Success and harm with their counts, and the runs that ended in an error."""
    success, needed, harm = read.success, read.needs_action, read.harm
    said = [f"Success {_counted(success)}"]
    if needed.value is not None:
        said.append(f"{_counted(needed)} where an action is needed")
    if harm.value is not None:
        said.append(f"harmful {_counted(harm)}")
    if read.errors:
        valid = TRACK.metric("success_valid").figure(document["scores"].get("success_valid"))
        said.append(f"{amount(read.errors, 'error')}; {valid} with errors excluded")
    return f"{'; '.join(said)}."


def _counted(one: Share) -> str:
    """`42.6% (294/690) of tasks`, without the counts where no numerator is stated."""
    if one.num is not None and one.den:
        return f"{share(one.num, one.den)} of tasks"
    return f"{one.text} over {amount(one.den or 0, 'task')}"


_KINDS: Final = {"single-agent": "single agent", "multi-agent": "multi-agent system", "baseline": "baseline"}


def _facts(document: Document, configured: str) -> Iterator[tuple[str, str]]:
    """The system, the settings of the run and where an imported result is from, line by line."""
    system, config, benchmark = document["system"], document["config"], document["benchmark"]
    words = [f"{system['name']} {system['version']}", _KINDS[system["kind"]]]
    yield "System", "; ".join([*words, *([configured] if configured else [])])
    run = len(document["tasks"]["id"])
    yield (
        "Tasks",
        f"{run:,} of {benchmark['tasks']:,}; {amount(config['runsPerTask'], 'run')} per task; seed {config['seed']}",
    )
    if source := config["source"]:
        said = f"{source['kind']}, configuration {source['configuration']}, {amount(len(source['files']), 'file')}"
        yield "Imported from", said
        if source.get("references"):
            yield "Source", "; ".join(source["references"])
        if source.get("stated"):
            yield (
                "Stated by the source",
                "; ".join(_beside(one, document["scores"]) for one in source["stated"]),
            )
    if evaluator := benchmark.get("evaluator"):
        yield "Evaluator", f"{evaluator}; declared, not run here"


def _beside(stated: Mapping[str, Any], scores: Mapping[str, float]) -> str:
    """A score that the source states, and the same statistic here if there is one."""
    here, text = scores.get(stated["ours"] or ""), f"{stated['name']}: {stated['value']:.6g}"
    if here is None:
        return f"{text} (not computed here)"
    label = TRACK.metric(stated["ours"]).label
    return f"{text} ({label} here: {'equal' if here == stated['value'] else f'{here:.6g}'})"


def _runs(document: Document) -> Iterator[Run]:
    """Every run with its counts, in the order of the receipt."""
    runs, domains = (
        document["runs"],
        dict(zip(document["tasks"]["id"], document["tasks"]["domain"], strict=True)),
    )
    for i, task in enumerate(runs["taskId"]):
        limit, harmful = _cell(runs, "limit", i), _cell(runs, "harmful", i)
        outcome = runs["outcome"][i] if limit is None else f"limit: {limit}"
        counts = (_cell(runs, name, i) for name in ("toolCalls", "steps"))
        yield Run(
            task,
            runs["run"][i],
            task if runs["run"][i] == 1 else f"{task}, run {runs['run'][i]}",
            (
                domains.get(task, "–"),
                outcome,
                "–" if harmful is None else "yes" if harmful else "no",
                *("–" if value is None else f"{value:,}" for value in counts),
            ),
        )


def _cell(runs: Mapping[str, Any], name: str, i: int) -> Any:
    """One value of a column; None where the column is absent."""
    column = runs.get(name)
    return None if column is None else column[i]
