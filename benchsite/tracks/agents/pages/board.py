"""The leaderboards of the agents track, and its pages besides them: tasks, comparisons, experiments, runs."""

from __future__ import annotations

from collections.abc import Iterator

from benchsite.board import TrackBoards
from benchsite.track import Bodies, Library, Page
from benchsite.tracks.agents.pages.comparison import roster
from benchsite.tracks.agents.pages.experiment_page import elsewhere, experiment_pages
from benchsite.tracks.agents.pages.experiments import experiments
from benchsite.tracks.agents.pages.leaderboard import LEADERBOARD
from benchsite.tracks.agents.pages.runs import outcomes_path, run_pages
from benchsite.tracks.agents.pages.tasks import outcomes, task_pages, texts

__all__ = ["LEADERBOARD", "pages"]


def pages(boards: TrackBoards, bodies: Bodies, library: Library) -> Iterator[Page]:
    """The pages of each benchmark's tasks and the outcomes as data; then experiments and the runs of each receipt."""
    listed: dict[str, str] = {}
    shown = set()
    for made in boards.current:
        found = roster(made, bodies, library)
        yield from task_pages(found)
        yield outcomes(found)
        listed |= {system.id: outcomes_path(made.path) for system in found.systems}
        if not found.withheld:
            yield texts(found)
            shown.add(made.target)
    # A benchmark of that name would have the same path.
    if boards.history.of(LEADERBOARD.track.name) and all(
        made.target != "experiments" for made in boards.boards
    ):
        found_experiments = experiments(boards.history, bodies)
        yield from experiment_pages(found_experiments, bodies)
        listed = elsewhere(found_experiments) | listed
    yield from run_pages(boards.history, bodies, library, listed, shown)
