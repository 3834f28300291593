"""The record as one commit holds it: its files by kind, and its log opened step by step.

`Instance.open_log` stops at the first thing that is wrong. An audit goes on, so files and log are taken apart here:
what a file under `results/` or `keys/` can be is decided from its path alone, and nothing is raised for a bad one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from benchsite.errors import IntegrityError
from benchsite.log import (
    CHECKPOINT_PATH,
    COSIGNATURES_PATH,
    ENTRIES_FOLDER,
    MANIFEST_PATH,
    Log,
    open_log,
    segment_number,
)
from benchsite.pipeline.inbox import INBOX
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.ledger import RECEIPT_KEY
from benchsite.repo import REGULAR, TreeFile

ROTATION: Final = "keys/ROTATION.md"
RECORD: Final = ("results", "keys")

Sort = Literal[
    "receipt",
    "segment",
    "checkpoint",
    "cosignatures",
    "evidence",
    "free",
    "manifest",
    "current",
    "key",
    "stray",
]

_RECEIPT: Final = re.compile(
    r"results/published/([0-9a-f]{2})/(\1[0-9a-f]{6}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})\.json"
)
_EVIDENCE: Final = re.compile(r"results/evidence/([0-9a-f]{2})/(\1[0-9a-f]{62})")
_KEY: Final = re.compile(r"keys/[0-9a-f]{64}\.pub")
_NAMED: Final[dict[str, Sort]] = {
    CHECKPOINT_PATH: "checkpoint",
    COSIGNATURES_PATH: "cosignatures",
    MANIFEST_PATH: "manifest",
    RECEIPT_KEY: "current",
    ROTATION: "free",
}


def sort_of(path: str) -> Sort:
    """What a file under `results/` or `keys/` is. `free`: an inbox or a placeholder, prose and no record."""
    if path in _NAMED:
        return _NAMED[path]
    if _RECEIPT.fullmatch(path):
        return "receipt"
    if path.startswith(f"{INBOX}/") or path.endswith("/.gitkeep"):
        return "free"
    if path.startswith(f"{ENTRIES_FOLDER}/"):
        return "segment" if segment_number(path) is not None else "stray"
    if _EVIDENCE.fullmatch(path):
        return "evidence"
    return "key" if _KEY.fullmatch(path) else "stray"


def evidence_sha256(path: str) -> str:
    """The digest that a path of evidence is made from."""
    return path.rpartition("/")[2]


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
    except IntegrityError as error:
        return State(commit, files, None, error.message)
    return State(commit, files, log, "")


def _opened(instance: Instance, segments: list[TreeFile], checkpoint: TreeFile | None) -> Log | None:
    if checkpoint is None or checkpoint.mode not in REGULAR:
        if not segments and checkpoint is None:
            return None
        raise IntegrityError(f"{CHECKPOINT_PATH} is missing")
    for number, item in enumerate(segments):
        if segment_number(item.path) != number:
            raise IntegrityError(f"{item.path} stands where segment {number} should")
    read = instance.repository.blob
    settings = instance.config.benchsite
    data = [read(item.blob_id) for item in segments]
    return open_log(data, read(checkpoint.blob_id), origin=settings.origin, roots=settings.root_keys)
