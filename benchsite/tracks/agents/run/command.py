"""Options of `benchsite run agents`, and what an entry of the suite may say."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

import click
from pydantic import ConfigDict, Field

from benchsite.errors import UsageError
from benchsite.methodology import Methodology
from benchsite.receipt import Document
from benchsite.schema import Bounded
from benchsite.track import COMMAND, Work, suite_entry
from benchsite.tracks.agents.record.action_log import MAX_ACTIONS
from benchsite.tracks.agents.record.config import MAX_REPEATS
from benchsite.tracks.agents.run import policies
from benchsite.tracks.agents.systems import names
from benchsite.tracks.agents.tools import Policy

DEFAULT_SEED: Final = 20260101
MAX_TOOL_CALLS: Final = 200
"""Tool calls of one run by default."""
MAX_SECONDS: Final = 600.0
_MAX_SEED: Final = 2**53 - 1


class _RoleModel(click.ParamType[tuple[str, str]]):
    """`PROVIDER:TEXT` for every role, or `ROLE=PROVIDER:TEXT`."""

    name = "[role=]provider:text"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value
        found = re.fullmatch(r"(?:([a-z0-9][a-z0-9-]{0,79})=)?([a-z0-9][a-z0-9-]{0,79}(?::.*)?)", str(value))
        if found is None:
            self.fail(f"{value!r} is not PROVIDER:TEXT or ROLE=PROVIDER:TEXT", param, ctx)
        return found[1] or "default", found[2]


class _Entry(Bounded):
    """One entry of `extra.benchsite.suite`."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    track: str
    benchmark: str
    system: str
    models: dict[str, str] = Field(default_factory=dict)
    runs_per_task: Annotated[int, Field(ge=1, le=MAX_REPEATS)] = 1
    task_limit: Annotated[int, Field(ge=1)] | None = None
    seed: Annotated[int, Field(ge=0, le=_MAX_SEED)] = DEFAULT_SEED
    max_tool_calls: Annotated[int, Field(ge=1, le=MAX_ACTIONS)] = MAX_TOOL_CALLS
    max_seconds: Annotated[float, Field(gt=0, le=86_400, strict=False)] = MAX_SECONDS
    max_tokens: Annotated[int, Field(ge=1, le=_MAX_SEED)] | None = None
    max_messages: Annotated[int, Field(ge=0, le=_MAX_SEED)] | None = None
    tool_policies: dict[Annotated[str, Field(pattern=f"^{policies.NAME}$")], Policy] = Field(
        default_factory=dict
    )
    methodology: str = ""


HELP: Final = (
    "Run systems on the tasks of benchmarks.\n\n"
    "Repeat --benchmark and --system to run every pair. The baselines need no model: null, constant, random-choice, "
    'spam-tools. --system "command:PROGRAM ARGS" runs any program that speaks the protocol of systems. '
    "`benchsite import` reads results that were published elsewhere."
)


def parameters() -> Sequence[click.Parameter]:
    """Click parameters of `run agents`."""
    return (
        click.Option(["--benchmark"], multiple=True, help="Id of a benchmark."),
        click.Option(["--benchmarks"], default="", metavar="A,B", help="Ids of several benchmarks."),
        click.Option(["--system"], multiple=True, required=True, help="Name of an installed system."),
        click.Option(
            ["--model"],
            type=_RoleModel(),
            multiple=True,
            help="Model of a role, or of every role that has none: simulated:FILE, replay:FILE.",
        ),
        click.Option(
            ["--task-limit"], type=click.IntRange(1), help="Run only the first N tasks; never ranked."
        ),
        click.Option(
            ["--runs-per-task"],
            type=click.IntRange(1, MAX_REPEATS),
            default=1,
            show_default=True,
            help="Runs of each task, each from a fresh state.",
        ),
        click.Option(
            ["--seed"],
            type=click.IntRange(0, _MAX_SEED),
            default=DEFAULT_SEED,
            show_default=True,
            help="Seed of random choices and of the bootstrap.",
        ),
        click.Option(
            ["--max-tool-calls"],
            type=click.IntRange(1, MAX_ACTIONS),
            default=MAX_TOOL_CALLS,
            show_default=True,
            help="Tool calls of one run.",
        ),
        click.Option(
            ["--max-seconds"],
            type=click.FloatRange(0, 86_400, min_open=True),
            default=MAX_SECONDS,
            show_default=True,
            help="Wall-clock seconds of one run.",
        ),
        click.Option(
            ["--max-tokens"], type=click.IntRange(1, _MAX_SEED), help="Input and output tokens of one run."
        ),
        click.Option(
            ["--max-messages"], type=click.IntRange(0, _MAX_SEED), help="Messages between agents in one run."
        ),
        click.Option(
            ["--tool-policy", "tool_policies"],
            type=policies.ToolPolicy(),
            multiple=True,
            help="Whether calls of a tool are carried out: NAME=auto, NAME=deny, or NAME=ask, which asks you.",
        ),
        click.Option(["--methodology"], default="", help="Version to score under [default: the newest]."),
    )


