"""`benchsite run`: the suite, or one track's run with its own options."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import click

from benchsite import plugins
from benchsite.cli import here, output
from benchsite.cli.grants import grant_options, granted
from benchsite.cli.identity import tell_missing
from benchsite.cli.main import Group, advice
from benchsite.cli.publish import publish_drafts
from benchsite.environment import Credentials
from benchsite.errors import TrackError, UsageError
from benchsite.layout import SCRATCH
from benchsite.pipeline.measure import run as runs
from benchsite.pipeline.measure.register import Announced, announcer, require_announceable, require_due
from benchsite.pipeline.publish.candidates import collect
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.status import named
from benchsite.pipeline.verify import exit_code
from benchsite.pipeline.workspace import Workspace
from benchsite.track import Track, Work

SHARED: tuple[click.Option, ...] = (
    click.Option(["--changed"], is_flag=True, help="Skip runs that are published and unchanged."),
    click.Option(
        ["--dry-run"], is_flag=True, help="Show what would run, why and at what cost, without running it."
    ),
    click.Option(
        ["--register"],
        is_flag=True,
        help="Pre-register each run: log, commit and push an entry before it starts.",
    ),
    click.Option(
        ["--due", "due_by"],
        metavar="WHEN",
        help="With --register: deadline for the receipt, a log position or UTC time; then the run is overdue.",
    ),
    click.Option(["--publish/--no-publish"], default=None, help="Publish afterwards, or keep drafts."),
    click.Option(["--no-push"], is_flag=True, help="Do not push the commits of --publish and --register."),
    click.Option(["--json", "as_json"], is_flag=True, help="Print one JSON object on stdout."),
)


class _Shared(NamedTuple):
    """The options every track's run shares."""

    changed: bool
    dry_run: bool
    register: bool
    due_by: str | None
    publish: bool | None
    no_push: bool
    as_json: bool


class _Run(Group):
    """`run` alone runs the suite; `run TRACK` takes that track's options."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The installed tracks."""
        return list(plugins.subjects(plugins.TRACKS))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of one track, made of its own options and the shared ones."""
        if cmd_name not in self.list_commands(ctx):
            return None
        track = plugins.track(cmd_name)
        command = track.command
        grants = grant_options(track.granted) if track.granted else ()
        return click.Command(
            cmd_name,
            params=[*command.parameters(), *grants, *SHARED],
            callback=_callback(track),
            help=command.HELP,
        )

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Name every installed track; beside one that fails, why."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self._summary(ctx, name)) for name in self.list_commands(ctx)])

    def _summary(self, ctx: click.Context, name: str) -> str:
        try:
            command = self.get_command(ctx, name)
        except TrackError as error:
            return error.message
        return command.get_short_help_str(limit=90) if command is not None else ""


@click.group(cls=_Run, invoke_without_command=True, params=list(SHARED))
@click.pass_context
def run(ctx: click.Context, /, **shared: Any) -> None:
    """Run the suite of mkdocs.yml, or one run named on the command line.

    A track's run leaves a draft in .benchsite/drafts unless --publish is given. The suite publishes when
    signing keys are configured; on a terminal it asks first.
    """
    if ctx.invoked_subcommand is not None:
        return
    workspace, snapshot = here.opened()
    credentials = ctx.find_object(Credentials) or Credentials()
    if shared["publish"] is None:
        shared["publish"] = credentials.has("receipt") and credentials.has("log")
    _measure(ctx, workspace, snapshot, runs.suite(workspace), _Shared(**shared))


def _callback(track: Track) -> Callable[..., None]:
    @click.pass_context
    def call(ctx: click.Context, /, **options: Any) -> None:
        shared = _Shared(**{name: options.pop(name) for name in _Shared._fields})
        if shared.register:
            require_announceable(track)
        grant = granted(options)
        works = [replace(work, grant=grant) for work in track.command.works(**options)]
        _measure(ctx, *here.opened(), works, shared)

    return call


def measure_once(
    ctx: click.Context, works: Sequence[Work], *, as_json: bool, report: Mapping[str, Any] | None = None
) -> None:
    """Measure and keep drafts, with no option but the output's; the JSON has the members of `report` too."""
    shared = _Shared(
        changed=False,
        dry_run=False,
        register=False,
        due_by=None,
        publish=False,
        no_push=True,
        as_json=as_json,
    )
    _measure(ctx, *here.opened(), works, shared, report)


