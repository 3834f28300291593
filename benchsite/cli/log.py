"""`benchsite log`: the log's head and events, inclusion proofs, and cosigning it as a witness."""

from __future__ import annotations

import base64
import os
from pathlib import Path

import click

from benchsite import log as logs
from benchsite.cli import here, output
from benchsite.cli.main import Group
from benchsite.environment import Credentials
from benchsite.errors import InputError, UsageError
from benchsite.layout import COSIGNATURES_PATH, in_record
from benchsite.pipeline import log as public_log


@click.group(cls=Group)
def log() -> None:
    """Show the log, prove inclusion, or cosign it as a witness."""


@log.command()
@output.json_option
def head(as_json: bool) -> None:  # noqa: FBT001 - click passes options by keyword
    """Show origin, size, root hash and verifier key of the log at HEAD."""
    found = public_log.head(here.snapshot())
    origin, size = found.checkpoint.origin, found.checkpoint.size
    root = base64.b64encode(found.checkpoint.root).decode()
    if as_json:
        output.emit({"origin": origin, "size": size, "root": root, "vkey": found.vkey})
    else:
        output.say(f"origin  {origin}\nsize    {size}\nroot    {root}\nvkey    {found.vkey}")


@log.command()
@click.argument("receipt")
@click.option(
    "--output",
    "to",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the proof to this file, not to stdout.",
)
def proof(receipt: str, to: Path | None) -> None:
    """Print the inclusion proof of RECEIPT: a tlog-proof file.

    It contains the log index, the hashes up to the root, and the signed checkpoint with its cosignatures. Any tool
    for c2sp.org/tlog-proof verifies it offline. Its `extra` line is the log's entry, which a reader compares and never
    trusts. RECEIPT is a path, an id or its first characters. The customary file name is *.tlog-proof.
    """
    workspace, snapshot = here.opened()
    found = str(public_log.proof(snapshot, receipt)).encode()
    if to is None:
        click.echo(found, nl=False)
        return
    place = Path(os.path.realpath(to))  # a loop of links is an error of the next step
    if place.is_relative_to(workspace.root) and in_record(place.relative_to(workspace.root).as_posix()):
        raise UsageError(f"{to} is in the record, which is append-only", hint="name another file")
    try:
        to.write_bytes(found)
    except OSError as error:
        raise InputError(f"cannot write {to}: {error.strerror}", hint="name another file") from None
    output.note(f"wrote {to}")


@log.command()
@click.argument("receipt", default="")
@output.json_option
def events(receipt: str, as_json: bool) -> None:  # noqa: FBT001 - click passes options by keyword
    """List the log's other entries: keys, methodologies, datasets, pre-registrations, retractions, disputes.

    With RECEIPT, only the later entries about that one.
    """
    found = public_log.events(here.snapshot(), receipt)
    if as_json:
        rows = [
            {"index": index, **entry.model_dump(mode="json", by_alias=True, exclude_none=True)}
            for index, entry in found
        ]
        output.emit({"events": rows})
        return
    described = [(index, logs.describe(entry)) for index, entry in found]
    if not described:
        output.say("no later entry about this receipt")
        return
    shown = [
        (str(index), said.kind, said.what, said.words or said.digest.removeprefix("sha256:")[:16])
        for index, said in described
    ]
    output.table(("entry", "type", "subject", "text or SHA-256"), shown)


@log.command()
@click.option("--name", required=True, help="Your name as a witness, a URL without a scheme.")
@click.option(
    "--state",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="File that keeps the checkpoint you signed last [default: a file under .benchsite/witness].",
)
@click.pass_obj
def cosign(credentials: Credentials, name: str, state: Path | None) -> None:
    """Check that the log is consistent with the checkpoint you signed last, and print your cosignature.

    For a witness, in its own clone, with its own key in BENCHSITE_WITNESS_KEY or BENCHSITE_WITNESS_KEY_FILE. Append
    the line on stdout to results/log/cosignatures.
    """
    done = public_log.cosign(*here.opened(), credentials, name, state=state)
    click.echo(str(done.cosignature).encode(), nl=False)
    since = (
        f"consistent with the {done.previous:,} you signed last"
        if done.previous
        else "your first cosignature"
    )
    output.note(f"{done.cosignature.size:,} entries: {since}")
    output.note(f"next: append the line to {COSIGNATURES_PATH} in a separate pull request")
    if not done.known:
        output.note(
            f"the maintainers trust you with this line under extra.benchsite.witnesses:\n  - {done.witness}"
        )


@log.command(name="witness-key")
@click.option("--name", required=True, help="Your name as a witness, a URL without a scheme.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder outside the repository for the new private key [default: ~/.config/benchsite/<origin>].",
)
def witness_key(name: str, out: Path | None) -> None:
    """Create a witness key, and print its verifier key."""
    witness, path = public_log.witness_key(*here.opened(), name, folder=out)
    output.say(str(witness))
    output.note("wrote the private key, readable by you only; to cosign with it:")
    output.note(f"  export BENCHSITE_WITNESS_KEY_FILE={path}")
