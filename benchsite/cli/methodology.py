"""`benchsite methodology`: the versioned scoring rules of each track."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from benchsite.cli import here, output
from benchsite.cli.main import Group
from benchsite.cli.main import report as report_error
from benchsite.cli.publish import ask, tell
from benchsite.environment import Credentials
from benchsite.errors import UsageError
from benchsite.methodology import FILES, newest
from benchsite.pipeline.publish import methodologies
from benchsite.pipeline.publish.new_methodology import create
from benchsite.pipeline.record.append import key_in_force
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.verify import exit_code
from benchsite.pipeline.workspace import Workspace
from benchsite.repo import write_atomically


@click.group(cls=Group)
def methodology() -> None:
    """List, check and publish methodology versions; write a blank evaluation sheet."""


@methodology.command(name="list")
@output.json_option
def list_versions(as_json: bool) -> None:  # noqa: FBT001 - click passes options by keyword
    """List the versions of every track, and which are current, superseded or proposed."""
    rows = [_row(item) for item in methodologies.listed(*here.opened())]
    if as_json:
        output.emit({"methodologies": rows})
        return
    if not rows:
        output.say("no methodologies: methodology/ is empty")
        return
    shown = [
        (
            row["track"],
            row["version"],
            row["status"],
            row["published"],
            row["sha256"][:12],
            _pinned(row),
        )
        for row in rows
    ]
    output.table(("track", "version", "status", "dated", "sha256", "log"), shown)


def _row(item: methodologies.Listed) -> dict[str, Any]:
    data, pin = item.document.data, item.status.pin
    return {
        "track": data.track,
        "version": data.version,
        "status": item.status.word,
        "published": data.published,
        "sha256": item.document.sha256,
        "entry": pin.index if pin is not None else None,
        "edited": item.edited,
    }


def _pinned(row: dict[str, Any]) -> str:
    if row["entry"] is None:
        return "not in the log"
    return f"entry {row['entry']}" + (
        "; edited since, run benchsite methodology check" if row["edited"] else ""
    )


@methodology.command(name="check")
@click.argument("folders", nargs=-1, metavar="[FOLDER ...]", type=click.Path(path_type=Path))
@click.pass_context
def check_versions(ctx: click.Context, folders: Sequence[Path]) -> None:
    """Validate versions, and check that published ones are unchanged.

    FOLDER is methodology/TRACK/VERSION. Default: every version of this instance. Exit code 3 if a published
    version was edited or removed, else 4 if one is malformed.
    """
    checked = methodologies.check(*here.opened(), folders)
    for document in checked.valid:
        output.say(f"valid  {document.data.track} {document.data.version}  {document.sha256}")
    for note in checked.notes:
        output.note(note)
    for fault in checked.faults:
        report_error(fault)
    if not checked.valid and not checked.faults:
        output.say("no methodologies: methodology/ is empty")
    ctx.exit(exit_code([fault.exit_code for fault in checked.faults]))


@methodology.command(name="publish")
@click.argument("track")
@click.argument("version")
@click.option("--yes", is_flag=True, help="Skip the confirmation, for scripts and CI.")
@click.option("--no-push", is_flag=True, help="Do not push the commit.")
@output.json_option
@click.pass_obj
def publish_version(
    credentials: Credentials, track: str, version: str, *, yes: bool, no_push: bool, as_json: bool
) -> None:
    """Publish a methodology version: log its hash and make it current.

    Earlier versions of the track are then superseded. Receipts made under them stay valid.
    """
    workspace, snapshot = here.opened()
    document = methodologies.pinnable(workspace, snapshot, track, version)
    if document is None:
        _already(snapshot, track, version, as_json=as_json)
        return
    key = key_in_force(workspace, snapshot.require_log(), credentials, "log")
    for note in methodologies.stale_notes(workspace, document):
        output.note(note)
    if not yes:
        say = output.note if as_json else output.say
        say(f"signing key  {key.fingerprint}")
        say(f"  {track} {version}, published {document.data.published}")
        say(f"  sha256 {document.sha256}")
        say(f"  {_consequence(snapshot, track, version)}")
        ask("Publish this methodology permanently?", quiet=as_json)
    with output.progress("logging") as progress:
        appended = methodologies.pin(
            workspace, credentials, track, version, push=not no_push, progress=progress
        )
    if as_json:
        output.emit(
            {
                "track": track,
                "version": version,
                "sha256": document.sha256,
                "entry": appended.log.methodologies[track, version].index,
                "commit": appended.commit,
            }
        )
    else:
        tell(appended, f"published {track} {version}")


def _already(snapshot: Snapshot, track: str, version: str, *, as_json: bool) -> None:
    pinned = snapshot.require_log().methodologies[track, version]
    if as_json:
        fields = {"track": track, "version": version, "sha256": pinned.sha256, "entry": pinned.index}
        output.emit({**fields, "commit": None})
    else:
        output.say(f"{track} {version} is already published: entry {pinned.index} of the log")


def _consequence(snapshot: Snapshot, track: str, version: str) -> str:
    """What the pages will say from then on."""
    pinned = [other for name, other in snapshot.require_log().methodologies if name == track]
    if not pinned:
        return "first version of its track in the log: it becomes current"
    current = newest([*pinned, version])
    if current != version:
        return f"{current} stays current; this version is superseded by it"
    return f"supersedes {newest(pinned)}; receipts under it stay valid"


@methodology.command()
@click.argument("track")
@click.argument("version")
@click.option("--from", "earlier", default="", help="The version to copy [default: the newest].")
def new(track: str, version: str, earlier: str) -> None:
    """Create a methodology version: a copy of an earlier one, with a new number and date.

    Change its text, templates, weights or thresholds, and list the changes. A version with an existing engine needs no
    code.
    """
    folder = create(*here.opened(), track, version, earlier=earlier)
    output.say(f"wrote {folder}: {', '.join(FILES)}")
    output.say("next:")
    output.say("  edit them, and list the changes under `changes` of methodology.yaml")
    output.say(f"  benchsite methodology check {folder}")
    output.say(f"  git add {folder} && git commit, then benchsite methodology publish {track} {version}")


@methodology.command(name="new-sheet")
@click.argument("version")
@click.argument("template")
@click.option("--track", default="rubric", show_default=True, help="A track scored by evaluators.")
@click.option("--output", "target", type=click.Path(path_type=Path), help="Output file [default: stdout].")
def new_sheet(version: str, template: str, track: str, target: Path | None) -> None:
    """Write a blank evaluation sheet, with the anchor of each score as a comment.

    VERSION is a methodology version, TEMPLATE one of its domain templates, such as customer-service.
    """
    text = methodologies.blank_sheet(Workspace(Path.cwd()), track, version, template)
    if target is None:
        click.echo(text, nl=not text.endswith("\n"))
        return
    if target.exists():
        raise UsageError(f"{target} exists", hint="choose another file: sheets are never overwritten")
    write_atomically(target, text.encode())
    output.say(f"wrote {target}; fill it in, then benchsite run {track} {target}")
