"""The page of a receipt's evidence: the actions of every run, and how its final state differs from the expected one."""

from __future__ import annotations

from collections.abc import Iterator

from benchsite.addresses import evidence_page_path, is_slug, receipt_page_path
from benchsite.history import History
from benchsite.track import Bodies, Library, Page
from benchsite.tracks.agents import TRACK, actions
from benchsite.tracks.agents.acted import evidence
from benchsite.tracks.agents.columns import pinned
from benchsite.tracks.agents.figures import measured, tone
from benchsite.tracks.agents.places import evidence_path, run_anchor, tasks_path


def evidence_pages(history: History, bodies: Bodies, library: Library) -> Iterator[Page]:
    """One page for each receipt that pins actions, ranked or not: a receipt's page links to it."""
    for header in history.of(TRACK.name):
        if header.summary is None or not is_slug(header.summary.target):
            continue
        document = bodies(header.receipt_id)
        entry = pinned(document, actions.NAME)
        if entry is None:
            continue
        found, subject = evidence(document, library), header.summary.subject
        runs = [
            (task, number, outcome, tone(outcome), found.runs.get((task, number)), run_anchor(task, number))
            for task, ended in measured(document).outcomes.items()
            for number, outcome in enumerate(ended, 1)
        ]
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
                "runs": runs,
                "several": any(number > 1 for _, number, *_ in runs),
                "tasks": tasks_path(header.summary.target),
            },
        )
