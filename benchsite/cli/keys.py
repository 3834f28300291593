"""`benchsite keys`."""

from __future__ import annotations

from pathlib import Path

import click

from benchsite.cli import here, output
from benchsite.cli.identity import tell_missing
from benchsite.cli.main import Group
from benchsite.cli.publish import ask, tell
from benchsite.environment import Credentials
from benchsite.pipeline.publish import keys as key_store
from benchsite.pipeline.publish import rotation
from benchsite.pipeline.workspace import Workspace


@click.group(cls=Group)
def keys() -> None:
    """Create, list, rotate and revoke signing keys."""


@keys.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder outside the repository for new private keys [default: ~/.config/benchsite/<origin>].",
)
@click.pass_obj
def init(credentials: Credentials, out: Path | None) -> None:
    """Create the root, receipt and log keys, and the log.

    Keys given by BENCHSITE_ROOT_KEY, BENCHSITE_RECEIPT_KEY and BENCHSITE_LOG_KEY (or the same names with _FILE)
    are used instead of new ones.
    """
    workspace = Workspace(Path.cwd())
    tell_missing(workspace.repository)
    created = key_store.init(workspace, credentials, folder=out)
    for role, fingerprint in created.fingerprints.items():
        output.say(f"{role:<8} {fingerprint}")
    if created.files:
        output.say(f"private keys: {next(iter(created.files.values())).parent} (mode 0600)")
        output.say("keep the root key offline; to publish, set the other two:")
        for role in ("receipt", "log"):
            output.say(f"  export BENCHSITE_{role.upper()}_KEY_FILE={created.files[role]}")
    else:
        output.say("keys taken from the environment; none created")
    output.say(f"created log in commit {created.commit[:12]}")


@keys.command(name="list")
@output.json_option
def list_keys(as_json: bool) -> None:  # noqa: FBT001 - click passes options by keyword
    """List every key in the log, with the entries for which it is valid."""
    records = key_store.records(here.snapshot())
    if as_json:
        rows = [
            {
                "fingerprint": record.fingerprint,
                "role": record.role,
                "state": record.state,
                "fromIndex": record.from_index,
                "toIndex": record.to_index,
                "trustedBelowIndex": record.trusted_below_index,
            }
            for record in records
        ]
        output.emit({"keys": rows})
    elif not records:
        output.say("no keys: run `benchsite keys init` to create the keys and the log")
    else:
        shown = [
            (
                record.role,
                record.state,
                str(record.from_index),
                "" if record.to_index is None else str(record.to_index),
                "" if record.trusted_below_index is None else str(record.trusted_below_index),
                record.fingerprint,
            )
            for record in records
        ]
        output.table(("role", "state", "from", "to", "trusted below", "fingerprint"), shown)


_out = click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder outside the repository for the new private key [default: ~/.config/benchsite/<origin>].",
)
_yes = click.option("--yes", is_flag=True, help="Skip the confirmation, for scripts and CI.")
_no_push = click.option("--no-push", is_flag=True, help="Do not push the commit.")


@keys.command()
@click.argument("key", metavar="ROLE|FINGERPRINT")
@click.option("--keep", is_flag=True, help="Keep the old key in service too, to add a second root key.")
@_out
@_yes
@_no_push
@click.pass_obj
def rotate(
    credentials: Credentials, key: str, *, keep: bool, out: Path | None, yes: bool, no_push: bool
) -> None:
    """Replace a key: add a new one and retire the old one, in one commit.

    Needs BENCHSITE_ROOT_KEY, and BENCHSITE_LOG_KEY unless the log key itself is replaced.
    """
    workspace, snapshot = here.opened()
    credentials.key("root", repository=workspace.root)
    if not yes:
        record = rotation.find_key(snapshot.require_log(), key)
        effect = "stays in service beside a new key" if keep else "will be retired"
        output.say(f"{record.role} key {record.fingerprint} {effect}")
        ask("Log this permanently?", quiet=False)
    with output.progress("rotating") as progress:
        done = rotation.rotate(
            workspace, snapshot, key, credentials, keep=keep, folder=out, push=not no_push, progress=progress
        )
    _tell_rotated(done)


@keys.command()
@click.argument("key", metavar="ROLE|FINGERPRINT")
@click.option("--reason", required=True, help="Reason, one line; shown permanently.")
@click.option(
    "--trusted-below",
    type=click.IntRange(min=0),
    metavar="INDEX",
    help="Number of log entries for which this key stays trusted. Not for a root key.",
)
@_out
@_yes
@_no_push
@click.pass_obj
def compromise(
    credentials: Credentials,
    key: str,
    *,
    reason: str,
    trusted_below: int | None,
    out: Path | None,
    yes: bool,
    no_push: bool,
) -> None:
    """Revoke a compromised key; receipts at or after entry INDEX become SUSPECT.

    If it was the only key of its role, a new key enters service in the same commit. Needs BENCHSITE_ROOT_KEY,
    and BENCHSITE_LOG_KEY unless the log key itself is compromised. See keys/ROTATION.md.
    """
    workspace, snapshot = here.opened()
    credentials.key("root", repository=workspace.root)
    if not yes:
        log = snapshot.require_log()
        record = rotation.find_key(log, key)
        limit = (
            "" if trusted_below is None else f"; trusted below entry {trusted_below} (of 0–{log.size - 1})"
        )
        output.say(f"{record.role} key {record.fingerprint} will be marked as compromised{limit}")
        ask("Log this permanently?", quiet=False)
    with output.progress("reporting") as progress:
        done = rotation.compromise(
            workspace,
            snapshot,
            key,
            credentials,
            below=trusted_below,
            reason=reason,
            folder=out,
            push=not no_push,
            progress=progress,
        )
    _tell_rotated(done)


def _tell_rotated(done: rotation.Rotated) -> None:
    if done.old:
        output.say(f"out of service  {done.old}")
    if done.new:
        output.say(f"in service      {done.new}")
    if done.file is not None:
        output.say(f"private key     {done.file} (mode 0600)")
        if done.role == "root":
            output.say("hint: move it to offline storage, separate from any other root key")
        else:
            name = f"BENCHSITE_{done.role.upper()}_KEY"
            output.say("for the next publish, and in the secrets of the workflows:")
            output.say(f"  export {name}_FILE={done.file}")
            output.say(f"  gh secret set {name} --env publishing < {done.file}")
    tell(done.appended, f"logged the change of the {done.role} key")
