"""The formats of results of other harnesses: the commands, and the work that imports one file.

Each reader is imported when its command is called. The task list is made of the results, unless the instance has one of its id; a
list that declares another evaluator than the results name is refused, for a receipt would state what is not so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Final, NamedTuple

import click

from benchsite.errors import InputError
from benchsite.progress import Progress
from benchsite.schema import PRINTABLE, SLUG
from benchsite.track import Work
from benchsite.track.parts import Published
from benchsite.tracks.agents.benchmarks import Benchmark, evaluator_of
from benchsite.tracks.agents.import_request import (
    import_request,
    model_option,
    one_model,
    references,
    source_option,
)
from benchsite.tracks.agents.importers.foreign_text import Scrubber
from benchsite.tracks.agents.importers.harness import Results, comparison, task_list
from benchsite.tracks.agents.importers.runs import Expected, finished
from benchsite.tracks.agents.record.payload_from_runs import Finished
from benchsite.tracks.agents.spool import Spool
from benchsite.unseen import is_blank

__all__ = ["FORMATS", "require_name", "require_printable", "system_options"]

_READERS: Final = "benchsite.tracks.agents.importers"
_MISSING: Final = "to record missing runs as errors of the infrastructure: --allow-missing"


class _Form(NamedTuple):
    """A format: its name, the module that reads it, the options that the reader takes.

    Attributes:
        suffixes: of a folder, the files that it reads; empty if one file is given.
        is_either: whether a file may be given in place of a folder.
        has_store: whether the reader takes a `store`, for what it cannot hold in memory.
    """

    name: str
    reader: str
    taken: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    is_either: bool = False
    has_store: bool = False


def require_name(option: str, name: str) -> None:
    """Raise `InputError` unless a name is lower-case letters, digits and hyphens."""
    if not re.fullmatch(SLUG, name):
        raise InputError(
            f"{option} {name[:80]!r}: lower-case letters, digits and hyphens", hint=f"give {option} NAME"
        )


def require_printable(option: str, text: str) -> None:
    """Raise `InputError` unless a receipt can state a text."""
    if not re.fullmatch(PRINTABLE, text) or is_blank(text):
        raise InputError(
            f"{option} {text[:80]!r}: 1 to 200 characters without control characters",
            hint=f"correct {option}",
        )


def _slug(name: str) -> str:
    """Return an id made of a name that is fit to keep."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:80]


def _work(form: _Form, given: Any, **options: Any) -> Work:
    """The import of the results of another harness."""
    named = {
        f"--{name}": options[name] for name in ("version", "model", "evaluator") if options[name] is not None
    }
    for option, text in (*named.items(), *(("--source", text) for text in options["source"])):
        require_printable(option, text)
    require_name("--system", options["system"])
    results: Results = import_module(f"{_READERS}.{form.reader}").read(
        given,
        **{name: options[name] for name in form.taken},
        **({"store": Spool()} if form.has_store else {}),
    )
    scrubber = Scrubber()
    benchmark = options["benchmark"] or _slug(scrubber.name(results.benchmark))
    require_name("--benchmark", benchmark)
    evaluator = options["evaluator"] or scrubber.name(results.evaluator)

    def read(
        found: Benchmark, progress: Progress, secrets: Sequence[str]
    ) -> tuple[list[Finished], Sequence[str]]:
        _require_evaluator(found, evaluator, results)
        expected = Expected(results.repeats, _MISSING, allow_missing=options["allow_missing"])
        runs, notes = finished(
            results.runs(), results.name, found, progress, secrets, expected=expected, keep=Spool().keep
        )
        return runs, (*comparison(results, runs), *results.notes, *notes)

    request = import_request(
        read,
        repeats=results.repeats,
        system={
            "name": options["system"],
            "version": options["version"],
            "kind": options["kind"],
            "models": one_model(options["model"] or results.model),
        },
        source={
            "kind": form.name,
            "configuration": options["system"],
            "files": [{**one, "name": scrubber.name(one["name"])} for one in results.files()],
            **references([*options["source"], *map(scrubber.name, results.references)]),
            **({"stated": _stated(results, scrubber)} if results.scores else {}),
        },
    )
    offered = task_list(results, benchmark, evaluator)
    return Work("agents", options["system"], benchmark, "", request, imported=True, offered=offered)


