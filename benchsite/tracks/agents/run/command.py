"""Options of `benchsite run agents`, and what an entry of the suite may say."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import click

from benchsite.errors import UsageError
from benchsite.methodology import Methodology
from benchsite.receipt import Document
from benchsite.track import COMMAND, Work, suite_entry
from benchsite.tracks.agents.record.action_log import MAX_ACTIONS
from benchsite.tracks.agents.record.config import MAX_REPEATS
from benchsite.tracks.agents.run import policies
from benchsite.tracks.agents.run.config_file import settings
from benchsite.tracks.agents.run.experiment.place import MOST_WORKERS, ROOT
from benchsite.tracks.agents.run.settings import (
    DEFAULT_SEED,
    MAX_SECONDS,
    MAX_SEED,
    MAX_TOOL_CALLS,
    OPTION,
    Entry,
    Scalar,
)


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


class _Option(click.ParamType[tuple[str, Scalar]]):
    """`NAME=VALUE`: a number, `true` or `false` if JSON reads it so, else text."""

    name = "name=value"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, Scalar]:
        if isinstance(value, tuple):
            return value
        name, equals, text = str(value).partition("=")
        if not equals or not re.fullmatch(OPTION, name):
            self.fail(f"{value!r} is not NAME=VALUE", param, ctx)
        try:
            found = json.loads(text)
        except ValueError:
            return name, text
        return name, found if isinstance(found, str | int | float | bool) else text


HELP: Final = (
    "Run systems on the tasks of benchmarks.\n\n"
    "Repeat --benchmark and --system to run every pair. The baselines need no model: null, constant, random-choice, "
    'spam-tools. --system "command:PROGRAM ARGS" runs any program that speaks the protocol of systems. '
    "`benchsite import` reads results that were published elsewhere."
)


def parameters() -> Sequence[click.Parameter]:
    """Click parameters of `run agents`; an option that is not given has no value, so that the file's key counts."""
    return (
        click.Option(["--config", "config_file"], metavar="FILE", help="TOML file of an experiment."),
        click.Option(["--benchmark"], multiple=True, help="Id of a benchmark."),
        click.Option(["--benchmarks"], default="", metavar="A,B", help="Ids of several benchmarks."),
        click.Option(["--system"], multiple=True, help="Name of an installed system."),
        click.Option(
            ["--model"],
            type=_RoleModel(),
            multiple=True,
            help="Model of a role, or of every role that has none: simulated:FILE, replay:FILE.",
        ),
        click.Option(
            ["--option"], type=_Option(), multiple=True, help="Option of the systems, such as agents=4."
        ),
        click.Option(
            ["--no-dynamic-roles"], is_flag=True, help="Assign no personas to agents: dynamic_roles=false."
        ),
        click.Option(
            ["--tool-policy", "tool_policies"],
            type=policies.ToolPolicy(),
            multiple=True,
            help="Whether calls of a tool are carried out: auto (default), deny, or ask.",
        ),
        click.Option(
            ["--task-limit"], type=click.IntRange(1), help="Run only the first N tasks; never ranked."
        ),
        click.Option(
            ["--runs-per-task"],
            type=click.IntRange(1, MAX_REPEATS),
            help="Runs of each task, each from a fresh state [default: 1].",
        ),
        click.Option(
            ["--seed"],
            type=click.IntRange(0, MAX_SEED),
            help=f"Seed of random choices and of the bootstrap [default: {DEFAULT_SEED}].",
        ),
        *_limits(),
        click.Option(
            ["--perturb"],
            metavar="faults[:RATE]|prompts",
            help="Make tool calls fail at seeded places, or reword queries; never ranked.",
        ),
        *_experiment(),
        click.Option(["--methodology"], help="Version to score under [default: the newest]."),
    )


def _limits() -> Sequence[click.Parameter]:
    """The limits of each run."""
    return (
        click.Option(
            ["--max-tool-calls"],
            type=click.IntRange(1, MAX_ACTIONS),
            help=f"Tool calls of one run [default: {MAX_TOOL_CALLS}].",
        ),
        click.Option(
            ["--max-seconds"],
            type=click.FloatRange(0, 86_400, min_open=True),
            help=f"Wall-clock seconds of one run [default: {MAX_SECONDS:g}].",
        ),
        click.Option(
            ["--max-tokens"], type=click.IntRange(1, MAX_SEED), help="Input and output tokens of one run."
        ),
        click.Option(
            ["--max-messages"], type=click.IntRange(0, MAX_SEED), help="Messages between agents in one run."
        ),
    )