def _measure(
    ctx: click.Context,
    workspace: Workspace,
    snapshot: Snapshot,
    works: Sequence[Work],
    shared: _Shared,
    report: Mapping[str, Any] | None = None,
) -> None:
    if shared.due_by is not None and not shared.register:
        raise UsageError("--due needs --register", hint="add --register")
    if shared.due_by is not None and shared.dry_run:
        require_due(snapshot, shared.due_by)
    credentials = ctx.find_object(Credentials) or Credentials()
    if not credentials.has("receipt") and not shared.dry_run:
        output.note(f"no keys: drafts in {SCRATCH}/drafts")
    if not shared.dry_run:
        tell_missing(workspace.repository)
    announce = None
    if shared.register and not shared.dry_run:
        announce = announcer(workspace, snapshot, credentials, push=not shared.no_push, due_by=shared.due_by)
    results = []
    with output.progress("measuring", is_logged=True) as progress:
        for result in runs.run(
            workspace,
            snapshot,
            works,
            changed=shared.changed,
            dry_run=shared.dry_run,
            announce=announce,
            progress=progress,
        ):
            results.append(result)
            if not shared.as_json:
                _line(workspace, result)
    fresh = {result.draft: result.digest for result in results if result.draft is not None}
    outcome = None
    if shared.publish and fresh:
        push = not shared.no_push
        asked = sys.stdin.isatty() and not shared.as_json
        snapshot = here.snapshot()  # registrations of these runs are in the log by now
        collected = collect(workspace, snapshot, list(fresh), digests=fresh)
        outcome = publish_drafts(
            workspace, snapshot, collected, credentials, push=push, yes=not asked, quiet=shared.as_json
        )
    if shared.as_json:
        output.emit(
            {
                **(report or {}),
                "runs": [_row(result) for result in results],
                "published": list(outcome.receipts) if outcome is not None else [],
            }
        )
    ctx.exit(exit_code([result.error.exit_code for result in results if result.error is not None]))


def _line(workspace: Workspace, result: runs.Result) -> None:
    what = f"{named(result.work)} on {result.work.target}"
    if result.announced is not None:
        output.say(f"registered {what}: {_whereabouts(result.announced)}")
    if result.error is not None:
        output.note(f"failed    {what}: {output.indented(result.reason, 10)}")
        if result.error.hint:
            output.note(f"          {advice(result.error.hint)}")
    elif result.draft is not None:
        where = result.draft.relative_to(workspace.root)
        output.say(f"measured  {what}: {result.headline}  ->  {where}")
        for note in result.notes:
            output.note(f"          ! {output.indented(note, 12)}")
    else:
        output.say(f"{result.state:<9} {what}: {result.reason}")


def _whereabouts(announced: Announced) -> str:
    """Where an announcement stands, and whether anybody else could see it before the run."""
    if announced.public:
        seen = f"public at {announced.url}" if announced.url else "pushed"
    else:
        seen = "not public: readers cannot verify that it precedes the run"
    return f"entry {announced.index:,} of the log, {seen}"


def _row(result: runs.Result) -> dict[str, Any]:
    announced = result.announced
    return {
        "track": result.work.track,
        "subject": result.work.subject,
        "options": dict(result.work.request.get("options", {})),
        "target": result.work.target,
        "state": result.state,
        "reason": result.reason,
        "hint": result.error.hint if result.error is not None else "",
        "receiptId": result.receipt_id or None,
        "headline": result.headline or None,
        "intent": None
        if announced is None
        else {"intentId": announced.intent_id, "index": announced.index, "public": announced.public},
        "notes": list(result.notes),
    }
