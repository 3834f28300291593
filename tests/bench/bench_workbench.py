"""WorkBench re-scored from transcripts: CPU seconds for one configuration and for six, without pandas.

From the results' bytes as published: each transcript is read, becomes the events of a trace, and the actions that those
hold are graded.

The data are invented, and have the published data's shape: tables of 1,000, 300, 200, 500 and 300 rows and 690 tasks;
each run has three actions, two of which change a table (published: 2.6, of which 1.3). Where the published data are
at hand (BENCHSITE_SHARED), those are graded too.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Mapping
from pathlib import Path

from workbench_files import RESULTS, action, dataset, query, response, source_files, table

from benchsite import canonical
from benchsite.tracks.agents.benchmarks.workbench import importer, results, transcript
from benchsite.tracks.agents.benchmarks.workbench.dataset import DOMAINS, Dataset, parse
from benchsite.tracks.agents.benchmarks.workbench.grading import Grader
from tests.bench.measurement import ROOT, Gate, Numbers
from tests.bench.spending import alternated

UNIT = "tasks"
SIZE = 690
TINY = 12
ROUNDS = 5
GATES = {"one_s": Gate(0.5), "six_s": Gate(3)}
READS = 'calendar.search_events.func(query="Talk", time_min="2023-11-01 00:00:00")'
ROWS = 460  # the published tables' mean


def graded(data: Dataset, files: Mapping[str, bytes], configurations: tuple[str, ...]) -> int:
    """How many runs of some configurations succeed, by their transcripts; expected states are computed anew."""
    grader = Grader(data)
    return sum(
        grader.grade(row.task, *transcript.graded(transcript.events(row))).success
        for name in configurations
        for row in results.read(data, files, name).rows
    )


def synthetic(size: int) -> tuple[Dataset, dict[str, bytes]]:
    """A dataset of so many tasks, and results of six configurations."""
    each = size // len(DOMAINS)
    files = {}
    for name in (f"model{number}_all" for number in range(6)):
        for domain in DOMAINS:
            rows = [
                (
                    query(domain, number),
                    repr([READS, action(domain, number), action(domain, number + 1)]),
                    response(domain, number),
                    "",
                )
                for number in range(1, each + 1)
            ]
            files[f"{domain}/{name}_2024-03-21_15-21-12.csv"] = table(RESULTS, rows)
    return dataset(source_files(ROWS, each)), files


def published() -> tuple[Dataset, dict[str, bytes]] | None:
    """The published data and results, where they are at hand."""
    folder = Path(os.environ.get("BENCHSITE_SHARED", ROOT.parent / "shared")) / "data" / "workbench"
    if not folder.is_dir():
        return None
    document = importer.convert({name: (folder / name).read_bytes() for name in importer.FILES.values()})
    root = folder / "results"
    files = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.glob("*/*.csv")}
    return parse(canonical.dumps(document), where="fixture.json"), files


def measure(size: int, rounds: int) -> Numbers:
    """Median CPU seconds for one configuration and for six, of invented data and of the published ones."""
    found: dict[str, float] = {}
    for prefix, pair in (("", synthetic(size)), ("published_", published() if size == SIZE else None)):
        if pair is None:
            continue
        data, files = pair
        names = results.configurations(files)
        spent = alternated(
            rounds,
            clock=time.process_time,
            one=lambda data=data, files=files, names=names: graded(data, files, names[:1]),
            six=lambda data=data, files=files, names=names: graded(data, files, names),
        )
        found |= {f"{prefix}{name}_s": statistics.median(seconds) for name, seconds in spent.items()}
    return found