def _stated(results: Results, scrubber: Scrubber) -> list[Mapping[str, Any]]:
    """The scores that the results state of themselves."""
    return [
        {"name": scrubber.name(score.name), "value": score.value, "ours": score.ours}
        for score in results.scores[:50]
    ]


def _require_evaluator(benchmark: Benchmark, evaluator: str, results: Results) -> None:
    """Raise `InputError` if a task list declares another evaluator."""
    declared = evaluator_of(benchmark)
    if declared and declared != evaluator:
        raise InputError(
            f"{results.name}: evaluator {evaluator!r}, but {benchmark.id} declares {declared!r}",
            hint="give --evaluator with the declared text if both are the same, or --benchmark with another id",
        )


def _format(form: _Form, help_text: str, *more: click.Option) -> Published:
    def work(given: Any, **options: Any) -> Work:
        return _work(form, given, **options)

    return Published(
        help=f"{help_text}\n\n{_COMMON}",
        parameters=(*_options(), *more),
        work=work,
        is_stream=form.is_either or not form.suffixes,
        suffixes=form.suffixes,
    )


_COMMON: Final = (
    "Outcomes are as the file states them. The task list is made of the file, unless one of its id exists. Keys and paths of a "
    "machine are replaced in every text."
)


def system_options() -> Sequence[click.Option]:
    """Return the options that say which system made imported runs."""
    return (
        click.Option(["--system"], required=True, help="Name of the system that made the runs."),
        click.Option(["--version"], required=True, help="Version of the system, as its authors state it."),
        click.Option(
            ["--kind"],
            type=click.Choice(["single-agent", "multi-agent", "baseline"]),
            default="single-agent",
            show_default=True,
            help="What the system is.",
        ),
    )


def _options() -> Sequence[click.Option]:
    return (
        click.Option(["--benchmark"], help="Id of the task list [default: from the file]."),
        *system_options(),
        model_option("from the file"),
        click.Option(["--evaluator"], help="Who evaluated the runs, and how [default: from the file]."),
        source_option(),
        click.Option(
            ["--allow-missing"],
            is_flag=True,
            help="Record missing runs as errors, instead of refusing.",
        ),
    )


FORMATS: Final[Mapping[str, Published]] = {
    "atif": _format(
        _Form("atif", "atif", suffixes=(".json",)),
        "Import trials of Harbor with trajectories in ATIF.\n\nPATH is the folder of a job: of each trial result.json and "
        "agent/trajectory.json, subagents included. Every trial is a run; a reward of 1 is a success.",
    ),
    "inspect": _format(
        _Form("inspect", "inspect_log", ("scorer",)),
        "Import a log of Inspect AI.\n\nPATH is a .eval or .json log. Every sample of every epoch is a run; a score of 1, C or true "
        'is a success. The log is read by Inspect AI: pip install "benchsite[inspect]".',
        click.Option(["--scorer"], help="Name of the score that decides [default: the log's headline]."),
    ),
    "mini-swe-agent": _format(
        _Form("mini-swe-agent", "mini_swe_agent", suffixes=(".json",)),
        "Import runs of mini-swe-agent on SWE-bench.\n\nPATH is the folder with *.traj.json and the report of SWE-bench's "
        "evaluation, the JSON file with resolved_ids. Every instance is a task; a resolved one is a success.",
    ),
    "otel": _format(
        _Form("otel", "otel", ("task_attribute", "outcome_attribute"), has_store=True),
        "Import spans of OpenTelemetry.\n\nPATH has one JSON object per line: OTLP JSON, or spans of the Python SDK, with the semantic "
        "conventions for generative AI. Every trace is a run.",
        click.Option(
            ["--task-attribute"], help="Attribute with the task of a trace [default: test.case.name]."
        ),
        click.Option(
            ["--outcome-attribute"],
            help="Attribute with the outcome of a trace: pass, fail, or 0 to 1 [default: test.case.result.status].",
        ),
    ),
    "tau2": _format(
        _Form("tau2", "tau2", suffixes=(".json",), is_either=True),
        "Import results of tau2-bench.\n\nPATH is its results file, one JSON object with info, tasks and simulations, or a folder with "
        "results.json and a file for each simulation. Every trial is a run; a reward of 1 is a success.",
    ),
}
