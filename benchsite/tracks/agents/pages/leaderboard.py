"""The leaderboards of the agents track: one benchmark under one methodology version (methodology agents, section 8).

Imported results are ranked among themselves. Every row is compared with doing nothing, the `null` baseline.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from benchsite.board import RUNS, Board, Column, Facet, Leaderboard, Measure, Part, Row
from benchsite.board.items import Listed
from benchsite.board.summary_text import leader_words
from benchsite.methodology import Methodology
from benchsite.receipt import Document
from benchsite.track import DataColumn
from benchsite.tracks.agents import TRACK
from benchsite.tracks.agents.pages.metric_table import NAMES, Measured, Share, measured, run_once
from benchsite.tracks.agents.pages.outcome_cells import KINDS, evidence, kind_of
from benchsite.tracks.agents.pages.paths import tasks_path, texts_path
from benchsite.tracks.agents.scores.engines import ENGINES, parameters
from benchsite.tracks.agents.scores.scoring import HARMFUL, NEEDS_ACTION, SUCCESS, TIMED, successes
from benchsite.words import amount, counted, number_word, p_value, points, sentence_case

BASELINES: Final = ("null", "constant", "random-choice", "spam-tools")
OPTIONAL: Final = ("pass_hat_3", "tokens_total", "cost_total", "latency_p95")
"""Metrics with a column if any row has them."""


class Standing(NamedTuple):
    """A row against doing nothing: difference and p-value, the verdict in words where it is not better, and its tone."""

    delta: str = "–"
    p: str = ""
    words: str = ""
    tone: str = ""


def standing(row: Row) -> Standing:
    """By the paired test with the `null` baseline, Holm-adjusted."""
    found = row.to_baseline
    if found is None:
        return Standing()
    delta, p = points(found.delta), p_value(found.holm)
    if found.tied:
        return Standing(delta, p, "not significantly better than doing nothing", "caution")
    return (
        Standing(delta, p)
        if found.delta > 0
        else Standing(delta, p, "significantly worse than doing nothing", "bad")
    )


def name_of(row: Row) -> str:
    """What a row is called: `does nothing` for the baseline `null`."""
    return NAMES.get(row.name, row.name) if row.baseline else row.name


def _null(made: Board) -> Measured | None:
    """What doing nothing scored."""
    row = made.about.reference(made.baselines)
    return row.besides if row else None


def _detail(made: Board) -> Mapping[str, Any]:
    """What the template shows besides the rows."""
    fixture = made.library.fixture(made.target, made.sha256) or {}
    rows = (*made.rows, *made.imported.ranked)
    return {
        "domains": tuple(dict.fromkeys(domain for row in rows for domain in row.besides.domains)),
        "errors": any(row.besides.errors for row in rows),
        "null": _null(made),
        "name": name_of,
        "license": str(fixture.get("license", "")),
        "source": str(fixture.get("source", "")),
    }


_TITLES: Final = {"workbench": "WorkBench: office tasks with 26 tools"}


def title(made: Board) -> str:
    """The benchmark's name where it is known here; else its id, tasks and domains."""
    if made.target in _TITLES:
        return _TITLES[made.target]
    if made.newest is None:
        return sentence_case(made.target)
    tasks = amount(made.newest["benchmark"]["tasks"], "task")
    return f"{made.target}: {tasks} in {counted(len(made.detail['domains']), 'domain')}"


def lede(made: Board) -> str:
    """How many rows are better than doing nothing, how many worse, and what doing nothing scores."""
    rows = (*made.ranked, *made.imported.ranked)
    if not rows and not made.baselines:
        return "No receipt on this benchmark is ranked. Reasons are listed below."
    return " ".join((*_standings(made, rows), *_doing_nothing(made)))


def _standings(made: Board, rows: Sequence[Row]) -> Iterator[str]:
    noun = "published configuration" if not made.ranked else "system"
    if not rows:
        yield f"{sentence_case(counted(len(made.baselines), 'baseline'))}; no system has been run yet."
        return
    found = [row.to_baseline for row in rows if row.to_baseline is not None]
    if not found:
        yield f"{sentence_case(counted(len(rows), noun))}."
        return
    better = sum(one.delta > 0 and not one.tied for one in found)
    worse = sum(one.delta < 0 and not one.tied for one in found)
    if len(found) == 1:
        verdict = (
            "significantly worse"
            if worse
            else "significantly better"
            if better
            else "not significantly better"
        )
        yield f"The only {noun} is {verdict} than doing nothing."
        return
    who = f"{sentence_case(number_word(better) if better else 'none')} of {counted(len(found), noun)}"
    said = f"{who} {'are' if better > 1 else 'is'} significantly better than doing nothing"
    yield (
        f"{said}; {number_word(worse)} {'is' if worse == 1 else 'are'} significantly worse."
        if worse
        else f"{said}."
    )


