"""The part for official run files of BrowseComp-Plus: exact evaluation here, verdicts of the official judge beside it.

Success, which leaderboards rank, is the exact evaluation. Verdicts are a column of their own and never change it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import click

from benchsite.errors import InputError
from benchsite.progress import Progress
from benchsite.track import Work
from benchsite.track.parts import Published
from benchsite.tracks.agents.benchmarks import Benchmark
from benchsite.tracks.agents.benchmarks.browsecomp_plus.benchmark import BrowseCompPlus
from benchsite.tracks.agents.harness_results import require_name, require_printable, system_options
from benchsite.tracks.agents.importers.browsecomp_judged import (
    judge_of,
    judged_files,
    read_verdicts,
    verdicts_of,
)
from benchsite.tracks.agents.importers.browsecomp_plus import files_entry, read_answers, stated_run
from benchsite.tracks.agents.importers.foreign_text import Scrubber
from benchsite.tracks.agents.importers.run_lines import StatedRun
from benchsite.tracks.agents.importers.runs import Expected, finished
from benchsite.tracks.agents.record.payload_from_runs import Finished
from benchsite.tracks.agents.run.settings import DEFAULT_SEED
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
    sources = [files_entry(files, "run file")]
    references, notes, verdicts = Scrubber().scrubbed(list(source)), list[str](), dict[str, bool | None]()
    if judged is not None:
        chosen = judged_files(judged)
        read_ones = read_verdicts(chosen)
        verdicts = verdicts_of(runs, read_ones)
        sources.append(files_entry(chosen, "file of verdicts", "files of verdicts"))
        judge = Scrubber().name(judge_of(read_ones))
        references.insert(0, f"verdicts: judge {judge}")
        stated = [one for one in verdicts.values() if one is not None]
        notes.append(f"judge {judge}: accepts {sum(stated)} of {amount(len(runs), 'run')}; shown, not ranked")
    notes.append("success is the exact evaluation, which leaderboards rank")

    def lines() -> Iterator[StatedRun]:
        return (stated_run(one, verdicts.get(one.query)) for one in runs)

    def read(
        found: Benchmark, progress: Progress, secrets: Sequence[str]
    ) -> tuple[list[Finished], Sequence[str]]:
        if not isinstance(found, BrowseCompPlus):
            raise InputError(
                f"benchmark {found.id} is not BrowseComp-Plus",
                hint="run: benchsite benchmark import browsecomp-plus PATH",
            )
        expected = Expected(1, _MISSING, allow_missing=options["allow_missing"])
        made, more = finished(
            lines(), "run files", found, progress, secrets, expected=expected, keep=Spool().keep
        )
        return made, (*notes, *more)

    request: dict[str, Any] = {
        "runs_per_task": 1,
        "limit": None,
        "seed": DEFAULT_SEED,
        "options": {},
        "system": {
            "name": system,
            "version": options["version"],
            "kind": options["kind"],
            "models": {"default": {"requested": None, "responded": options["model"]}},
            "sizes": {},
            "prompts": None,
        },
        "source": {
            "kind": "browsecomp-plus-results",
            "configuration": system,
            "files": sources,
            **({"references": references[:20]} if references else {}),
        },
        "read": read,
    }
    return Work("agents", system, options["benchmark"], "", request, imported=True)


BROWSECOMP_PLUS: Final = Published(
    help=(
        "Import run files of BrowseComp-Plus.\n\n"
        "PATH is a folder with one JSON file per query in the official form: query_id, status, retrieved_docids and result. Answers "
        "are graded here by exact match, which leaderboards rank. Verdicts of the official judge are shown and not ranked."
    ),
    parameters=(
        click.Option(["--benchmark"], required=True, help="Id of the imported benchmark."),
        *system_options(),
        click.Option(["--model"], help="Name of its model [default: not stated]."),
        click.Option(
            ["--judged"],
            type=click.Path(),
            metavar="PATH",
            help="Verdicts of the judge: its folder of *_eval.json, its evaluation_summary.json, or JSON lines of query_id and correct.",
        ),
        click.Option(
            ["--source"],
            multiple=True,
            metavar="TEXT",
            help="Where the runs are from, such as the retriever. Repeatable.",
        ),
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
