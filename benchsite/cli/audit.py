"""`benchsite audit`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from benchsite.cli import output
from benchsite.cli.loading import lasting
from benchsite.repo import Past, Repository
from benchsite.repo.head import resolve_head
from benchsite.words import amount

if TYPE_CHECKING:
    from benchsite.pipeline.audit import Audit

_SHOWN: Final = 20
"""Findings of one kind that are printed; `--json` has them all."""


@click.command()
@click.option(
    "--since",
    metavar="REV",
    help="Audit only the commits after this one, which must still be in the history.",
)
@click.option(
    "--checkpoint",
    "checkpoints",
    type=click.Path(path_type=Path),
    multiple=True,
    help="A signed checkpoint from another clone, a witness or the site; may be repeated.",
)
@click.option(
    "--root",
    metavar="FINGERPRINT",
    default="",
    help="Fingerprint of the root key that entry 0 of the log must add.",
)
@output.json_option
@click.pass_context
def audit(
    ctx: click.Context,
    since: str | None,
    checkpoints: Sequence[Path],
    root: str,
    as_json: bool,  # noqa: FBT001 - click passes options by keyword
) -> None:
    """Audit the git history: was the record ever altered?

    Reads the whole history once. Receipts, log and keys are created and never changed; the log only grows; every past
    checkpoint is consistent with the log. Every receipt is hashed and compared with its entry. Signatures and scores
    are verified by `benchsite verify --all`.
    """
    repository = Repository.open(Path.cwd())
    past, commit = Past(repository.root), resolve_head(repository)
    # Git walks the history while the rest is imported, which takes as long as half of the walk.
    with past.ahead(commit) if since is None else nullcontext():
        with lasting():
            from benchsite.pipeline import audit as auditing  # noqa: PLC0415
            from benchsite.pipeline.snapshot import Snapshot  # noqa: PLC0415
            from benchsite.pipeline.workspace import Workspace  # noqa: PLC0415
        workspace = Workspace(Path.cwd())
        snapshot = Snapshot(workspace.repository, commit, downloads=workspace.downloads)
        with output.progress("auditing") as progress:
            found = auditing.audit(
                snapshot, since=since, checkpoints=checkpoints, root=root, progress=progress, past=past
            )
    if as_json:
        output.emit(_object(found))
    else:
        _tell(found)
    ctx.exit(0 if found.ok else 3)


def _object(found: Audit) -> dict[str, object]:
    findings = [
        {name: value or None for name, value in asdict(item).items() if name not in ("before", "after")}
        for item in found.findings
    ]
    counts = {
        name: getattr(found, name) for name in ("commits", "changes", "entries", "receipts", "checkpoints")
    }
    lists = {"findings": findings, "notes": list(found.notes), "evidence": list(found.evidence)}
    return {"ok": found.ok, **counts, **lists}


def _tell(found: Audit) -> None:
    output.say(
        f"audited {amount(found.commits, 'commit')}, {amount(found.changes, 'change')} to protected files, "
        f"{amount(found.entries, 'log entry', 'log entries')}, {amount(found.receipts, 'receipt')}, "
        f"{amount(found.checkpoints, 'past checkpoint')}"
    )
    for note in found.notes:
        output.say(f"note: {note}".replace("\n", "\\n"))
    for kind, group in groupby(
        sorted(found.findings, key=lambda item: item.kind), key=lambda item: item.kind
    ):
        items = list(group)
        output.say(f"{output.mark('fail')} {kind.value}")
        for item in items[:_SHOWN]:
            where = f"commit {item.commit[:12]} of {item.day}: " if item.commit else ""
            # A file name may hold a line break, with which it could write lines of ours.
            output.say(
                f"    {where}{item.path + ': ' if item.path else ''}{item.detail}".replace("\n", "\\n")
            )
        if len(items) > _SHOWN:
            output.say(f"    and {len(items) - _SHOWN:,} more: --json lists them all")
    for path in found.evidence:
        output.say(f"  evidence saved: {path}")
    if found.ok:
        output.say(f"{output.mark('pass')} no alteration found")
    elif found.about_memory:
        output.say(
            "the record does not match the checkpoint you supplied; no alteration of the record itself was found"
        )
    else:
        output.say(f"record altered: {amount(len(found.findings), 'finding')}")