def works(**options: Any) -> Sequence[Work]:
    """Every pair of a system and a benchmark."""
    named = [name.strip() for name in options.pop("benchmarks").split(",") if name.strip()]
    benchmarks = list(dict.fromkeys([*options.pop("benchmark"), *named]))
    if not benchmarks:
        raise UsageError(
            "no benchmark given", hint="add --benchmark NAME; `benchsite benchmark list` shows them"
        )
    systems, models = options.pop("system"), dict(options.pop("model"))
    options["tool_policies"] = dict(options["tool_policies"])
    return [
        _work(_Entry(track="agents", benchmark=benchmark, system=system, models=models, **options))
        for benchmark in benchmarks
        for system in systems
    ]


def suite(entry: Mapping[str, Any], folder: str) -> Work:  # noqa: ARG001 - it names no file
    """The work of one suite entry; raises `InputError` naming the key at fault."""
    return _work(suite_entry(_Entry, entry, hint="run `benchsite run agents --help` for the options"))


def measures(work: Work, document: Document, methodology: Methodology) -> bool:
    """Whether a receipt is a run of this work; of its models the roles are compared, as files are not recorded."""
    if document["config"]["source"] is not None:
        return False
    made = _of(document)
    asked = {name: value for name, value in work.request.items() if name != "models"}
    return (
        (work.subject == made.subject or work.subject.startswith(COMMAND))
        and work.target == made.target
        and work.methodology in ("", methodology.data.version)
        and all(made.request[name] == value for name, value in asked.items())
        and bool(work.request["models"]) == bool(document["system"].get("models"))
    )


def work_of(document: Document) -> Work:
    """The work of a receipt.

    Raises:
        UsageError: it was imported, or a model took part, whose files the receipt does not record.
    """
    if document["config"]["source"] is not None:
        raise UsageError(
            f"imported results cannot be reproduced: receipt {document['receiptId']} was not run here",
            hint="re-import the published files: benchsite import",
        )
    if document["system"].get("models"):
        raise UsageError(
            f"receipt {document['receiptId']} cannot be reproduced by its id: it does not record where its models are",
            hint="run `benchsite run agents` with the same options",
        )
    return _of(document)


def _of(document: Document) -> Work:
    config = document["config"]
    request = {
        "runs_per_task": config["runsPerTask"],
        "limit": config["limit"],
        "seed": config["seed"],
        "budget": dict(config.get("budget") or {}),
        "models": {},
        "policies": policies.of_options(config["options"]),
    }
    version = document["methodology"]["version"]
    return Work("agents", document["system"]["name"], document["benchmark"]["id"], version, request)


def _work(entry: _Entry) -> Work:
    request = {
        "runs_per_task": entry.runs_per_task,
        "limit": entry.task_limit,
        "seed": entry.seed,
        "budget": {
            "toolCalls": entry.max_tool_calls,
            "messages": entry.max_messages,
            "tokens": entry.max_tokens,
            "seconds": entry.max_seconds,
        },
        "models": dict(entry.models),
        "policies": {tool: policy for tool, policy in entry.tool_policies.items() if policy != "auto"},
    }
    return Work("agents", names.resolve(entry.system), entry.benchmark, entry.methodology, request)
