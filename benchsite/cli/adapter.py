"""`benchsite adapter`."""

from __future__ import annotations

from pathlib import Path

import click

from benchsite import plugins
from benchsite.cli import output
from benchsite.cli.grants import grant_options
from benchsite.errors import InputError, PrerequisiteError
from benchsite.pipeline.instance import optional_instance
from benchsite.pipeline.measure import adapters
from benchsite.track import Grant
from benchsite.words import amount


@click.group()
def adapter() -> None:
    """The retrieval systems that can be measured here."""


@adapter.command(name="list")
@output.json_option
def list_adapters(as_json: bool) -> None:  # noqa: FBT001 - click passes options by keyword
    """List the installed adapters.

    Besides these, `--adapter "command:PROGRAM ARGS"` measures any program that speaks the adapter protocol.
    """
    found = plugins.subjects(adapters.group())
    if as_json:
        output.emit({"adapters": [{"name": name, "reference": value} for name, value in found.items()]})
    else:
        output.table(("adapter", "implementation"), list(found.items()))


@adapter.command(params=list(grant_options()))
@click.argument("subject", metavar="ADAPTER")
@output.json_option
@click.pass_context
def check(
    ctx: click.Context,
    subject: str,
    as_json: bool,  # noqa: FBT001
    allow_network: bool,  # noqa: FBT001
    allow_env: tuple[str, ...],
) -> None:
    """Hold an adapter against the contract, on a small memory invented for it.

    ADAPTER is the name of an installed one, or "command:PROGRAM ARGS". Ends with 4 where a rule is broken, and with 5
    where it was not tested because it asks for what was not granted. Only the options below grant anything here.
    """
    grant = Grant(network=allow_network, environment=allow_env)
    clauses = adapters.examined(subject, instance=optional_instance(Path.cwd()), grant=grant)
    broken = [clause for clause in clauses if clause.state == "fail"]
    tested = any(clause.state != "skip" for clause in clauses)
    if as_json:
        rows = [
            {"name": clause.name, "state": clause.state, "detail": clause.detail, "hint": clause.hint}
            for clause in clauses
        ]
        output.emit({"ok": tested and not broken, "adapter": subject, "steps": rows})
    else:
        for clause in clauses:
            output.say(f"{output.mark(clause.state)} {clause.name}: {clause.detail}")
            if clause.hint:
                output.say(f"    try: {clause.hint}")
        count = f"{amount(len(broken), 'rule')} of the contract broken"
        output.say(count if broken else "the contract is kept" if tested else "not tested")
    untested = 0 if tested else PrerequisiteError.exit_code
    ctx.exit(InputError.exit_code if broken else untested)


@adapter.command()
@click.argument("name", metavar="NAME")
@click.option(
    "--language",
    type=click.Choice(["any", "python"]),
    default="any",
    show_default=True,
    help="A program that speaks over stdio, or a Python package with a class.",
)
def new(name: str, language: adapters.Language) -> None:
    """Begin an adapter in adapters/NAME/ that keeps the contract as it stands."""
    begun = adapters.begin(Path.cwd(), name, language)
    for path in begun.files:
        output.say(f"wrote {path.relative_to(Path.cwd())}")
    output.say("next:")
    for step in begun.next_steps:
        output.say(f"  {step}")
