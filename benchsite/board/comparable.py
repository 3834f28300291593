"""Which receipts of a board share tasks with the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from benchsite.board.board import Leaderboard
from benchsite.board.sentences import said
from benchsite.history import Header, History, LatestRow
from benchsite.track import Bodies


def latest(
    about: Leaderboard, history: History, headers: Sequence[Header]
) -> tuple[Sequence[LatestRow], Sequence[LatestRow]]:
    """Return the latest receipt of each row: of runs of this site, and of imports if the track ranks them."""
    return history.rows(headers), history.rows(headers, imported=True) if about.imports else ()


def comparable(
    about: Leaderboard, history: History, bodies: Bodies, headers: Sequence[Header]
) -> Sequence[Header]:
    """Exclude, with a reason, receipts that share no task with most rows: they are not of this target.

    Submitted receipts don't decide what most rows have, unless there are no others: many copies of one submission are
    no majority. If as many rows have one set of tasks as another, the set of the earliest receipt counts.
    """
    compared = about.compared
    if compared is None:
        return headers
    tasks: dict[str, frozenset[str]] = {}
    while True:
        found = [row.header for rows in latest(about, history, headers) for row in rows]
        found.sort(key=lambda one: one.index or 0)
        names = [one.receipt_id for one in found]
        tasks |= {name: frozenset(compared(bodies(name))) for name in names if name not in tasks}
        known = [one for one in found if tasks[one.receipt_id]]
        deciding = [one for one in known if not one.sent_by] or known
        counts = Counter(tasks[one.receipt_id] for one in deciding)
        most = next((same for same, _ in counts.most_common(1)), frozenset())
        odd = {name for name in names if tasks[name] and tasks[name].isdisjoint(most)}
        if not odd:
            return headers
        reason = said("no-common-tasks", tasks=about.tasks)
        headers = tuple(
            replace(one, unranked=(*one.unranked, reason)) if one.receipt_id in odd else one
            for one in headers
        )
