"""`benchsite drill`: the worst night, rehearsed."""

from __future__ import annotations

import click

from benchsite.cli import here, output
from benchsite.environment import Credentials
from benchsite.pipeline import head
from benchsite.pipeline.drill import drill as rehearsed

_FAILED = 3


@click.command()
@click.pass_obj
def drill(credentials: Credentials) -> None:
    """Rehearse rotation and compromise of the keys on a copy of the record.

    Needs BENCHSITE_ROOT_KEY, BENCHSITE_RECEIPT_KEY and BENCHSITE_LOG_KEY, or the same names with _FILE. The repository isn't
    changed: the copy, with every entry and key that the drill makes, is removed at the end.
    """
    workspace, snapshot = here.opened()
    passed = True
    for step in rehearsed(workspace, snapshot, credentials, head.snapshot):
        passed = passed and step.passed
        output.say(f"{output.mark('pass' if step.passed else 'fail')} {step.name}: {step.detail}")
        if step.command:
            output.say(f"    {step.command}", dim=True)
    output.say("the copy was removed; the procedure with real keys is keys/ROTATION.md")
    if not passed:
        raise click.exceptions.Exit(_FAILED)
