"""`benchsite keys`."""

from __future__ import annotations

from pathlib import Path

import click

from benchsite.cli import output
from benchsite.cli.identity import tell_missing
from benchsite.cli.publish import ask, tell
from benchsite.environment import Credentials
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.publish import keys as key_store
from benchsite.pipeline.publish import rotation
from benchsite.pipeline.record import require_log


@click.group()
def keys() -> None:
    """Make, list, replace and disown signing keys."""


@keys.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder outside the repository for new private keys [default: ~/.config/benchsite/<origin>].",
)
@click.pass_obj
def init(credentials: Credentials, out: Path | None) -> None:
    """Make root, receipt and log keys and begin the log.

    Keys given by BENCHSITE_ROOT_KEY, BENCHSITE_RECEIPT_KEY and BENCHSITE_LOG_KEY (or the same names with _FILE)
    are used instead of new ones.
    """
    instance = Instance(Path.cwd())
    tell_missing(instance.repository)
    begun = key_store.init(instance, credentials, folder=out)
    for role, fingerprint in begun.fingerprints.items():
        output.say(f"{role:<8} {fingerprint}")
    if begun.files:
        output.say(f"private keys written to {next(iter(begun.files.values())).parent}, readable by you only")
        output.say("to publish, name two of them; keep the root key offline:")
        for role in ("receipt", "log"):
            output.say(f"  export BENCHSITE_{role.upper()}_KEY_FILE={begun.files[role]}")
    else:
        output.say("these are the keys that the environment gave; none was made")
    output.say(f"log begun in commit {begun.commit[:12]}")


@keys.command(name="list")
@output.json_option
def list_keys(as_json: bool) -> None:  # noqa: FBT001 - click passes options by keyword
    """List every key the log has ever named, and from which entry to which it was in force."""
    records = key_store.records(Instance(Path.cwd()))
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
        output.say("no keys: `benchsite keys init` makes them and begins the log")
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
_yes = click.option("--yes", is_flag=True, help="Do not ask: for scripts and CI.")
_no_push = click.option("--no-push", is_flag=True, help="Keep the commit on this machine.")


@keys.command()
@click.argument("key", metavar="ROLE|FINGERPRINT")
@click.option("--keep", is_flag=True, help="Leave the old key in service too: how a second root key is made.")
@_out
@_yes
@_no_push
@click.pass_obj
def rotate(
    credentials: Credentials, key: str, *, keep: bool, out: Path | None, yes: bool, no_push: bool
) -> None:
    """Put a new key in service and retire the old one, in one commit.

    Needs BENCHSITE_ROOT_KEY, and BENCHSITE_LOG_KEY unless the log key is the one that is replaced.
    """
    instance = Instance(Path.cwd())
    if not yes:
        record = rotation.find_key(require_log(instance), key)
        output.say(f"{'joined by a new key' if keep else 'retired'}: {record.role} key {record.fingerprint}")
        ask("Log this for ever?", quiet=False)
    with output.progress("rotating") as progress:
        done = rotation.rotate(
            instance, key, credentials, keep=keep, folder=out, push=not no_push, progress=progress
        )
    _tell_rotated(done)


@keys.command()
@click.argument("key", metavar="ROLE|FINGERPRINT")
@click.option("--reason", required=True, help="What happened, in one line; it is shown for ever.")
@click.option(
    "--trusted-below",
    type=click.IntRange(min=0),
    metavar="INDEX",
    help="How many entries of the log still count for this key. Not for a root key.",
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
    """Report that a key is in other hands; what it signed from INDEX on stops counting.

    Where it was the only one of its role, a new key enters service in the same commit. Needs BENCHSITE_ROOT_KEY,
    and BENCHSITE_LOG_KEY unless the log key is the one that leaked. keys/ROTATION.md leads through it.
    """
    instance = Instance(Path.cwd())
    if not yes:
        log = require_log(instance)
        record = rotation.find_key(log, key)
        limit = "" if trusted_below is None else f"; of {log.size} entries, {trusted_below} still count"
        output.say(f"compromised: {record.role} key {record.fingerprint}{limit}")
        ask("Log this for ever?", quiet=False)
    with output.progress("reporting") as progress:
        done = rotation.compromise(
            instance,
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
        output.say(f"its private key is {done.file}, readable by you only")
        if done.role == "root":
            output.say("move it to a place without a network, apart from any other root key")
        else:
            output.say("the next publish needs it:")
            output.say(f"  export BENCHSITE_{done.role.upper()}_KEY_FILE={done.file}")
    tell(done.appended, f"logged the change of the {done.role} key")
