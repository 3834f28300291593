"""`benchsite keys` and `benchsite log`."""

from __future__ import annotations

import base64
from pathlib import Path

import click

from benchsite import log as logs
from benchsite.cli import output
from benchsite.environment import Credentials
from benchsite.pipeline import keys as key_store
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.publish import require_log


@click.group()
def keys() -> None:
    """Make and list signing keys."""


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
    begun = key_store.init(Instance(Path.cwd()), credentials, folder=out)
    for role, fingerprint in begun.fingerprints.items():
        output.say(f"{role:<8} {fingerprint}")
    if begun.files:
        output.say(f"private keys written to {next(iter(begun.files.values())).parent}, readable by you only")
        output.say("to publish, name two of them; keep the root key offline:")
        for role in ("receipt", "log"):
            output.say(f"  export BENCHSITE_{role.upper()}_KEY_FILE={begun.files[role]}")
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
                record.fingerprint,
            )
            for record in records
        ]
        output.table(("role", "state", "from", "to", "fingerprint"), shown)


@click.group()
def log() -> None:
    """Show the public log."""


@log.command()
@output.json_option
def head(as_json: bool) -> None:  # noqa: FBT001 - click passes options by keyword
    """Show origin, size, root hash and verifier key of the log at HEAD."""
    record = require_log(Instance(Path.cwd()))
    signer = record.keyring.in_force("log")
    vkey = logs.verifier_key(record.origin, signer.public_key) if signer is not None else None
    root = base64.b64encode(record.root()).decode()
    if as_json:
        output.emit({"origin": record.origin, "size": record.size, "root": root, "vkey": vkey})
    else:
        output.say(f"origin  {record.origin}\nsize    {record.size}\nroot    {root}\nvkey    {vkey}")
