"""The record as one commit holds it: its files by kind, and its log opened step by step.

`Instance.open_log` stops at the first thing that is wrong. An audit goes on, so files and log are taken apart here:
nothing is raised for a bad one.
"""

from __future__ import annotations

from dataclasses import dataclass

from benchsite.layout import (
    CHECKPOINT_PATH,
    ENTRIES_FOLDER,
    RECORD,
    segment_number,
    sort_of,
)
from benchsite.log import Log, LogError, open_log
from benchsite.pipeline.instance import Instance
from benchsite.repo import REGULAR, TreeFile


@dataclass(frozen=True, slots=True)
class State:
    """`results/` and `keys/` of one commit.

    Attributes:
        commit: which one.
        files: every file, in path order.
        log: the log, None where there is none or it does not open.
        fault: why it does not open; empty where it does, and where there is none.
    """

    commit: str
    files: tuple[TreeFile, ...]
    log: Log | None
    fault: str

    @property
    def begun(self) -> bool:
        """Whether any file of a log is there."""
        return any(sort_of(item.path) in ("segment", "checkpoint") for item in self.files)


def read_state(instance: Instance, commit: str) -> State:
    """The record as a commit holds it."""
    repository = instance.repository
    files = tuple(item for folder in RECORD for item in repository.tree(folder, rev=commit))
    held = {item.path: item for item in files}
    segments = [item for item in files if item.path.startswith(f"{ENTRIES_FOLDER}/")]
    segments = [item for item in segments if sort_of(item.path) == "segment" and item.mode in REGULAR]
    checkpoint = held.get(CHECKPOINT_PATH)
    try:
        log = _opened(instance, segments, checkpoint)
    except LogError as error:
        return State(commit, files, None, error.message)
    return State(commit, files, log, "")


def _opened(instance: Instance, segments: list[TreeFile], checkpoint: TreeFile | None) -> Log | None:
    if checkpoint is None or checkpoint.mode not in REGULAR:
        if not segments and checkpoint is None:
            return None
        raise LogError(f"{CHECKPOINT_PATH} is missing")
    for number, item in enumerate(segments):
        if segment_number(item.path) != number:
            raise LogError(f"{item.path} stands where segment {number} should")
    read = instance.repository.blob
    settings = instance.config.benchsite
    data = [read(item.blob_id) for item in segments]
    return open_log(data, read(checkpoint.blob_id), origin=settings.origin, roots=settings.root_keys)
