"""`benchsite init`, `demo` and `status`."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Final

import click

from benchsite.cli import here, output
from benchsite.cli.identity import tell_missing
from benchsite.environment import Credentials
from benchsite.errors import IntegrityError
from benchsite.pipeline import head
from benchsite.pipeline import init as making
from benchsite.pipeline import status as state
from benchsite.pipeline.workspace import Workspace
from benchsite.pipeline.workspace.config import MAX_SITE_NAME
from benchsite.words import amount, shown_path

_NAMED: Final = 3
"""Drafts that `status` names; `drafts list` has all."""


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--name", help="The site's name [default: the folder's].")
@click.option(
    "--origin", help="The log's identity, a URL prefix without scheme [default: localhost/<folder>/log]."
)
@click.option("--with-examples", is_flag=True, help="Add the example evaluation sheets of benchsite.")
@click.option(
    "--subfolder", is_flag=True, help="Commit DIR to the repository that it is in, instead of creating one."
)
def init(folder: Path, name: str | None, origin: str | None, *, with_examples: bool, subfolder: bool) -> None:
    """Create an instance in DIR: a git repository with methodologies, datasets and configuration."""
    title = name or folder.resolve().name[:MAX_SITE_NAME]
    origin = origin or making.default_origin(folder.resolve().name)
    host = None
    if subfolder:
        repository = making.within(folder)
        host = making.Host(repository, head.commit(repository))
    made = making.init(folder, name=title, origin=origin, examples=with_examples, host=host)
    output.say(f"created {made.root} with {made.files} files in commit {made.commit[:12]}")
    for path in made.workflows:
        output.say(f"workflow: {path}")
    tell_missing(Workspace(made.root).repository)
    here = folder.resolve() == Path.cwd().resolve()
    steps = [
        "" if here else f"cd {shlex.quote(str(folder))}",
        "check `origin` in mkdocs.yml",
        "benchsite keys init",
    ]
    output.say(f"next: {', then '.join(step for step in steps if step)}")


@click.command()
@click.option(
    "--output",
    "folder",
    type=click.Path(path_type=Path),
    default="benchsite-demo",
    show_default=True,
    help="Folder to create.",
)
@click.option("--serve", "serving", is_flag=True, help="Serve the site afterwards.")
def demo(folder: Path, serving: bool) -> None:  # noqa: FBT001 - click passes options by keyword
    """Measure, publish and build a demonstration site in a minute."""
    from benchsite.pipeline import demo as demonstration  # noqa: PLC0415 - `init` and `status` need no site

    with output.progress("measuring") as progress:
        made = demonstration.demo(folder, output.say, progress)
    output.say("")
    output.say(f"{made.receipts} receipts are in {made.root}, a git repository. To look at its site:")
    output.say(f"  {_program(Path())} serve --dir {shlex.quote(os.path.relpath(made.site))}")
    output.say("three things to open there:")
    output.say(f"  the leaderboard     {made.site / made.board}")
    output.say(f"  a receipt           {made.site / made.receipt}")
    output.say(f"  a tampered receipt  {made.tampered}")
    if made.experiment:
        output.say(f"and an experiment with a simulated model: {made.site / made.experiment}")
    output.say(f"and an agent that was scored by an evaluator: {made.site / made.report}")
    output.say("the tampered one does not pass:")
    tampered = shlex.quote(str(made.tampered.relative_to(made.root)))
    output.say(f"  cd {shlex.quote(str(folder))} && {_program(folder)} verify {tampered}")
    if serving:
        from benchsite.cli.site import serve_folder  # noqa: PLC0415 - pulls in a web server

        serve_folder(made.site, "127.0.0.1", 8000)


def _program(folder: Path) -> str:
    """What to type in `folder` to start this program again: its name where PATH has it, else its path."""
    started = Path(sys.argv[0]).absolute()
    found = shutil.which("benchsite")
    if found is not None and os.path.realpath(found) == os.path.realpath(started):
        return "benchsite"
    if started.name == "__main__.py":
        return f"{shlex.quote(sys.executable)} -P -m benchsite"
    if started.is_relative_to(Path.cwd()):
        return shlex.quote(os.path.join(os.path.relpath(started.parent, folder), started.name))  # noqa: PTH118
    return shlex.quote(str(started))


@click.command()
@output.json_option
@click.pass_obj
@click.pass_context
def status(ctx: click.Context, credentials: Credentials, as_json: bool) -> None:  # noqa: FBT001 - click passes options by keyword
    """Show the state of the instance and the next steps.

    Exit code 3 if a published file is missing or was edited.
    """
    found = state.status(*here.opened(), credentials)
    code = IntegrityError.exit_code if found.faults or found.differing else 0
    if as_json:
        output.emit(
            {
                "drafts": list(found.drafts),
                "kept": list(found.kept),
                "log": found.log_size,
                "receipts": found.receipts,
                "keys": found.keys,
                "changed": list(found.changed),
                "dirty": found.dirty,
                "stale": list(found.stale),
                "unpushed": found.unpushed,
                "faults": list(found.faults),
                "missing": list(found.missing),
                "next": list(found.next_steps),
            }
        )
        ctx.exit(code)
    size = (
        "not initialized"
        if found.log_size is None
        else f"{found.log_size:,} entries, {found.receipts:,} receipts"
    )
    output.say(f"log     {size}")
    output.say(f"record  {_record(found.faults, found.differing)}")
    names = ", ".join(found.drafts) if len(found.drafts) <= _NAMED else "benchsite drafts list"
    output.say(f"drafts  {len(found.drafts)}{': ' + names if names else ''}")
    if found.kept:
        output.say(
            f"        {amount(len(found.kept), 'draft')} more: published, and kept until the remote has the commit"
        )
    output.say(f"tree    {_tree(found)}")
    if found.unpushed:
        output.say(f"remote  lacks {amount(found.unpushed, 'commit')} of this branch")
    output.say(f"suite   {_stale(found.stale)}")
    for role, text in found.keys.items():
        output.say(f"key     {role}: {text}")
    for text in found.missing:
        output.say(f"setup   {text}")
    output.say("next")
    for step in found.next_steps:
        output.say(f"  {step}")
    ctx.exit(code)


def _tree(found: state.Status) -> str:
    if found.interrupted:
        return "an interrupted publish: the next one finishes it"
    return "uncommitted changes: new receipts will not be ranked" if found.dirty else "clean"


def _record(faults: tuple[str, ...], differing: tuple[str, ...]) -> str:
    """Return whether the record at HEAD and in the working tree is whole, with the first of what is wrong."""
    if not faults and differing:
        verb = "differs" if len(differing) == 1 else "differ"
        first = shown_path(differing[0])
        return f"pass at HEAD; {amount(len(differing), 'file')} {verb} in the working tree: {first}"
    if not faults:
        return "pass"
    more = f", and {len(faults) - 1} more" if len(faults) > 1 else ""
    return f"fail: {faults[0]}{more}"


def _stale(stale: tuple[str, ...]) -> str:
    if not stale:
        return "every run has a receipt"
    count = len(stale)
    return f"{amount(count, 'run')} without an up-to-date receipt: {', '.join(stale)}"
