"""`benchsite verify --board`: a leaderboard recomputed from the log, and how a file that states it differs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from benchsite.cli import here, output
from benchsite.errors import InputError
from benchsite.pipeline.proof import Proof, prove, single_file
from benchsite.words import amount, figure, rank


def tell(name: str, size: int | None, *, save: Path | None, as_json: bool) -> int:
    """Print what a leaderboard comes to, and write its file; return the exit code."""
    workspace, snapshot = here.opened()
    found = prove(snapshot, name, size)
    if save is not None:
        _write(save, single_file(workspace, snapshot, found))
    if as_json:
        output.emit(
            {
                "statement": found.statement,
                "compared": found.stated,
                "discrepancies": [asdict(one) for one in found.found],
            }
        )
        return found.exit_code
    made, log = found.board, found.statement["log"]
    output.say(f"{found.statement['track']}/{made.target}, methodology {made.methodology}")
    output.say(f"  log {log['origin']}, {amount(log['size'], 'entry', 'entries')}, root {log['root']}")
    output.say(f"  {amount(found.receipts, 'receipt')} of the log verified and re-scored")
    _table(found)
    for one in found.statement["notRanked"]:
        output.say(f"  not ranked: {one['receiptId']}: {'; '.join(one['reasons'])}")
    for each in found.found:
        output.say(f"✗ {each.message}")
    if save is not None:
        output.say(f"wrote {save}")
    output.say(f"{'✗' if found.found else '✓'} {found.sentence}")
    return found.exit_code


def _table(found: Proof) -> None:
    rows = [
        [
            rank(row["rankFirst"], row["rankLast"]) or ("baseline" if row["section"] == "baseline" else "–"),
            f"{row['name']} {row['version']}",
            row["label"],
            figure(row["value"]),
            row["receiptId"],
        ]
        for row in found.statement["rows"]
    ]
    if rows:
        metric = found.board.about.metric.label
        output.table(("rank", "system", "configuration", metric, "receipt"), rows)


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        reason = (error.strerror or "unwritable").lower()
        raise InputError(
            f"cannot write {path}: {reason}", hint="check the path and its permissions"
        ) from None
