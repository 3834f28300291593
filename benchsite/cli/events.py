"""`benchsite retract`, `supersede`, `dispute`, `withdraw-evidence` and `decline`: one log entry each, shown before it is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from benchsite.cli import here, output
from benchsite.cli.publish import ask, tell
from benchsite.environment import Credentials
from benchsite.log import Entry
from benchsite.pipeline.publish import events
from benchsite.pipeline.workspace import Workspace

_yes = click.option("--yes", is_flag=True, help="Skip the confirmation, for scripts and CI.")
_no_push = click.option("--no-push", is_flag=True, help="Do not push the commit.")


def _options(command: Callable[..., None]) -> Callable[..., None]:
    return _yes(_no_push(output.json_option(click.pass_obj(command))))


@click.command()
@click.argument("receipt", metavar="ID")
@click.option("--reason", required=True, help="Reason, one line; shown permanently on the receipt's page.")
@_options
def retract(credentials: Credentials, receipt: str, reason: str, **how: Any) -> None:
    """Retract a published receipt. Its page stays, marked as retracted; leaderboards no longer rank it."""
    workspace, snapshot = here.opened()
    entry = events.retraction(events.receipt_named(snapshot, receipt), reason)
    _announce(workspace, credentials, entry, **how)


@click.command()
@click.argument("old")
@click.argument("new")
@_options
def supersede(credentials: Credentials, old: str, new: str, **how: Any) -> None:
    """Replace the published receipt OLD with NEW, a later receipt of the same system."""
    workspace, snapshot = here.opened()
    names = [events.receipt_named(snapshot, name) for name in (old, new)]
    _announce(workspace, credentials, events.succession(snapshot, *names), **how)


@click.command()
@click.argument("receipt", metavar="ID")
@click.option("--url", required=True, help="Address of the objection.")
@_options
def dispute(credentials: Credentials, receipt: str, url: str, **how: Any) -> None:
    """Link an objection to a published receipt. It stays ranked, with the link beside it."""
    workspace, snapshot = here.opened()
    entry = events.dispute(events.receipt_named(snapshot, receipt), url)
    _announce(workspace, credentials, entry, **how)


@click.command(name="withdraw-evidence")
@click.argument("sha256")
@click.option("--reason", required=True, help="Reason, one line: personal data, an exposed token, copyright.")
@_options
def withdraw_evidence(credentials: Credentials, sha256: str, reason: str, **how: Any) -> None:
    """Withdraw an evidence file (personal data, copyright). Receipts that pin it stay, but are NOT RE-SCORABLE."""
    _announce(Workspace(Path.cwd()), credentials, events.withdrawal(sha256, reason), **how)


@click.command()
@click.argument("track")
@click.argument("subject")
@click.argument("target")
@click.option("--reason", required=True, help="Reason, one line: contamination, license, access.")
@_options
def decline(credentials: Credentials, track: str, subject: str, target: str, reason: str, **how: Any) -> None:
    """Log the reason why SUBJECT is not measured on TARGET. Pages list it without penalty."""
    workspace, snapshot = here.opened()
    _announce(
        workspace, credentials, events.refusal(workspace, snapshot, track, subject, target, reason), **how
    )


def _announce(
    workspace: Workspace, credentials: Credentials, entry: Entry, *, yes: bool, no_push: bool, as_json: bool
) -> None:
    fields = entry.model_dump(by_alias=True, exclude_none=True, exclude={"v"})
    if not yes:
        for name, value in fields.items():
            (output.note if as_json else output.say)(f"{name:<10} {value}")
        ask("Log this permanently?", quiet=as_json)
    with output.progress("logging") as progress:
        appended = events.announce(workspace, credentials, entry, push=not no_push, progress=progress)
    if as_json:
        output.emit({"entry": fields, "commit": appended.commit, "size": appended.size})
    else:
        tell(appended, f"logged {entry.type}")