def _doing_nothing(made: Board) -> Iterator[str]:
    null = _null(made)
    if null is None:
        yield "Doing nothing was not run, so no row is compared with it."
        return
    value, needed = null.success, null.needs_action
    said = f"Doing nothing succeeds on {_tasks(value)}"
    if value.value is not None and value.value >= _passive_share(made) and needed.den:
        yield f"{said}, so every row also shows the {needed.den:,} tasks that need an action."
    else:
        yield f"{said}."


def _tasks(value: Share) -> str:
    """`124/690 tasks (18.0%)`."""
    return (
        f"{value.counts} tasks ({value.text})"
        if value.num is not None
        else f"{value.text} of {value.den or 0:,} tasks"
    )


def _passive_share(made: Board) -> float:
    """The share from which a leaderboard says on how many tasks doing nothing succeeds."""
    rules = made.library.methodology(TRACK.name, made.methodology)
    scored = rules is not None and rules.engine in ENGINES
    return parameters(rules).passive_share if scored and rules is not None else 0.1


def sentence(made: Board) -> str:
    """Of the front page: what is ranked, and the leader against doing nothing."""
    if not made.leaders:
        return f"{sentence_case(counted(len(made.baselines), 'baseline'))}; no ranked system."
    first = made.leaders[0]
    said = [] if made.ranked else ["Imported transcripts: graded here, not run here."]
    if first.to_baseline is not None:
        found = standing(first)
        said.append(
            f"{sentence_case(found.words or 'significantly better than doing nothing')} ({found.delta}, {found.p})."
        )
    return " ".join(said) or f"{leader_words(made.about, made.leaders)}."


def _under(methodology: Methodology) -> Leaderboard:
    """With the level and the permutations of a methodology."""
    if methodology.engine not in ENGINES:
        return LEADERBOARD
    known = parameters(methodology)
    return replace(LEADERBOARD, flips=known.flips, level=known.level)


def _texts_of(made: Board) -> str:
    """Path of the texts of a benchmark's tasks; empty if they are not shown."""
    shown = made.newest is not None and made.newest["benchmark"]["publish"] == "full"
    return texts_path(made.target) if shown and made.library.fixture(made.target, made.sha256) else ""


def _read(name: str, field: str) -> Any:
    """A reader of one count of a share, for the data files."""
    return lambda document: getattr(Share.of(document, name), field)


def _score(name: str) -> Any:
    return lambda document: document["scores"].get(name)


def _time(name: str) -> Any:
    return lambda document: document["timing"].get(name)


FIELDS: Final[Mapping[str, Any]] = {
    "successNum": _read(SUCCESS, "num"),
    "successDen": _read(SUCCESS, "den"),
    "errorsExcluded": _score("success_valid"),
    "needsAction": _score(NEEDS_ACTION),
    "needsActionNum": _read(NEEDS_ACTION, "num"),
    "needsActionDen": _read(NEEDS_ACTION, "den"),
    "harmful": _score(HARMFUL),
    "harmfulNum": _read(HARMFUL, "num"),
    "completion": _score("completion"),
    **{name: _score(name) for name in OPTIONAL if name not in TIMED},
    **{name: _time(name) for name in OPTIONAL if name in TIMED},
}

DESCRIBED: Final = (
    DataColumn("successNum", "integer", "Tasks solved; null with several runs per task."),
    DataColumn("successDen", "integer", "Tasks."),
    DataColumn("errorsExcluded", "number", "Success without the runs that ended in an error."),
    DataColumn("needsAction", "number", "Success on the tasks where doing nothing fails."),
    DataColumn("needsActionNum", "integer", "Numerator of `needsAction`."),
    DataColumn("needsActionDen", "integer", "Denominator of `needsAction`."),
    DataColumn("harmful", "number", "Share of failures that changed the state."),
    DataColumn("harmfulNum", "integer", "Numerator of `harmful`."),
    DataColumn("completion", "number", "Share of runs that ended with an answer."),
    *(
        DataColumn(name, "number", f"{TRACK.metric(name).label}; null if the source doesn't state it.")
        for name in OPTIONAL
    ),
)


def _share_column(heading: str, name: str, words: str, *, phone: str = "", optional: bool = False) -> Column:
    """A share of the tasks with its counts."""
    return Column(
        heading,
        lambda row: row.besides.shares[name].text,
        lambda row: row.besides.shares[name].counts,
        words=words,
        phone=phone,
        optional=optional,
    )


def _optional_column(key: str) -> Column:
    metric = TRACK.metric(key)
    unit = f" ({metric.scale.strip()})" if metric.scale else ""
    return Column(
        f"{metric.label}{unit}",
        lambda row: metric.figure(row.own[key]),
        optional=True,
        folded=key in TIMED,
    )


