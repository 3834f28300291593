"""proof: a leaderboard recomputed from the log and its receipts, and compared with what a file says of it.

name -> record as of a size -> verified history -> leaderboard -> statement
file -> statement -> the same of the record -> discrepancies
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchsite.board.board import Board
from benchsite.board.discrepancies import Discrepancy, discrepancies
from benchsite.board.sentences import said
from benchsite.board.statement import checked, read, statement
from benchsite.errors import InputError, IntegrityError, UsageError
from benchsite.history import History
from benchsite.layout import COSIGNATURES_PATH
from benchsite.methodology import FILES
from benchsite.pipeline import browser
from benchsite.pipeline.building.pages import trust_data
from benchsite.pipeline.leaderboards import leaderboard
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.snapshot.as_of import history_as_of
from benchsite.pipeline.workspace import Workspace
from benchsite.pipeline.workspace.files import read_bounded
from benchsite.site.board_file import carried, is_page, stated_in, with_board

__all__ = ["Proof", "prove", "single_file"]

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]*/[a-z0-9][a-z0-9-]*(/[0-9]+\.[0-9]+\.[0-9]+)?/?")
_LARGEST: Final = 256 * 1024 * 1024


class Name(NamedTuple):
    """A leaderboard; its version is empty for the newest one with receipts."""

    track: str
    target: str
    version: str = ""

    def __str__(self) -> str:
        """`retrieval/locomo-10-turn/1.0.0`."""
        return "/".join(part for part in self if part)


@dataclass(frozen=True, slots=True)
class Proof:
    """A leaderboard as the record has it.

    Attributes:
        statement: what the record says.
        receipts: how many receipts of the log were verified for it.
        stated: whether a file was compared with the record.
        found: how the file differs.
        history: the record as of the statement's size.
        later: entries of the log after that size.
    """

    board: Board
    statement: Mapping[str, Any]
    receipts: int
    stated: bool
    found: Sequence[Discrepancy]
    history: History
    later: int

    @property
    def sentence(self) -> str:
        """What the verification comes to."""
        last = f"{self.statement['log']['size'] - 1:,}"
        if not self.stated:
            return said("recomputed", last=last)
        if self.found:
            return said("different", count=len(self.found))
        return (
            said("whole-until", last=last, later=f"{self.later:,}")
            if self.later
            else said("whole", last=last)
        )

    @property
    def exit_code(self) -> int:
        """3 if the file differs from the record."""
        return 3 if self.found else 0


def prove(snapshot: Snapshot, name: str, size: int | None = None) -> Proof:
    """Recompute the leaderboard of a name, or the one that a file states, and compare the file.

    Args:
        snapshot: the record.
        name: `TRACK/DATASET`, with `/VERSION` for a permalink; or the path of a statement.
        size: entries of the log; None for the file's own, else all.

    Raises:
        UsageError: there is no such leaderboard, or the log has fewer entries.
        InputError: the file holds no statement, or is unreadable.
        IntegrityError: the file is of another log, or its root is not the log's.
    """
    stated = None if _NAME.fullmatch(name) and not _is_file(name) else _stated(snapshot, name)
    if stated is None:
        track, target, *version = name.rstrip("/").split("/")
        asked = Name(track, target, *version)
    else:
        asked = Name(stated["track"], stated["target"], stated["methodology"])
        size = _one_size(stated["log"]["size"], size)
    known = snapshot.require_log().size
    entries = known if size is None else size
    history = history_as_of(snapshot, entries)
    board = leaderboard(snapshot, history, **asked._asdict())
    if board is None:
        raise UsageError(
            f"no receipt on leaderboard {asked} among {entries:,} entries", hint=_available(history, asked)
        )
    computed = statement(board)
    found = discrepancies(stated, computed) if stated is not None else ()
    return Proof(board, computed, len(history), stated is not None, found, history, known - entries)


def _is_file(name: str) -> bool:
    return Path(name).is_file()


def _stated(snapshot: Snapshot, name: str) -> Mapping[str, Any]:
    """The statement in a file, of this log."""
    data = read_bounded(Path(name), _LARGEST)
    stated = checked(stated_in(data)) if is_page(data) else read(data)
    _require_same_log(snapshot, stated)
    return stated


def _available(history: History, asked: Name) -> str:
    """What the record has in place of a leaderboard."""
    found = {f"{one.track}/{one.summary.target}" for one in history if one.summary is not None}
    return (
        f"available: {', '.join(sorted(found)) or 'none'}"
        if f"{asked.track}/{asked.target}" not in found
        else ("name a version that has receipts, or none")
    )


def _one_size(stated: int, asked: int | None) -> int:
    if asked is not None and asked != stated:
        raise UsageError(
            f"the file is of {stated:,} entries, not {asked:,}",
            hint="run it without --at: the file names its size",
        )
    return stated


def _require_same_log(snapshot: Snapshot, stated: Mapping[str, Any]) -> None:
    """Refuse a statement that is pinned to another log, or to entries that this log does not have."""
    log, pinned = snapshot.require_log(), stated["log"]
    if pinned["origin"] != log.origin:
        raise InputError(
            said("other-log", origin=pinned["origin"]), hint="run it in a clone of that log's repository"
        )
    if not 0 < pinned["size"] <= log.size:
        raise InputError(
            said("larger", stated=f"{pinned['size']:,}", size=f"{log.size:,}"), hint="run `git pull` first"
        )
    computed = base64.b64encode(log.root(pinned["size"])).decode()
    if computed != pinned["root"]:
        size = f"{pinned['size']:,}"
        raise IntegrityError(
            said("other-root", stated=pinned["root"], size=size, computed=computed),
            hint="the file is forged, or its site shows another log: run benchsite audit",
        )


def single_file(workspace: Workspace, snapshot: Snapshot, found: Proof) -> bytes:
    """Return verify.html with a recomputed leaderboard, the whole log and the receipts of its size in it."""
    log = snapshot.require_log()
    history = found.history
    version = snapshot.methodologies.every()
    made = found.board
    board = carried(
        found.statement,
        checkpoint=snapshot.checkpoint,
        entries=[log.entry_bytes(index) for index in range(log.size)],
        receipts=snapshot.repository.blobs([header.blob_id for header in history if header.blob_id]),
        documents=[
            one.files[name]
            for one in version
            if (one.data.track, one.data.version) == (made.about.track.name, made.methodology)
            for name in FILES
        ],
        cosignatures=snapshot.read(COSIGNATURES_PATH) or b"",
    )
    trust = trust_data(workspace, snapshot, snapshot.history())
    return browser.verifier().with_trust(with_board(trust, board))
