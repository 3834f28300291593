"""`benchsite adapter`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from benchsite.cli import output
from benchsite.cli.grants import grant_options
from benchsite.cli.main import Group, advice
from benchsite.errors import InputError, PrerequisiteError
from benchsite.pipeline.measure import adapters
from benchsite.pipeline.workspace import Workspace, optional_workspace
from benchsite.track import Grant
from benchsite.words import amount


class _Assignment(click.ParamType[Any]):
    """The type of `--option` of `run`, which a track has: imported if an option is given."""

    name = "name=value"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        parameters = adapters.track().command.parameters()
        return next(one for one in parameters if one.name == "option").type.convert(value, param, ctx)


@click.group(cls=Group)
def adapter() -> None:
    """List, install, test or create retrieval adapters."""


@adapter.command(name="list")
@output.json_option
def list_adapters(as_json: bool) -> None:  # noqa: FBT001 - click passes options by keyword
    """List the adapters, and whether the system of each is installed.

    `benchsite adapter install NAME` installs one. `--adapter "command:PROGRAM ARGS"` measures any program that speaks the adapter
    protocol.
    """
    found = adapters.listed(optional_workspace(Path.cwd()))
    if as_json:
        output.emit({"adapters": [one._asdict() for one in found]})
    else:
        rows = [(one.name, one.state, one.group or "–", one.backend or "–", one.reference) for one in found]
        output.table(("adapter", "state", "group", "back end", "implementation"), rows)


@adapter.command()
@click.argument("name", metavar="NAME")
@click.option(
    "--python",
    default="",
    metavar="PATH",
    help="The Python to use [default: the first one found that meets the needs of the system].",
)
def install(name: str, python: str) -> None:
    """Install a third-party system into an environment of its group.

    NAME is a system or a group of `benchsite adapter list`. The environment is .benchsite/environments/GROUP/: `run` and
    `adapter check` use its interpreter. Delete the folder to uninstall the group.
    """
    workspace = Workspace(Path.cwd())
    made = adapters.install(name, workspace, python, output.note)
    output.say(
        f"installed {amount(len(made.lock), 'package')} into {made.folder.relative_to(workspace.root)}"
    )


@adapter.command(params=list(grant_options()))
@click.argument("subject", metavar="ADAPTER")
@click.option(
    "--option",
    "options",
    type=_Assignment(),
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of the adapter: text, a number, true or false. Repeatable.",
)
@output.json_option
@click.pass_context
def check(
    ctx: click.Context,
    subject: str,
    options: tuple[tuple[str, Any], ...],
    as_json: bool,  # noqa: FBT001
    allow_network: bool,  # noqa: FBT001
    allow_env: tuple[str, ...],
) -> None:
    """Run the adapter conformance test on a small synthetic dataset.

    ADAPTER is an installed adapter's name, or "command:PROGRAM ARGS". Exit code 4 if a check fails, 5 if the adapter was
    not checked because it asks for access that was not granted. Only the options below grant access here.
    """
    grant = Grant(network=allow_network, environment=allow_env)
    clauses = adapters.examined(subject, dict(options), workspace=optional_workspace(Path.cwd()), grant=grant)
    broken = [clause for clause in clauses if clause.state == "fail"]
    tested = any(clause.state != "not checked" for clause in clauses)
    if as_json:
        rows = [
            {"name": clause.name, "state": clause.state, "detail": clause.detail, "hint": clause.hint}
            for clause in clauses
        ]
        output.emit({"ok": tested and not broken, "adapter": subject, "steps": rows})
    else:
        for clause in clauses:
            output.say(f"{output.mark(clause.state)} {clause.name}: {output.indented(clause.detail, 4)}")
            if clause.hint:
                output.say(f"    {output.indented(advice(clause.hint), 4)}")
        failed = f"fail: {amount(len(broken), 'conformance check')} failed"
        output.say(failed if broken else "pass: adapter conformance test" if tested else "not checked")
    untested = 0 if tested else PrerequisiteError.exit_code
    ctx.exit(InputError.exit_code if broken else untested)


@adapter.command()
@click.argument("name", metavar="NAME")
@click.option(
    "--language",
    type=click.Choice(["any", "python"]),
    default="any",
    show_default=True,
    help="any: a program that speaks JSON over stdio; python: a package with a class.",
)
def new(name: str, language: adapters.Language) -> None:
    """Scaffold a working adapter in adapters/NAME/."""
    created = adapters.create(Path.cwd(), name, language)
    for path in created.files:
        output.say(f"wrote {path.relative_to(Path.cwd())}")
    output.say("next:")
    for step in created.next_steps:
        output.say(f"  {step}")