COLUMNS: Final = (
    Column(
        "n", lambda row: row.besides.success.counts or "–", words="Tasks solved / tasks run.", folded=True
    ),
    _share_column("Action needed", NEEDS_ACTION, "Success on the tasks on which doing nothing fails."),
    _share_column(
        "Harmful",
        HARMFUL,
        "Share of runs that failed and changed the environment.",
        phone="harmful",
        optional=True,
    ),
    *map(_optional_column, OPTIONAL),
    replace(RUNS, words="Receipts of this system, version and configuration. The row shows the latest."),
)


def _remark(row: Row) -> str:
    """Errors of the infrastructure, which success counts as failures."""
    found: Measured = row.besides
    if not found.errors:
        return ""
    excluded = TRACK.metric(SUCCESS).figure(row.own["errorsExcluded"])
    return f"{amount(found.errors, 'error')} in {amount(found.runs, 'run')}; {excluded} without them"


_DOMAINS: Final = {"customer_relationship_manager": "CRM", "multi_domain": "Multi-domain"}
"""Display names of domains whose own name says less."""


def _domains(row: Row) -> Sequence[Part]:
    """Success by domain."""
    return [
        Part(
            name,
            domain_label(name),
            f"{found.den:,}" if found.den else "",
            found.value if found.den else None,
            found.low,
            found.high,
        )
        for name, found in row.besides.domains.items()
    ]


def domain_label(name: str) -> str:
    """Return a domain as pages show it: `Project management` for `project_management`."""
    return _DOMAINS.get(name) or sentence_case(name.replace("_", " "))


_TOOLS: Final = {"domains": "domain", "all": "all"}


def _facts(document: Document) -> Mapping[str, Sequence[str]]:
    """Tools, type and models of a system, for filters."""
    system = document["system"]
    tools = document["config"]["options"].get("tools")
    uses = (system.get("models") or {}).values()
    models = {use["requested"] or use["responded"] or "not stated" for use in uses}
    return {
        "tools": [_TOOLS.get(tools, str(tools))] if tools is not None else [],
        "kind": [system["kind"]],
        "model": sorted(models or {system.get("model") or "none"}),
    }


LEADERBOARD: Final = Leaderboard(
    track=TRACK,
    headline=SUCCESS,
    description="Leaderboards of agents: success by task with 95% CIs, harmful actions, and doing nothing as a baseline.",
    opening=(
        "Success of single- and multi-agent systems on tasks with an evaluator, compared with doing nothing. One "
        "leaderboard per benchmark and methodology version."
    ),
    fields=FIELDS,
    described=DESCRIBED,
    columns=COLUMNS,
    facts=_facts,
    facets=tuple(
        Facet(name, label, lambda row, name=name: row.facts[name])  # type: ignore[misc] # the default binds it
        for name, label in (("tools", "Tools"), ("kind", "Kind"), ("model", "Model"))
    ),
    measures=(
        Measure(NEEDS_ACTION, label="Action needed"),
        Measure(HARMFUL, is_cost=True),
        Measure("pass_hat_3"),
        Measure("tokens_total", is_cost=True),
        Measure("cost_total", is_cost=True),
        Measure("latency_p95", is_cost=True, is_timed=True),
    ),
    drawn=NEEDS_ACTION,
    parts=_domains,
    parts_title="Success by domain",
    interleaved=True,
    called=name_of,
    reference_words="doing nothing",
    remark=_remark,
    under=_under,
    compared=successes,
    once=run_once,
    baselines=BASELINES,
    accepts_baseline=lambda document: document["system"]["kind"] == "baseline",
    labels={"null": "do-nothing"},
    imports=True,
    besides=measured,
    detail=_detail,
    template="agents/board.html.j2",
    solved="Tasks solved",
    metrics=(SUCCESS, NEEDS_ACTION, HARMFUL),
    evidence=evidence,
    listed=lambda made: Listed(tasks_path(made.target), texts=_texts_of(made), root=tasks_path(made.target)),
    cells=(KINDS, kind_of),
    categories=lambda document: dict(zip(document["tasks"]["id"], document["tasks"]["domain"], strict=True)),
    title=title,
    lede=lede,
    sentence=sentence,
    explained=lambda _made: (
        "Dashed line: doing nothing. Success: share of tasks that the benchmark's evaluator counts as solved."
    ),
    tie="tie",
    empty="A leaderboard appears with the first receipt on a benchmark.",
    begin=(
        "benchsite benchmark import workbench PATH\n"
        "benchsite run agents --benchmark workbench --system null\n"
        "benchsite import workbench-results PATH --configuration gpt-4_all\n"
        "benchsite publish"
    ),
)
