"""`benchsite publish`: show what becomes permanent, ask, sign, log, commit, push."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import click

from benchsite.cli import here, output
from benchsite.cli.main import advice
from benchsite.environment import Credentials, Role
from benchsite.errors import PrerequisiteError
from benchsite.pipeline import publish as publishing
from benchsite.pipeline.publish import candidates as draft_store
from benchsite.pipeline.publish.candidates import Candidate, Collected
from benchsite.pipeline.record.append import Appended, key_in_force
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.verify import exit_code
from benchsite.pipeline.workspace import Workspace
from benchsite.words import amount


@click.command()
@click.argument("drafts", nargs=-1, metavar="[DRAFT ...]")
@click.option("--yes", is_flag=True, help="Skip the confirmation, for scripts and CI.")
@click.option("--no-push", is_flag=True, help="Do not push the commit.")
@click.option(
    "--untrusted",
    "--unlinked",
    "untrusted",
    is_flag=True,
    help="For drafts made by an untrusted job: accept one draft per suite entry, without links to other log entries, "
    "under a methodology version in the log (or the newest, if none is). Published runs are excluded.",
)
@output.json_option
@click.pass_obj
@click.pass_context
def publish(
    ctx: click.Context,
    credentials: Credentials,
    drafts: Sequence[str],
    *,
    yes: bool,
    no_push: bool,
    untrusted: bool,
    as_json: bool,
) -> None:
    """Sign drafts, append them to the log and commit them, all in one commit.

    Default: every draft. A published receipt can later be superseded or retracted, never changed or removed.
    A refused submitted draft is excluded with its reason; it sets the exit code only if DRAFT names it.
    """
    workspace, snapshot = here.opened()
    paths = draft_store.named(workspace, snapshot, drafts)
    with output.progress("re-scoring") as progress:
        collected = draft_store.collect(workspace, snapshot, paths, untrusted=untrusted, progress=progress)
    outcome = publish_drafts(
        workspace, snapshot, collected, credentials, push=not no_push, yes=yes, quiet=as_json
    )
    for name, error in outcome.left.items():
        output.note(f"excluded  {name}: {error.message}")
        if error.hint:
            output.note(f"          {advice(error.hint)}")
    if as_json:
        said = [
            {"draft": name, "message": error.message, "hint": error.hint}
            for name, error in outcome.left.items()
        ]
        output.emit({"published": list(outcome.receipts), "left": said})
    if drafts:
        ctx.exit(exit_code([error.exit_code for error in outcome.left.values()]))


def publish_drafts(
    workspace: Workspace,
    snapshot: Snapshot,
    collected: Collected,
    credentials: Credentials,
    *,
    push: bool,
    yes: bool,
    quiet: bool,
) -> publishing.Outcome:
    """Show what was collected, ask, publish it and tell about it. `quiet` leaves stdout to JSON."""
    log = snapshot.require_log()
    fresh = [item for item in collected.candidates if not item.logged]
    count, kept = len(fresh), len(collected.candidates) - len(fresh)
    if count:
        _require_keys(credentials)
        key = key_in_force(workspace, log, credentials, "receipt")
        if not (quiet and yes):
            _announce(fresh, key.fingerprint, output.note if quiet else output.say)
        if not yes:
            what = "this receipt" if count == 1 else f"these {count} receipts"
            ask(f"Publish {what} permanently?", quiet=quiet)
    elif not quiet and not collected.left and not kept:
        output.say("no drafts in .benchsite/drafts or results/inbox")
    with output.progress("publishing") as progress:
        outcome = publishing.publish_collected(
            workspace, collected, credentials, push=push, progress=progress
        )
    if not quiet:
        count = len(outcome.receipts)
        tell(outcome.appended, f"published {amount(count, 'receipt')}")
        _tell_kept([item for item in collected.candidates if item.logged], outcome.appended)
    return outcome


def _tell_kept(logged: Sequence[Candidate], appended: Appended) -> None:
    """What became of drafts that were published before."""
    removed = [item for item in logged if not item.path.exists()]
    kept = [item for item in logged if item.path.exists() and not item.public]
    if removed:
        them = "it" if len(removed) == 1 else "them"
        output.say(
            f"removed {amount(len(removed), 'draft')}: the {'remote' if appended.public else 'log'} has {them}"
        )
    if kept:
        output.say(
            f"published before, and kept as drafts until the remote has the commit: {amount(len(kept), 'receipt')}"
        )


def _require_keys(credentials: Credentials) -> None:
    """The log has begun, so that its keys exist somewhere: say how to name them."""
    roles: tuple[Role, ...] = ("receipt", "log")
    lacking = [role for role in roles if not credentials.has(role)]
    if lacking:
        lines = [f"export BENCHSITE_{role.upper()}_KEY_FILE=FOLDER/{role}.pem" for role in lacking]
        lines.append("FOLDER is where `benchsite keys init` wrote the keys")
        raise PrerequisiteError(f"no {' and no '.join(lacking)} key is set", hint="\n       ".join(lines))


def _announce(candidates: Sequence[Candidate], fingerprint: str, say: Callable[[str], None]) -> None:
    say(f"signing key  {fingerprint}")
    for candidate in candidates:
        describe_draft(candidate, say)


def describe_draft(candidate: Candidate, say: Callable[[str], None]) -> None:
    """Three lines and more: what a draft measured, what came out, how, and whether it will be ranked.

    Of a draft that is in the log, that it is there.
    """
    told = candidate.about
    if candidate.logged:
        say(f"  {candidate.receipt_id}  {told.subject} on {told.target}")
        say(
            "      published in the log; the draft is kept until the remote has the commit: run benchsite publish"
        )
        return
    sent = f", submitted by {told.sent_by}" if told.sent_by else ""
    say(f"  {candidate.receipt_id}  {told.subject} on {told.target}{sent}")
    say(f"      {told.headline}; {', '.join(told.settings)}")
    for words in told.acts_on:
        say(f"      {words}")
    for sentence in (*told.standing, *told.doubts):
        say(f"      {sentence}")


def ask(question: str, *, quiet: bool) -> None:
    """Ask before something permanent; `quiet` leaves stdout to JSON. Raises `PrerequisiteError` off a terminal."""
    if not sys.stdin.isatty():
        raise PrerequisiteError(
            "confirmation needed: publishing is permanent",
            hint="answer on a terminal, or add --yes in a script",
        )
    click.confirm(question, abort=True, err=quiet)


def tell(appended: Appended, what: str) -> None:
    """Say which commit holds what was added to the log, and whether anybody else can see it."""
    if appended.commit is not None:
        output.say(f"{what} in commit {appended.commit[:12]}; the log has {appended.size} entries")
    if appended.public:
        output.say(f"public at {appended.url}" if appended.url else "pushed")
    elif appended.commit is not None:
        output.say("not public: the commit is on this machine only")
