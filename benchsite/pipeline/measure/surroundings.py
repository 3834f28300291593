"""The context of a runner: clock, machine, temporary folder, and what a measured program must not reach."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Final

from benchsite import environment, temporary
from benchsite.layout import (
    CONFIG,
    DRAFTS,
    ENVIRONMENTS,
    FIXTURES,
    METHODOLOGY,
    RECORD,
    SCRATCH,
    receipt_path,
)
from benchsite.pipeline.measure.answers import answers
from benchsite.pipeline.workspace import Workspace
from benchsite.progress import Progress, silent
from benchsite.track import NOTHING, Grant, RunContext

__all__ = ["context", "elsewhere"]

_GIT_STATE: Final = ("HEAD", "refs", "packed-refs", "config", "hooks", "info")


@contextmanager
def context(
    progress: Progress,
    workspace: Workspace | None = None,
    *,
    grants: Callable[[str], Grant] = lambda _subject: NOTHING,
) -> Iterator[RunContext]:
    """What a runner may know of the outside, for as long as a run lasts.

    Args:
        progress: called with (done, total, label).
        workspace: the repository that a measured program must not write to.
        grants: what the maintainer grants a subject; by default nothing.
    """
    sealed, watched = _out_of_reach(workspace) if workspace is not None else ((), ())
    with temporary.folder("benchsite-run-") as folder:
        yield RunContext(
            now=environment.now,
            perf_counter_ns=environment.perf_counter_ns,
            load_average=environment.load_average,
            cores=environment.cores(),
            progress=progress,
            temp_dir=str(folder),
            grants=grants,
            sealed=sealed,
            watched=watched,
            keys=environment.key_files(),
            answers=answers(workspace),
            secrets=environment.secrets(),
            command=f"{environment.now()}-{environment.new_id()[:4]}",
            new_id=environment.new_id,
            receipt=partial(_whereabouts, workspace),
            environments=str(workspace.root / ENVIRONMENTS) if workspace is not None else "",
            installed=environment.runs_on,
            elsewhere=elsewhere,
        )


def elsewhere() -> AbstractContextManager[RunContext]:
    """Return what a runner may know in a worker process, on any machine: it has no repository and keeps no signing key."""
    environment.take_credentials()
    return context(silent)


def _whereabouts(workspace: Workspace | None, receipt_id: str) -> str:
    """Where the receipt of an id is, in words; empty if it is nowhere."""
    if workspace is None or not receipt_id:
        return ""
    draft, published = f"{DRAFTS}/{receipt_id}.json", receipt_path(receipt_id)
    if (workspace.root / draft).is_file():
        return f"draft {draft}"
    return f"published as {receipt_id}" if (workspace.root / published).is_file() else ""


def _out_of_reach(workspace: Workspace) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The folders a measured program must not write to, and what of them is compared where it could."""
    own = workspace.repository.git_folders()
    record = (*RECORD, FIXTURES, METHODOLOGY, CONFIG, SCRATCH)
    watched = (
        *(workspace.root / name for name in record),
        *(folder / name for folder in own for name in _GIT_STATE),
    )
    return tuple(map(str, (workspace.root, *own))), tuple(map(str, watched))
