"""Published results: `<domain>/<configuration>_<date>.csv`, or `.csv.gz`, as bytes by relative name, matched to the tasks.

Pure. The date is `YYYY-MM-DD` or `YYYYMMDD`, with or without a time, or absent. A configuration has one file a domain. Rows
belong to tasks by their query, so results of other data are refused, with their place: unknown queries, a query twice,
tasks without a row. So are results of another edition than the tasks, and a gzip file that is damaged or too large.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.tracks.agents.benchmarks.workbench.actions import read_actions
from benchsite.tracks.agents.benchmarks.workbench.csv_rows import MAX_BYTES, rows
from benchsite.tracks.agents.benchmarks.workbench.dataset import DOMAINS, Dataset, Task
from benchsite.tracks.agents.benchmarks.workbench.edition import EARLIER, LATER, RESULTS, other_edition
from benchsite.tracks.agents.benchmarks.workbench.literals import UnreadableError
from benchsite.unseen import escaped

__all__ = ["ResultRow", "Results", "SourceFile", "choose", "configurations", "date", "read"]

SHOWN: Final = 10
_AS_PUBLISHED: Final = "import the file as published, or correct the place named"
_NAME: Final = re.compile(
    rf"(?P<domain>{'|'.join(DOMAINS)})/(?P<configuration>[^/]{{1,80}}?)"
    r"(?:_(?P<year>20[0-9]{2})-?(?P<month>0[1-9]|1[0-2])-?(?P<day>0[1-9]|[12][0-9]|3[01])"
    r"(?:[T_ -][0-9]{2}[-:.]?[0-9]{2}(?:[-:.]?[0-9]{2}(?:\.[0-9]+)?)?Z?)?)?\.csv(?:\.gz)?"
)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that was read: its relative name, the SHA-256 hex of its bytes, and its rows."""

    path: str
    sha256: str
    rows: int


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One published run.

    Attributes:
        path, row: where it is; the header is row 1.
        actions: `function_calls`, as the original grades them.
        response: `full_response`, the transcript as text; empty where the run raised an exception.
        error: the error's text; empty where there is none.
    """

    task: Task
    path: str
    row: int
    actions: tuple[str, ...]
    response: str
    error: str


@dataclass(frozen=True, slots=True)
class Results:
    """A published configuration: its files, a row for each task in the dataset's order, and the tasks without one."""

    configuration: str
    files: tuple[SourceFile, ...]
    rows: tuple[ResultRow, ...]
    missing: tuple[Task, ...]


def configurations(names: Iterable[str]) -> tuple[str, ...]:
    """The configurations that some relative names are results of, in order of name."""
    return tuple(sorted({found["configuration"] for name in names if (found := _NAME.fullmatch(name))}))


def date(name: str) -> str | None:
    """The day in a relative name, as `2024-03-21`; None where it has none."""
    found = _NAME.fullmatch(name)
    return f"{found['year']}-{found['month']}-{found['day']}" if found and found["year"] else None


def choose(names: Iterable[str], configuration: str) -> dict[str, str]:
    """Each domain's file of a configuration, by domain, in the order of `DOMAINS`.

    Args:
        names: relative names of files, with `/`, as `email/gpt-4_all_2024-03-21_15-21-12.csv`.
        configuration: what is before the date or the suffix, as `gpt-4_all`.

    Raises:
        InputError: no file has this configuration, a domain has none, or has two.
    """
    listed = list(names)
    found: dict[str, list[str]] = {domain: [] for domain in DOMAINS}
    for name in sorted(listed):
        parts = _NAME.fullmatch(name)
        if parts and parts["configuration"] == configuration:
            found[parts["domain"]].append(name)
    if not any(found.values()):
        raise InputError(f"results of {configuration[:80]}: no file", hint=_where(listed))
    if absent := [domain for domain, files in found.items() if not files]:
        raise InputError(
            f"results of {configuration}: no file for {_list(absent)}",
            hint=f"a configuration has one file for each of {', '.join(DOMAINS)}",
        )
    if doubled := [name for files in found.values() if len(files) > 1 for name in files]:
        raise InputError(
            f"results of {configuration}: more than one file for a domain: {_list(doubled)}",
            hint="keep one of them in the folder",
        )
    return {domain: files[0] for domain, files in found.items()}