def _experiment() -> Sequence[click.Parameter]:
    """Where the artifacts are, and how the runs are carried out."""
    return (
        click.Option(
            ["--experiment-id", "name"],
            metavar="ID",
            help="Name of the experiment; one that is there goes on [default: the time].",
        ),
        click.Option(
            ["--output-root", "root"], metavar="DIR", help=f"Folder of experiments [default: {ROOT}]."
        ),
        click.Option(["--resume"], is_flag=True, help="Go on with the newest experiment."),
        click.Option(
            ["--executor"],
            type=click.Choice(["inline", "processes", "dask"]),
            help="Carry out runs in this process, in several, or on the workers of Dask [default: processes].",
        ),
        click.Option(
            ["--scheduler"],
            metavar="ADDRESS",
            help="Dask scheduler, tcp://HOST:PORT, of --executor dask [default: a local cluster].",
        ),
        click.Option(
            ["--workers"],
            type=click.IntRange(1, MOST_WORKERS),
            help="Processes, or runs at the same time of a scheduler [default: one per processor or worker].",
        ),
        click.Option(
            ["--retries"],
            type=click.IntRange(0, 100),
            help="Further attempts of a run whose model's provider failed [default: 2].",
        ),
        click.Option(
            ["--max-cost"],
            type=click.FloatRange(0, min_open=True),
            metavar="USD",
            help="Start no further run once the runs cost so much.",
        ),
        click.Option(
            ["--prices"], metavar="FILE", help="Price table of the models, in US dollars per million tokens."
        ),
        click.Option(["--record"], metavar="FILE", help="Append every completion of the models to a file."),
        click.Option(["--replay"], metavar="FILE", help="Answer from a file that --record has written."),
        click.Option(["--require-live"], is_flag=True, help="Refuse simulated models."),
        click.Option(
            ["--packed"],
            is_flag=True,
            help="Leave the files of single runs to `benchsite experiment export`: faster.",
        ),
    )


def works(**options: Any) -> Sequence[Work]:
    """Every pair of a system and a benchmark."""
    named = [name.strip() for name in options.pop("benchmarks").split(",") if name.strip()]
    path = options.pop("config_file")
    listed: dict[str, Any] = {
        "benchmarks": (*options.pop("benchmark"), *named),
        "systems": tuple(options.pop("system")),
        "models": dict(options.pop("model")),
        "options": dict(options.pop("option")),
        "tool_policies": dict(options.pop("tool_policies")),
    }
    if options.pop("no_dynamic_roles"):
        listed["options"]["dynamic_roles"] = False
    single = {name: value for name, value in options.items() if value is not None and value is not False}
    found = settings(path, {**{name: value for name, value in listed.items() if value}, **single})
    for key, noun in (("benchmarks", "benchmark"), ("systems", "system")):
        if not getattr(found, key):
            raise UsageError(
                f"no {noun} given",
                hint=f"add --{noun} NAME, or {key} = [...] under [run] of the file; "
                f"`benchsite {noun} list` shows them",
            )
    return list(found.works())


def suite(entry: Mapping[str, Any], folder: str) -> Work:  # noqa: ARG001 - it names no file
    """The work of one suite entry; raises `InputError` naming the key at fault."""
    found = suite_entry(Entry, entry, hint="run `benchsite run agents --help` for the options")
    return found.work()


def measures(work: Work, document: Document, methodology: Methodology) -> bool:
    """Whether a receipt is a run of this work; of its models the roles are compared, as files are not recorded."""
    if document["config"]["source"] is not None:
        return False
    made = _of(document)
    asked = {name: value for name, value in work.request.items() if name not in ("models", "experiment")}
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
        "options": policies.others(config["options"]),
        "policies": policies.of_options(config["options"]),
        "perturbation": config.get("perturbation"),
    }
    version = document["methodology"]["version"]
    return Work("agents", document["system"]["name"], document["benchmark"]["id"], version, request)
