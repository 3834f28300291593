"""`benchsite explain`: why a receipt is, or is not, on its leaderboard."""

from __future__ import annotations

from dataclasses import asdict

import click

from benchsite.cli import here, output
from benchsite.pipeline import explain as explaining


@click.command()
@click.argument("receipt")
@output.json_option
def explain(receipt: str, as_json: bool) -> None:  # noqa: FBT001 - click passes options by keyword
    """Explain why a receipt is, or is not, on its leaderboard.

    RECEIPT is an id or its first characters, or the path of a receipt or draft.
    """
    found = explaining.explain(here.snapshot(), receipt)
    if as_json:
        output.emit(asdict(found))
        return
    output.say(f"{found.verdict}  {found.receipt_id}  {found.about}".rstrip())
    if found.standing:
        output.say(f"  {found.standing}")
    for reason in found.reasons:
        output.say(f"  not ranked: {reason}")
    if found.leaderboard:
        output.say(f"  leaderboard {found.leaderboard}{f': {found.resolution}' if found.resolution else ''}")