def _where(names: Sequence[str]) -> str:
    """What to name where a folder has no file of a configuration."""
    if known := configurations(names)[:20]:
        return f"available: {', '.join(map(escaped, known))}"
    if configurations(f"{DOMAINS[0]}/{name}" for name in names):
        return "PATH holds results itself, as a domain's folder does: name its parent"
    return "PATH is the folder that holds DOMAIN/CONFIGURATION_DATE.csv"


def read(
    dataset: Dataset, files: Mapping[str, bytes], configuration: str, *, allow_missing: bool = False
) -> Results:
    """Read a configuration's results and match them to the tasks.

    Args:
        files: bytes by relative name; others than this configuration's are ignored.
        allow_missing: list tasks without a row as `missing` instead of refusing.

    Raises:
        InputError: files are missing or malformed, or their rows are not those of the dataset's tasks.
    """
    chosen = choose(files, configuration)
    by_task: dict[str, ResultRow] = {}
    sources, faults = [], list[str]()
    for domain, path in chosen.items():
        data = _plain(files[path], path)
        columns = _columns(dataset, data, path)
        before = len(by_task) + len(faults)
        for number, cells in enumerate(rows(data, columns, where=path), 2):
            task = dataset.by_query.get((domain, cells[0]))
            if task is None:
                faults.append(f'{path}: row {number}: unknown query "{_short(cells[0])}"')
            elif task.id in by_task:
                faults.append(f"{path}: row {number}: {task.id}, as in row {by_task[task.id].row}")
            else:
                by_task[task.id] = _row(task, path, number, cells)
        sources.append(
            SourceFile(path, canonical.sha256_hex(files[path]), len(by_task) + len(faults) - before)
        )
    missing = tuple(task for task in dataset.tasks if task.id not in by_task)
    if not allow_missing:
        faults += [f'{chosen[task.domain]}: no row for {task.id} "{_short(task.query)}"' for task in missing]
    if faults:
        raise _not_these_tasks(configuration, faults)
    found = tuple(by_task[task.id] for task in dataset.tasks if task.id in by_task)
    return Results(configuration, tuple(sources), found, missing)


def _plain(data: bytes, path: str) -> bytes:
    """Return the bytes of a file, unpacked if its name ends in `.gz`."""
    if not path.endswith(".gz"):
        return data
    unpacker = zlib.decompressobj(wbits=31)
    try:
        found = unpacker.decompress(data, MAX_BYTES + 1)
    except zlib.error:
        raise InputError(f"{path}: not a gzip file, or damaged", hint=_AS_PUBLISHED) from None
    if len(found) > MAX_BYTES:
        raise InputError(f"{path}: larger than {MAX_BYTES // 2**20} MiB when unpacked", hint=_AS_PUBLISHED)
    if not unpacker.eof or unpacker.unused_data:
        fault = "more follows the end of the gzip data" if unpacker.eof else "the gzip data are cut short"
        raise InputError(f"{path}: {fault}", hint=_AS_PUBLISHED)
    return found


def _columns(dataset: Dataset, data: bytes, path: str) -> Sequence[str]:
    """Return the columns that the edition of the tasks has; raises `InputError` for a file of the other edition."""
    own, other = (LATER, EARLIER) if dataset.edition is not None else (EARLIER, LATER)
    header = data[:200].decode("utf-8", "replace").split("\n")[0].replace('"', "").strip().split(",")
    if header[0] == RESULTS[other][0] and RESULTS[other][1] in header:
        raise other_edition(path, other)
    return RESULTS[own]


def _row(task: Task, path: str, number: int, cells: Sequence[str]) -> ResultRow:
    try:
        actions = read_actions(cells[1])
    except UnreadableError as error:
        raise InputError(
            f"{path}: row {number}, column 2: {error}",
            hint=_AS_PUBLISHED,
        ) from None
    return ResultRow(task, path, number, actions, cells[2], cells[3])


def _not_these_tasks(configuration: str, faults: Sequence[str]) -> InputError:
    lines = [f"results of {configuration}: not a row for each task, {len(faults)} differences"]
    lines += [f"  {fault}" for fault in faults[:SHOWN]]
    if len(faults) > SHOWN:
        lines.append(f"  and {len(faults) - SHOWN} more")
    hint = "results belong to one edition of the data: import the tasks and the results of the same commit"
    return InputError("\n".join(lines), hint=hint)


def _list(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def _short(text: str) -> str:
    """A query as far as a message carries it."""
    return escaped(" ".join(text[:80].split()))
