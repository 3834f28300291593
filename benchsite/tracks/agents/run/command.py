"""Options of `benchsite run agents`, and what an entry of the suite may say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

import click
from pydantic import ConfigDict, Field

from benchsite.errors import UsageError
from benchsite.methodology import Methodology
from benchsite.receipt import Document
from benchsite.schema import Bounded
from benchsite.track import Work, suite_entry
from benchsite.tracks.agents.record.payload import MAX_REPEATS

DEFAULT_SEED: Final = 20260101
_MAX_SEED: Final = 2**53 - 1


class _Entry(Bounded):
    """One entry of `extra.benchsite.suite`."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    track: str
    benchmark: str
    system: str
    runs_per_task: Annotated[int, Field(ge=1, le=MAX_REPEATS)] = 1
    task_limit: Annotated[int, Field(ge=1)] | None = None
    seed: Annotated[int, Field(ge=0, le=_MAX_SEED)] = DEFAULT_SEED
    methodology: str = ""


HELP: Final = (
    "Run systems on the tasks of benchmarks.\n\n"
    "Repeat --benchmark and --system to run every pair. The systems of this release are the baselines, which need no "
    "model: null, constant, random-choice, spam-tools. `benchsite import` reads results that were published elsewhere."
)


def parameters() -> Sequence[click.Parameter]:
    """Click parameters of `run agents`."""
    return (
        click.Option(["--benchmark"], multiple=True, help="Id of a benchmark."),
        click.Option(["--benchmarks"], default="", metavar="A,B", help="Ids of several benchmarks."),
        click.Option(["--system"], multiple=True, required=True, help="Name of an installed system."),
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
    systems = options.pop("system")
    return [
        _work(_Entry(track="agents", benchmark=benchmark, system=system, **options))
        for benchmark in benchmarks
        for system in systems
    ]


def suite(entry: Mapping[str, Any], folder: str) -> Work:  # noqa: ARG001 - it names no file
    """The work of one suite entry; raises `InputError` naming the key at fault."""
    return _work(suite_entry(_Entry, entry, hint="run `benchsite run agents --help` for the options"))


def measures(work: Work, document: Document, methodology: Methodology) -> bool:
    """Whether a receipt is a run of this work."""
    made = _of(document)
    return (
        (work.subject, work.target, dict(work.request)) == (made.subject, made.target, dict(made.request))
        and work.methodology in ("", methodology.data.version)
        and document["config"]["source"] is None
    )


def work_of(document: Document) -> Work:
    """The work of a receipt; raises `UsageError` for an imported one, which was not run here."""
    if document["config"]["source"] is not None:
        raise UsageError(
            f"imported results cannot be reproduced: receipt {document['receiptId']} was not run here",
            hint="re-import the published files: benchsite import",
        )
    return _of(document)


def _of(document: Document) -> Work:
    config = document["config"]
    request = {"runs_per_task": config["runsPerTask"], "limit": config["limit"], "seed": config["seed"]}
    version = document["methodology"]["version"]
    return Work("agents", document["system"]["name"], document["benchmark"]["id"], version, request)


def _work(entry: _Entry) -> Work:
    request = {"runs_per_task": entry.runs_per_task, "limit": entry.task_limit, "seed": entry.seed}
    return Work("agents", entry.system, entry.benchmark, entry.methodology, request)
