"""`benchsite fixture`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from benchsite.cli import output
from benchsite.cli.data_import import DataImport
from benchsite.cli.main import Group
from benchsite.cli.main import report as report_error
from benchsite.errors import BenchsiteError
from benchsite.pipeline.check.documents import open_questions
from benchsite.pipeline.measure import fixtures
from benchsite.pipeline.verify import exit_code
from benchsite.pipeline.workspace import Workspace, optional_workspace
from benchsite.track import Described
from benchsite.words import amount


@click.group(cls=Group)
def fixture() -> None:
    """List, check, hash or import the datasets that systems are measured on."""


@fixture.command(name="list")
@output.json_option
def list_fixtures(as_json: bool) -> None:  # noqa: FBT001 - click passes options by keyword
    """List the datasets of this instance, imported ones included."""
    rows = [fixtures.row(item) for item in fixtures.listed(Workspace(Path.cwd()))]
    if as_json:
        output.emit({"fixtures": rows})
        return
    if not rows:
        output.say("no datasets: run `benchsite fixture import` to add one")
        return
    shown = [
        (row["id"], "malformed: run benchsite fixture validate", "", "", "", "")
        if "error" in row
        else (
            row["id"],
            *(f"{row[name]:,}" if name in row else "" for name in ("items", "queries", "scopes")),
            row["license"],
            row["sha256"][:12],
        )
        for row in rows
    ]
    output.table(("fixture", "items", "queries", "scopes", "license", "sha256"), shown)


@fixture.command()
@click.argument("names", nargs=-1, metavar="[FIXTURE ...]")
@click.pass_context
def validate(ctx: click.Context, names: Sequence[str]) -> None:
    """Validate datasets; every problem is listed with its location.

    FIXTURE is a dataset id or a path. Default: every dataset of this instance.
    """
    workspace = optional_workspace(Path.cwd())
    if names:
        paths = [fixtures.named(workspace, name) for name in names]
    else:
        paths = list(Workspace(Path.cwd()).fixture_paths())
    codes = []
    for path in paths:
        try:
            found = fixtures.read(path)
            output.say(f"valid  {found.id}: {_counts(found)}")
            for _, message in open_questions(found):
                output.note(f"  ! {message} (`benchsite check` refuses a new dataset without it)")
            for message in found.warnings:
                output.note(f"  ! {message}")
        except BenchsiteError as error:
            report_error(error)
            codes.append(error.exit_code)
    ctx.exit(exit_code(codes))


@fixture.command(name="hash")
@click.argument("name", metavar="FIXTURE")
def hash_fixture(name: str) -> None:
    """Print the SHA-256 of a dataset's canonical JSON."""
    found = fixtures.read(fixtures.named(optional_workspace(Path.cwd()), name))
    output.say(f"{found.sha256}  {found.id}")


fixture.add_command(
    DataImport(
        "dataset",
        "Import a dataset.\n\nThe data stays on this machine, under .benchsite/fixtures/, unless --into-repo is given. Its license is "
        "printed; --into-repo is refused without --license-ok.",
    )
)


def _counts(found: Described) -> str:
    """`1 query, 3 items`; what a fixture holds is named in the plural."""
    return ", ".join(amount(count, *_FORMS.get(name, (name[:-1],))) for name, count in found.counts.items())


_FORMS: Final = {"queries": ("query", "queries")}
