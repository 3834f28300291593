"""WorkBench (olly-styles/WorkBench, MIT) as published, as bytes by relative name, into the object of a `fixture.json`.

Five tables and six files of tasks, in the layout of either edition (`edition`). Pure: the command line reads the files.
Refuses, with file, row and column: files of another shape (`csv_rows`), actions that are no list of texts, and a query
asked twice in a domain.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.tracks.agents.benchmarks.workbench.actions import read_actions
from benchsite.tracks.agents.benchmarks.workbench.csv_rows import rows
from benchsite.tracks.agents.benchmarks.workbench.dataset import DOMAINS, PUBLISHED, TABLES
from benchsite.tracks.agents.benchmarks.workbench.edition import COMMIT, EARLIER, LATER, Layout, layout
from benchsite.tracks.agents.benchmarks.workbench.literals import UnreadableError

__all__ = ["FILES", "convert"]

_MAX_CELL: Final = 100_000

_TABLES: Final = {name: f"processed/{name}.csv" for name in TABLES}
FILES: Final[Mapping[str, str]] = {**_TABLES, **layout(()).files}
"""Each table's and each domain's file of the edition of July 2024, below the folder that holds `processed/`."""

_SLUGS: Final = {name: name.replace("_", "-") for name in DOMAINS} | {"customer_relationship_manager": "crm"}

_NOTICE: Final = (
    "MIT License. Copyright (c) 2024 Mindsdb. "
    "Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated "
    'documentation files (the "Software"), to deal in the Software without restriction, including without limitation '
    "the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and "
    "to permit persons to whom the Software is furnished to do so, subject to the following conditions: "
    "The above copyright notice and this permission notice shall be included in all copies or substantial portions "
    "of the Software. "
    'THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO '
    "THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE "
    "AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF "
    "CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER "
    "DEALINGS IN THE SOFTWARE."
)
"""The original's license, which goes with every copy."""

_IDS: Final = (
    "Task ids count the rows of a domain's file, from 1. "
    "The company directory lists the addresses of participants of events and of senders and recipients of email."
)
_NOTES: Final = f"Tables and tasks of WorkBench as published. {_IDS}"


def convert(files: Mapping[str, bytes]) -> dict[str, Any]:
    """The document of the dataset.

    Args:
        files: bytes by relative name; other names than those of an edition are ignored.

    Raises:
        InputError: a file is missing or malformed.
    """
    place = layout(files)
    if absent := [name for name in (*_TABLES.values(), *place.files.values()) if name not in files]:
        is_below = any(name.removeprefix("processed/") in files for name in absent)
        raise InputError(
            f"WorkBench: {len(absent)} files are missing: {', '.join(absent[:5])}",
            hint="this folder is processed/ itself: name its parent"
            if is_below
            else "name the folder that holds processed/, with five tables and the tasks: queries_and_answers of "
            f"{EARLIER} (commit {COMMIT}), or tasks_and_outcomes/VERSION of {LATER}",
        )
    tables = {
        name: {
            "columns": list(columns),
            "rows": [
                list(row) for row in rows(files[_TABLES[name]], columns, where=_TABLES[name], most=_MAX_CELL)
            ],
        }
        for name, columns in TABLES.items()
    }
    document: dict[str, Any] = {
        "track": "agents",
        "id": "workbench",
        "kind": "workbench",
        "license": "MIT",
        "notice": _NOTICE,
        "source": "https://github.com/olly-styles/WorkBench",
        "notes": _NOTES,
        "publish": "full",
        "tables": tables,
        "tasks": [task for domain in DOMAINS for task in _tasks(domain, place, files[place.files[domain]])],
    }
    if place.edition is not None:
        return {
            **document,
            "edition": place.edition,
            "source": f"files in the layout of WorkBench of {LATER}",
            "notes": f"Tables and tasks of WorkBench, {place.edition}, compared with no digest. {_IDS}",
        }
    if (found := canonical.digest(document)) == PUBLISHED:
        return document
    return {
        **document,
        "source": "files in the layout of WorkBench, not the published ones",
        "notes": f"Altered data: the published tables and tasks have SHA-256 {PUBLISHED}, these {found}. {_IDS}",
    }


def _tasks(domain: str, place: Layout, data: bytes) -> list[dict[str, Any]]:
    where, seen, found = place.files[domain], dict[str, int](), list[dict[str, Any]]()
    for number, cells in enumerate(rows(data, place.columns, where=where, most=_MAX_CELL), 1):
        query, answer, base, chosen, domains = cells if len(cells) > 2 else (*cells, "", "", "[]")
        if not query:
            raise InputError(f"{where}: row {number + 1}, column 1: no query", hint=_CORRECT)
        if query in seen:
            raise InputError(
                f"{where}: row {number + 1}: the query of row {seen[query] + 1} once more", hint=_CORRECT
            )
        seen[query] = number
        found.append(
            {
                "id": f"{_SLUGS[domain]}-{number:03d}",
                "domain": domain,
                "query": query,
                "actions": _texts(answer, where, number + 1, 2),
                "baseTemplate": base,
                "chosenTemplate": chosen,
                "domains": _texts(domains, where, number + 1, 5),
            }
        )
    return found


def _texts(cell: str, where: str, row: int, column: int) -> list[str]:
    try:
        return list(read_actions(cell))
    except UnreadableError as error:
        raise InputError(f"{where}: row {row}, column {column}: {error}", hint=_CORRECT) from None


_CORRECT: Final = "import the file as published, or correct the place named"
