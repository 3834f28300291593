"""The two editions of WorkBench: of July 2024, whose data are pinned by a digest, and of June 2026, in another layout.

| edition | tasks of a domain | columns |
|---|---|---|
| July 2024 | `processed/queries_and_answers/DOMAIN_queries_and_answers.csv` | `query, answer, base_template, chosen_template, domains` |
| June 2026 | `tasks_and_outcomes/VERSION/DOMAIN_tasks_and_outcomes.csv`, perhaps below `processed/` | `task, outcome` |

Of several versions (`v1`, `v2-…`) the newest is read: the one with the greatest number, then the last by name. The tables
are `processed/TABLE.csv` in both. Results have the column `query` in one and `task` in the other.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from benchsite.errors import InputError
from benchsite.tracks.agents.benchmarks.workbench.dataset import DOMAINS

__all__ = ["COMMIT", "EARLIER", "LATER", "RESULTS", "Layout", "layout", "other_edition"]

COMMIT: Final = "42f1b6d"
"""Commit of olly-styles/WorkBench with the edition of July 2024."""
EARLIER: Final = "July 2024"
LATER: Final = "June 2026"
_CHECKOUT: Final = f"git -C WorkBench checkout {COMMIT}"
_TASKS: Final = re.compile(
    r"(?P<folder>(?:processed/)?tasks_and_outcomes/(?P<version>v(?P<number>[0-9]{1,6})(?:[-.][A-Za-z0-9]{1,40}){0,5}))/"
    rf"(?P<domain>{'|'.join(DOMAINS)})_tasks_and_outcomes\.csv"
)
_RESULTS: Final = ("function_calls", "full_response", "error")
RESULTS: Final[Mapping[str, tuple[str, ...]]] = {EARLIER: ("query", *_RESULTS), LATER: ("task", *_RESULTS)}
"""Columns of a file of results, by edition."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the tasks of a folder are.

    Attributes:
        edition: the edition, and of the later one the version of its tasks; None for that of July 2024, whose document
            has no such member, so that its digest stays the pinned one.
        files: the path of each domain's tasks.
        columns: those of each of these files.
    """

    edition: str | None
    files: Mapping[str, str]
    columns: tuple[str, ...]


_EARLIER: Final = Layout(
    None,
    {name: f"processed/queries_and_answers/{name}_queries_and_answers.csv" for name in DOMAINS},
    ("query", "answer", "base_template", "chosen_template", "domains"),
)


def layout(names: Collection[str]) -> Layout:
    """Return the layout of the edition that a folder has; that of July 2024 if it has none.

    Raises:
        InputError: it has tasks of both editions, or a domain of the later one is missing.
    """
    later = [found for name in sorted(names) if (found := _TASKS.fullmatch(name))]
    if not later:
        return _EARLIER
    if any(path in names for path in _EARLIER.files.values()):
        raise InputError(
            f"WorkBench: this folder has tasks of two editions, {EARLIER} and {LATER}",
            hint=f"name a clean checkout of one commit; {EARLIER}: {_CHECKOUT}",
        )
    newest = max(later, key=lambda one: (int(one["number"]), one["version"], one["folder"]))
    folder, edition = newest["folder"], f"{LATER}, tasks {newest['version']}"
    files = {one["domain"]: one[0] for one in later if one["folder"] == folder}
    if missing := [name for name in DOMAINS if name not in files]:
        raise InputError(
            f"WorkBench of {edition}: no file for {', '.join(missing)}",
            hint=f"{folder}/ must have DOMAIN_tasks_and_outcomes.csv for each of {', '.join(DOMAINS)}; the edition of "
            f"{EARLIER} is commit {COMMIT}",
        )
    return Layout(edition, {name: files[name] for name in DOMAINS}, ("task", "outcome"))


def other_edition(path: str, found: str) -> InputError:
    """Return the error of a file of results of one edition, where the imported tasks are of the other one."""
    other = EARLIER if found == LATER else LATER
    fitting = f"check out the results of {EARLIER}" if other == EARLIER else f"import the tasks of {EARLIER}"
    return InputError(
        f"{path}: results of the edition of {found}, but the imported tasks are of {other}",
        hint=f"import tasks and results of the same commit; to {fitting}: {_CHECKOUT}",
    )
