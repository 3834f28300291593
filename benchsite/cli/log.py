"""`benchsite log`: the public log's head and events, proofs out of it, and cosigning it from outside."""

from __future__ import annotations

import base64
from pathlib import Path

import click

from benchsite import log as logs
from benchsite.cli import output
from benchsite.environment import Credentials
from benchsite.errors import InputError
from benchsite.layout import COSIGNATURES_PATH
from benchsite.pipeline import log as public_log
from benchsite.pipeline.instance import Instance


@click.group()
def log() -> None:
    """Show the public log, prove what is in it, or cosign it as a witness."""


@log.command()
@output.json_option
def head(as_json: bool) -> None:  # noqa: FBT001 - click passes options by keyword
    """Show origin, size, root hash and verifier key of the log at HEAD."""
    found = public_log.head(Instance(Path.cwd()))
    origin, size = found.checkpoint.origin, found.checkpoint.size
    root = base64.b64encode(found.checkpoint.root).decode()
    if as_json:
        output.emit({"origin": origin, "size": size, "root": root, "vkey": found.vkey})
    else:
        output.say(f"origin  {origin}\nsize    {size}\nroot    {root}\nvkey    {found.vkey}")


@log.command()
@click.argument("receipt")
@click.option(
    "--output", "to", type=click.Path(path_type=Path), metavar="FILE", help="Write it to this file instead."
)
def proof(receipt: str, to: Path | None) -> None:
    """Prove that RECEIPT is in the log: print a tlog-proof file.

    It holds the receipt's place, the hashes from there up to the root, and the signed checkpoint with its
    cosignatures, and can be checked offline with any tool for c2sp.org/tlog-proof. Its line `extra` is the log's
    entry, so that the receipt and this file need nothing else; a reader compares it and never trusts it. RECEIPT is
    a path, an id or the beginning of one. Files are named *.tlog-proof by custom.
    """
    found = str(public_log.proof(Instance(Path.cwd()), receipt)).encode()
    if to is None:
        click.echo(found, nl=False)
        return
    try:
        to.write_bytes(found)
    except OSError as error:
        raise InputError(f"cannot write {to}: {error.strerror}", hint="name another file") from None
    output.note(f"proof written to {to}")


@log.command()
@click.argument("receipt", default="")
@output.json_option
def events(receipt: str, as_json: bool) -> None:  # noqa: FBT001 - click passes options by keyword
    """List what the log holds beside receipts: keys, rules, data, announcements, retractions, disputes.

    With RECEIPT, only what was said about that one later.
    """
    found = public_log.events(Instance(Path.cwd()), receipt)
    if as_json:
        rows = [
            {"index": index, **entry.model_dump(mode="json", by_alias=True, exclude_none=True)}
            for index, entry in found
        ]
        output.emit({"events": rows})
        return
    described = [(index, logs.describe(entry)) for index, entry in found]
    if not described:
        output.say("the log says nothing about this receipt but that it was published")
        return
    shown = [
        (str(index), said.kind, said.what, said.words or said.digest.removeprefix("sha256:")[:16])
        for index, said in described
    ]
    output.table(("entry", "kind", "what", "words or digest"), shown)


@log.command()
@click.option("--name", required=True, help="Your name as a witness, a URL without a scheme.")
@click.option(
    "--state",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where to remember what you signed last [default: a file under .benchsite/witness].",
)
@click.pass_obj
def cosign(credentials: Credentials, name: str, state: Path | None) -> None:
    """Check that the log only grew since you last looked, and print your cosignature of it.

    For an outside party, in a clone of its own, with its own key in BENCHSITE_WITNESS_KEY or
    BENCHSITE_WITNESS_KEY_FILE. The line on stdout belongs at the end of results/log/cosignatures.
    """
    done = public_log.cosign(Instance(Path.cwd()), credentials, name, state=state)
    click.echo(str(done.cosignature).encode(), nl=False)
    since = f"continues the {done.previous} you signed last" if done.previous else "is the first you sign"
    output.note(f"the log of {done.cosignature.size} entries {since}")
    output.note(f"add the line to {COSIGNATURES_PATH} in a pull request, with nothing else in it")
    if not done.known:
        output.note(
            f"its maintainers trust you by this line under extra.benchsite.witnesses:\n  - {done.witness}"
        )


@log.command(name="witness-key")
@click.option("--name", required=True, help="Your name as a witness, a URL without a scheme.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder outside the repository for the new private key [default: ~/.config/benchsite/<origin>].",
)
def witness_key(name: str, out: Path | None) -> None:
    """Make a witness's key, and print the verifier key that others trust it by."""
    witness, path = public_log.witness_key(Instance(Path.cwd()), name, folder=out)
    output.say(str(witness))
    output.note("the private key is readable by you only; to cosign with it:")
    output.note(f"  export BENCHSITE_WITNESS_KEY_FILE={path}")
