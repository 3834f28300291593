"""The page of a receipt's evidence: the actions of every run, and how its final state differs from the expected one.

Runs are below their domain, with an index at the top. None is collapsed: links to a run, searches and prints find it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from benchsite.addresses import evidence_page_path, is_slug, receipt_page_path
from benchsite.history import History
from benchsite.receipt import Document
from benchsite.track import Bodies, Library, Page
from benchsite.tracks.agents import TRACK
from benchsite.tracks.agents.pages.action_log import Evidence, Shown, evidence
from benchsite.tracks.agents.pages.metric_table import measured, parted, tone
from benchsite.tracks.agents.pages.paths import evidence_path, run_anchor, tasks_path
from benchsite.tracks.agents.record import action_log
from benchsite.tracks.agents.record.columns import pinned


class Run(NamedTuple):
    """One run of the page; `shown` is None where its actions are not at hand."""

    task: str
    number: int
    outcome: str
    tone: str
    shown: Shown | None
    anchor: str


def evidence_pages(history: History, bodies: Bodies, library: Library) -> Iterator[Page]:
    """One page for each receipt that pins actions, ranked or not: a receipt's page links to it."""
    for header in history.of(TRACK.name):
        if header.summary is None or not is_slug(header.summary.target):
            continue
        document = bodies(header.receipt_id)
        entry = pinned(document, action_log.NAME)
        if entry is None:
            continue
        found, subject = evidence(document, library), header.summary.subject
        domains = _by_domain(document, found)
        yield Page(
            path=evidence_path(header.summary.target, header.receipt_id),
            title=f"Actions of {subject.name} on {header.summary.target}",
            description=f"What each run of receipt {header.receipt_id} did, and how its final state differs.",
            template="agents/evidence.html.j2",
            context={
                "header": header,
                "receipt": receipt_page_path(header.receipt_id),
                "missing": found.missing,
                "file": evidence_page_path(entry["sha256"]) if entry["sha256"] in library.evidence else "",
                "domains": domains,
                "several": any(run.number > 1 for *_, runs in domains for run in runs),
                "tasks": tasks_path(header.summary.target),
            },
        )


def _by_domain(document: Document, found: Evidence) -> Sequence[tuple[str, str, int, Sequence[Run]]]:
    """Each domain with its anchor, which no run has, its successes and its runs, in the order of the receipt."""
    of_task = dict(zip(document["tasks"]["id"], document["tasks"]["domain"], strict=True))
    runs: dict[str, list[Run]] = {}
    for task, ended in measured(document).outcomes.items():
        # A receipt that other code made may name a task that its list lacks: a violation, and no reason to stop.
        runs.setdefault(of_task.get(task, "not listed"), []).extend(
            Run(task, i, outcome, tone(outcome), found.runs.get((task, i)), run_anchor(task, i))
            for i, outcome in enumerate(ended, 1)
        )
    return [
        (domain, f"domain_{i}", sum(parted(run.outcome)[0] == "success" for run in each), each)
        for i, (domain, each) in enumerate(runs.items(), 1)
    ]
