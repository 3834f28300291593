"""The part for official run files of BrowseComp-Plus: exact evaluation here, verdicts of the official judge beside it.

Success, which leaderboards rank, is the exact evaluation. Verdicts are a column of their own and never change it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import click

from benchsite.errors import InputError
from benchsite.progress import Progress
from benchsite.track import Work
from benchsite.track.parts import Published
from benchsite.tracks.agents.benchmarks import Benchmark
from benchsite.tracks.agents.benchmarks.browsecomp_plus.benchmark import BrowseCompPlus
from benchsite.tracks.agents.harness_results import require_name, require_printable, system_options
from benchsite.tracks.agents.import_request import (
    import_request,
    model_option,
    one_model,
    references,
    source_option,
)
from benchsite.tracks.agents.importers.browsecomp_judged import (
    judge_of,
    judged_files,
    read_verdicts,
    verdicts_of,
)
from benchsite.tracks.agents.importers.browsecomp_plus import (
    Answered,
    files_entry,
    read_answers,
    stated_run,
)
from benchsite.tracks.agents.importers.foreign_text import Scrubber
from benchsite.tracks.agents.importers.runs import Expected, finished
from benchsite.tracks.agents.record.payload_from_runs import Finished
from benchsite.tracks.agents.spool import Spool
from benchsite.words import amount

__all__ = ["BROWSECOMP_PLUS"]

_MISSING: Final = "to record missing runs as errors of the infrastructure: --allow-missing"


def _work(files: Mapping[str, bytes], *, judged: Mapping[str, bytes] | None, **options: Any) -> Work:
    """The import of one folder of run files, with the verdicts on them."""
    system, source = options["system"], options["source"]
    for option in ("system", "benchmark"):
        require_name(f"--{option}", options[option])
    given = [(f"--{name}", options[name]) for name in ("version", "model") if options[name] is not None]
    for option, text in (*given, *(("--source", text) for text in source)):
        require_printable(option, text)
    runs = read_answers(files)
    judge = _judge(judged, runs)

    def read(
        found: Benchmark, progress: Progress, secrets: Sequence[str]
    ) -> tuple[list[Finished], Sequence[str]]:
        if not isinstance(found, BrowseCompPlus):
            raise InputError(
                f"benchmark {found.id} is not BrowseComp-Plus",
                hint="run: benchsite benchmark import browsecomp-plus PATH",
            )
        expected = Expected(1, _MISSING, allow_missing=options["allow_missing"])
        lines = (stated_run(one, judge.verdicts.get(one.query)) for one in runs)
        made, more = finished(
            lines, "run files", found, progress, secrets, expected=expected, keep=Spool().keep
        )
        return made, (*judge.notes, "success is the exact evaluation, which leaderboards rank", *more)

    request = import_request(
        read,
        repeats=1,
        system={
            "name": system,
            "version": options["version"],
            "kind": options["kind"],
            "models": one_model(options["model"]),
        },
        source={
            "kind": "browsecomp-plus-results",
            "configuration": system,
            "files": [files_entry(files, "run file"), *judge.files],
            **references([*judge.references, *source]),
        },
    )
    return Work("agents", system, options["benchmark"], "", request, imported=True)


class _Judge(NamedTuple):
    """What is imported of a judge: the verdicts by query id, and what the receipt and the person who imports are told."""

    verdicts: Mapping[str, bool | None] = {}
    files: Sequence[Mapping[str, Any]] = ()
    references: Sequence[str] = ()
    notes: Sequence[str] = ()


def _judge(judged: Mapping[str, bytes] | None, runs: Sequence[Answered]) -> _Judge:
    """The judge whose verdicts are given; blank for none."""
    if judged is None:
        return _Judge()
    chosen = judged_files(judged)
    stated = read_verdicts(chosen)
    verdicts = verdicts_of(runs, stated)
    name = Scrubber().name(judge_of(stated))
    accepted = sum(one is True for one in verdicts.values())
    return _Judge(
        verdicts,
        [files_entry(chosen, "file of verdicts", "files of verdicts")],
        [f"verdicts: judge {name}"],
        [f"judge {name}: accepts {accepted} of {amount(len(runs), 'run')}; shown, not ranked"],
    )


BROWSECOMP_PLUS: Final = Published(
    help=(
        "Import run files of BrowseComp-Plus.\n\n"
        "PATH is a folder with one JSON file per query in the official form: query_id, status, retrieved_docids and result. Answers "
        "are graded here by exact match, which leaderboards rank. Verdicts of the official judge are shown and not ranked."
    ),
    parameters=(
        click.Option(["--benchmark"], required=True, help="Id of the imported benchmark."),
        *system_options(),
        model_option(),
        click.Option(
            ["--judged"],
            type=click.Path(),
            metavar="PATH",
            help="Verdicts of the judge: its folder of *_eval.json, its evaluation_summary.json, or JSON lines of query_id and correct.",
        ),
        source_option(", such as the retriever"),
        click.Option(
            ["--allow-missing"],
            is_flag=True,
            help="Record missing runs as errors, instead of refusing.",
        ),
    ),
    work=_work,
    suffixes=(".json",),
    inputs=("judged",),
)
