"""Scores of a pull request's changed systems on a few queries, as a Markdown table for its summary.

    python .ci/preview.py --limit 20

Measures what `benchsite run --changed` would measure, each with a limit, and leaves unsigned drafts.
Scores on a few queries show that a system runs; they are not ranked.
"""  # noqa: INP001 - a script that CI runs, no part of the package

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from benchsite.errors import BenchsiteError
from benchsite.pipeline import head
from benchsite.pipeline.measure import run as runs
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.status import named
from benchsite.pipeline.verify import exit_code
from benchsite.pipeline.workspace import Workspace
from benchsite.track import Work


def changed(workspace: Workspace, snapshot: Snapshot) -> Iterable[runs.Result]:
    """What would be measured and why not, without measuring."""
    return runs.run(workspace, snapshot, runs.suite(workspace), changed=True, dry_run=True)


def limited(work: Work, limit: int) -> Work:
    """The same work on at most `limit` queries."""
    own = work.request.get("limit")
    return replace(work, request={**work.request, "limit": limit if own is None else min(own, limit)})


def row(result: runs.Result) -> str:
    """One line of the table."""
    outcome = result.headline if result.draft is not None else f"{result.state}: {result.reason}"
    cells = (named(result.work), result.work.target, outcome)
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _cell(text: str) -> str:
    """Text that a subject or a file chose, unable to end its cell or to start markup."""
    printable = "".join(char if char.isprintable() else " " for char in text)[:300]
    return "".join(f"\\{char}" if char in "\\`*_{}[]<>|~#!@&" else char for char in printable)


def main() -> int:
    """Measure and print; the exit code is the worst of the runs."""
    parser = argparse.ArgumentParser(description="Measure changed systems on a few queries each.")
    parser.add_argument("--limit", type=int, required=True, help="number of queries per run")
    limit = parser.parse_args().limit
    workspace = Workspace(Path.cwd())
    results = []
    try:
        snapshot = head.snapshot(workspace)
        for planned in changed(workspace, snapshot):
            if planned.state == "planned":
                results += runs.run(workspace, snapshot, [limited(planned.work, limit)])
            else:
                results.append(planned)
    except BenchsiteError as error:
        hint = f"\n  hint: {error.hint}" if error.hint else ""
        print(f"error: {error.message}{hint}", file=sys.stderr)  # noqa: T201
        return error.exit_code
    print(f"## Scores on the first {limit} queries\n")  # noqa: T201
    print("| system | dataset | headline score |\n| --- | --- | --- |")  # noqa: T201
    for result in results:
        print(row(result))  # noqa: T201
    if left := [result.draft.stem for result in results if result.draft is not None]:
        advice = f"benchsite drafts discard {' '.join(left)}"
        print(f"drafts of limited runs left; to delete them:\n  {advice}", file=sys.stderr)  # noqa: T201
    return exit_code([result.error.exit_code for result in results if result.error is not None])


if __name__ == "__main__":
    sys.exit(main())
