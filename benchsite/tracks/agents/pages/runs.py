"""The page of a receipt's runs: one frame for all of them, which a script fills from the receipt and its evidence.

Owns what the frame states of the files: their SHA-256 as the verified receipt pins it, and where the site serves them. The
browser shows no byte of a file under another digest. Without script the page has the counts and the files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from benchsite.addresses import board_path, evidence_page_path, is_slug, receipt_page_path
from benchsite.board.data import stem
from benchsite.history import History
from benchsite.receipt import Document
from benchsite.track import Bodies, Library, Page
from benchsite.tracks.agents import TRACK
from benchsite.tracks.agents.pages.metric_table import outcome_counts
from benchsite.tracks.agents.pages.paths import runs_path, tasks_path, texts_path
from benchsite.tracks.agents.record import action_log
from benchsite.tracks.agents.record.columns import pinned
from benchsite.tracks.agents.trace import archive


def run_pages(
    history: History, bodies: Bodies, library: Library, outcomes: Mapping[str, str], texts: AbstractSet[str]
) -> Iterator[Page]:
    """One page for each receipt whose numbers may be quoted, ranked or not.

    Args:
        history: the verified record.
        bodies: of receipts, by id.
        library: what the site serves.
        outcomes: receipt id to the data file with the outcomes of other systems on the same tasks.
        texts: benchmarks with a data file of queries and expected actions.
    """
    for header in history.of(TRACK.name):
        if header.summary is None or not is_slug(header.summary.target):
            continue
        benchmark, subject = header.summary.target, header.summary.subject
        document = bodies(header.receipt_id)
        files = {name: _file(document, library, name) for name in (action_log.NAME, archive.NAME)}
        yield Page(
            path=runs_path(benchmark, header.receipt_id),
            title=f"Runs of {subject.name} on {benchmark}",
            description=f"What each run of receipt {header.receipt_id} did, and what its outcome is due to.",
            template="agents/runs.html.j2",
            many=True,
            context={
                "header": header,
                "simulated": document.get("simulated", False),
                "benchmark": benchmark,
                "board": board_path(TRACK.name, benchmark),
                "receipt": receipt_page_path(header.receipt_id),
                "tasks": tasks_path(benchmark),
                "files": [(name, *found) for name, found in files.items() if found],
                "actions": files[action_log.NAME],
                "traces": files[archive.NAME],
                "outcomes": outcomes.get(header.receipt_id, ""),
                "texts": texts_path(benchmark) if benchmark in texts else "",
                "runs": len(document["runs"]["taskId"]),
                "ran": len(set(document["runs"]["taskId"])),
                "counts": outcome_counts(document),
            },
        )


def _file(document: Document, library: Library, name: str) -> tuple[str, int, str] | None:
    """SHA-256 and size of a pinned file, and its path on the site; empty if the site does not serve it."""
    entry: Mapping[str, Any] | None = pinned(document, name)
    if entry is None:
        return None
    sha256 = entry["sha256"]
    return sha256, entry["size"], evidence_page_path(sha256) if sha256 in library.evidence else ""


def outcomes_path(board: str) -> str:
    """`api/v1/agents/workbench/outcomes.json`: how each run of each system of a leaderboard ended."""
    return f"{stem(board)}/outcomes.json"
