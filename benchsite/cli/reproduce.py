"""`benchsite reproduce`: re-run a published result and compare the scores."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Final

import click

from benchsite.cli import here, output
from benchsite.cli.publish import publish_drafts
from benchsite.environment import Credentials
from benchsite.errors import IntegrityError
from benchsite.pipeline.measure import reproduce as reproducing
from benchsite.pipeline.publish.candidates import collect
from benchsite.pipeline.workspace import Workspace

SHOWN_QUERIES: Final = 20


@click.command()
@click.argument("receipt", metavar="RECEIPT")
@click.option(
    "--adapter", default="", help='Program to start instead of the installed adapter: "command:PROGRAM ARGS".'
)
@click.option("--publish", is_flag=True, help="Publish the draft afterwards, whatever the result.")
@click.option("--no-push", is_flag=True, help="Do not push the commit of --publish.")
@click.option("--yes", is_flag=True, help="Skip the confirmation before publishing, for scripts and CI.")
@output.json_option
@click.pass_context
def reproduce(
    ctx: click.Context,
    receipt: str,
    adapter: str,
    publish: bool,  # noqa: FBT001 - click passes options by keyword
    no_push: bool,  # noqa: FBT001
    yes: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
) -> None:
    """Re-run a published result with the same dataset and settings, and compare the scores.

    RECEIPT is a receipt id, its first characters, or a path. The run leaves a draft that names the receipt. Publish
    the draft, or send it to the publisher of the receipt, whose page then lists the reproduction.
    Exit code 3 if a score differs.
    """
    workspace, snapshot = here.opened()
    credentials = ctx.find_object(Credentials) or Credentials()
    with output.progress("reproducing") as progress:
        found = reproducing.reproduce(
            workspace,
            snapshot,
            receipt,
            subject=adapter,
            warn=lambda text: output.note(f"! {text}"),
            progress=progress,
        )
    if not as_json:
        _tell(workspace, found)
    published: Sequence[str] = ()
    if publish and found.result.draft is not None:
        outcome = publish_drafts(
            workspace,
            snapshot,
            collect(
                workspace, snapshot, [found.result.draft], digests={found.result.draft: found.result.digest}
            ),
            credentials,
            push=not no_push,
            yes=yes or _quietly(as_json),
            quiet=as_json,
        )
        published = outcome.receipts
    if as_json:
        output.emit({**_row(found), "published": list(published)})
    ctx.exit(0 if found.identical else IntegrityError.exit_code)


def _quietly(as_json: bool) -> bool:  # noqa: FBT001
    """Whether nobody is there to ask, as in `run --publish`."""
    return as_json or not sys.stdin.isatty()


def _tell(workspace: Workspace, found: reproducing.Reproduced) -> None:
    for text in found.result.notes:
        output.note(f"! {text}")
    if found.identical:
        but = ", from different results" if found.queries else ""
        output.say(f"identical: all {found.compared:,} values{but}")
    else:
        output.say(f"differs: {len(found.differences)} of {found.compared:,} values")
    for item in found.differences:
        output.say(
            f"  {output.mark('fail')} {item.field}: recorded {item.recorded!r}, recomputed {item.computed!r}"
        )
    if found.queries:
        output.say(f"different results: {len(found.queries):,} queries")
    for name, words in found.queries[:SHOWN_QUERIES]:
        output.say(f"  {name}: {words}")
    if len(found.queries) > SHOWN_QUERIES:
        output.say(f"  and {len(found.queries) - SHOWN_QUERIES:,} more")
    if found.result.draft is not None:
        output.say(f"draft  {found.result.draft.relative_to(workspace.root)}")


def _row(found: reproducing.Reproduced) -> dict[str, Any]:
    return {
        "receiptId": found.original,
        "reproduction": found.result.receipt_id,
        "identical": found.identical,
        "compared": found.compared,
        "differences": [
            {"field": item.field, "recorded": item.recorded, "computed": item.computed}
            for item in found.differences
        ],
        "queries": {
            "count": len(found.queries),
            "first": [{"id": name, "differs": words} for name, words in found.queries[:SHOWN_QUERIES]],
        },
        "warnings": list(found.warnings),
        "notes": list(found.result.notes),
    }
