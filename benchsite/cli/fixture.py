"""`benchsite fixture`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

import click

from benchsite.cli import output
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
    """Print a dataset's SHA-256, of canonical JSON, as receipts and the log pin it."""
    found = fixtures.read(fixtures.named(optional_workspace(Path.cwd()), name))
    output.say(f"{found.sha256}  {found.id}")


@fixture.command(name="import")
@click.argument("kind", metavar="KIND")
@click.argument("source", metavar="PATH", type=click.Path(path_type=Path))
@click.option("--id", "fixture_id", help="Dataset id [default: derived from the dataset's name].")
@click.option(
    "--granularity",
    type=click.Choice(["turn", "session"]),
    default="turn",
    show_default=True,
    help="What one item is.",
)
@click.option("--captions", is_flag=True, help="Append image captions to their turns.")
@click.option("--errata", type=click.Path(path_type=Path), help="File of label corrections to apply.")
@click.option("--into-repo", is_flag=True, help="Write to fixtures/, which is public; needs --license-ok.")
@click.option("--license-ok", is_flag=True, help="The license allows redistribution.")
@click.option("--licence-ok", "old_spelling", is_flag=True, hidden=True, help="The old spelling.")
@output.json_option
def import_fixture(  # noqa: PLR0913, PLR0917 - one parameter an option
    kind: str,
    source: Path,
    fixture_id: str | None,
    granularity: Literal["turn", "session"],
    captions: bool,  # noqa: FBT001
    errata: Path | None,
    into_repo: bool,  # noqa: FBT001
    license_ok: bool,  # noqa: FBT001
    old_spelling: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
) -> None:
    """Import a dataset. KIND is: locomo.

    The data stays on this machine, under .benchsite/fixtures/, unless --into-repo is given. Its license is
    printed; --into-repo is refused without --license-ok.
    """
    workspace = Workspace(Path.cwd())
    made = fixtures.convert(
        kind,
        source,
        fixture_id=fixture_id,
        granularity=granularity,
        captions=captions,
        errata=errata,
    )
    path = fixtures.keep(workspace, made, into_repo=into_repo, license_ok=license_ok or old_spelling)
    path = path.relative_to(workspace.root)
    if as_json:
        output.emit({"path": path.as_posix(), "license": made.fixture.license, **made.made.report})
    else:
        _tell(path, made)


def _counts(found: Described) -> str:
    """`1 query, 3 items`; what a fixture holds is named in the plural."""
    return ", ".join(amount(count, *_FORMS.get(name, (name[:-1],))) for name, count in found.counts.items())


_FORMS: Final = {"queries": ("query", "queries")}


def _tell(path: Path, converted: fixtures.Converted) -> None:
    output.say(f"imported {converted.fixture.id} -> {path}")
    output.say(f"  license: {converted.fixture.license}")
    for line in converted.made.lines:
        output.say(f"  {line}")
