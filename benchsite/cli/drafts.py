"""`benchsite drafts`: unpublished drafts, one draft in full, drafts deleted, and those copied from another record."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from benchsite.cli import here, output
from benchsite.cli.main import Group, advice
from benchsite.cli.publish import ask, describe_draft
from benchsite.errors import BenchsiteError, InputError
from benchsite.pipeline import copies as copying
from benchsite.pipeline import head
from benchsite.pipeline.publish import candidates as draft_store
from benchsite.pipeline.publish import inbox
from benchsite.pipeline.publish.candidates import Candidate
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import Workspace
from benchsite.words import amount, shown_path


@click.group(cls=Group)
def drafts() -> None:
    """List, show, discard or copy unpublished drafts."""


@drafts.command("list")
@output.json_option
def list_(*, as_json: bool) -> None:
    """List every draft in .benchsite/drafts and results/inbox, with the scores that it records.

    Only `publish` and `drafts show` re-score a draft.
    """
    workspace, snapshot = here.opened()
    rows = []
    for path, found in draft_store.review(workspace, snapshot, rescore=False):
        rows.append(_row(workspace, path, found))
        if not as_json:
            _tell(path, found)
    if as_json:
        output.emit({"drafts": rows})
    elif not rows:
        output.say("no drafts in .benchsite/drafts or results/inbox")


@drafts.command()
@click.argument("draft")
def show(draft: str) -> None:
    """Print one draft as JSON on stdout, and its publishing summary on stderr.

    DRAFT is a path, a receipt id or its first characters.
    """
    workspace, snapshot = here.opened()
    (path,) = draft_store.named(workspace, snapshot, [draft])
    (candidate,) = _candidates(workspace, snapshot, path)
    output.emit(candidate.receipt.document)
    describe_draft(candidate, output.note)


@drafts.command()
@click.argument("names", nargs=-1, required=True, metavar="DRAFT ...")
@click.option("--yes", is_flag=True, help="Skip the confirmation, for scripts.")
def discard(names: Sequence[str], *, yes: bool) -> None:
    """Delete drafts in .benchsite/drafts, and evidence that no other draft pins.

    DRAFT is a path, a receipt id or its first characters. Remove drafts of results/inbox with git rm.
    """
    workspace, snapshot = here.opened()
    paths = draft_store.named(workspace, snapshot, names)
    for path in paths:
        if inbox.place(workspace, path) is not None:
            raise InputError(
                f"{shown_path(path.name)} is in results/inbox: remove it in a commit",
                hint=f"git rm results/inbox/{path.name}",
            )
    if not yes:
        what = "this draft" if len(paths) == 1 else f"these {len(paths)} drafts"
        ask(f"Discard {what}?", quiet=False)
    for path in paths:
        draft_store.discard(workspace, path)
        output.say(f"discarded  {shown_path(path.stem)}")


@drafts.command("copy")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, exists=True, file_okay=False))
def copy_(folder: Path) -> None:
    """Copy the receipts of another instance as drafts of this one.

    DIR is a clone of the other instance. Each receipt in good standing becomes a draft with its id, run and evidence, and without
    its signature and its links to the other log. Copy the datasets and methodologies that they use before you publish.
    """
    workspace, snapshot = here.opened()
    other = Workspace(folder)
    count = 0
    with output.progress("copying") as progress:
        for found in copying.copy(workspace, snapshot, head.snapshot(other)):
            count += not found.reason
            progress(count, 0, found.receipt_id)
            if found.reason:
                output.say(f"skipped  {found.receipt_id}  {found.subject} on {found.target}: {found.reason}")
    output.say(f"copied {amount(count, 'draft')}; next: benchsite drafts list")


def _candidates(workspace: Workspace, snapshot: Snapshot, path: Path) -> list[Candidate]:
    found = draft_store.collect(workspace, snapshot, [path])
    for error in found.left.values():
        raise error
    return found.candidates


def _tell(path: Path, found: Candidate | BenchsiteError) -> None:
    if isinstance(found, BenchsiteError):
        output.say(f"  {shown_path(path.stem)}  refused: {found.message}")
        if found.hint:
            output.note(f"      {advice(found.hint)}")
    else:
        describe_draft(found, output.say)


def _row(workspace: Workspace, path: Path, found: Candidate | BenchsiteError) -> dict[str, Any]:
    where = path.relative_to(workspace.root).as_posix()
    if isinstance(found, BenchsiteError):
        return {"path": where, "receiptId": path.stem, "error": found.message, "hint": found.hint}
    told = found.about
    return {
        "path": where,
        "receiptId": found.receipt_id,
        "source": found.source,
        "subject": told.subject,
        "target": told.target,
        "headline": told.headline,
        "settings": list(told.settings),
        "standing": list(told.standing),
        "doubts": list(told.doubts),
        "actsOn": list(told.acts_on),
        "submittedBy": told.sent_by or None,
        "published": found.logged,
    }
