"""`benchsite fixture`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

import click

from benchsite.cli import output
from benchsite.cli.main import report as report_error
from benchsite.errors import BenchsiteError
from benchsite.pipeline.instance import Instance, optional_instance
from benchsite.pipeline.measure import fixtures
from benchsite.pipeline.verify import exit_code
from benchsite.track import Described
from benchsite.words import amount


@click.group()
def fixture() -> None:
    """The data that subjects are measured on."""


@fixture.command(name="list")
@output.json_option
def list_fixtures(as_json: bool) -> None:  # noqa: FBT001 - click passes options by keyword
    """List the fixtures of this instance and the imported ones."""
    rows = [fixtures.row(item) for item in fixtures.listed(Instance(Path.cwd()))]
    if as_json:
        output.emit({"fixtures": rows})
        return
    if not rows:
        output.say("no fixtures: `benchsite fixture import` adds one")
        return
    shown = [
        (row["id"], "malformed: benchsite fixture validate", "", "", "", "")
        if "error" in row
        else (
            row["id"],
            *(f"{row[name]:,}" if name in row else "" for name in ("items", "queries", "scopes")),
            row["license"],
            row["sha256"][:12],
        )
        for row in rows
    ]
    output.table(("fixture", "items", "queries", "scopes", "licence", "sha256"), shown)


@fixture.command()
@click.argument("names", nargs=-1, metavar="[FIXTURE ...]")
@click.pass_context
def validate(ctx: click.Context, names: Sequence[str]) -> None:
    """Check fixtures; every problem is listed with its place and id.

    FIXTURE is an id or a path. Without one, every fixture of this instance.
    """
    instance = optional_instance(Path.cwd())
    if names:
        paths = [fixtures.named(instance, name) for name in names]
    else:
        paths = list(Instance(Path.cwd()).fixture_paths())
    codes = []
    for path in paths:
        try:
            found = fixtures.read(path)
            output.say(f"valid  {found.id}: {_counts(found)}")
        except BenchsiteError as error:
            report_error(error)
            codes.append(error.exit_code)
    ctx.exit(exit_code(codes))


@fixture.command(name="hash")
@click.argument("name", metavar="FIXTURE")
def hash_fixture(name: str) -> None:
    """Print the sha256 that receipts and the log pin: of the canonical form of fixture.json."""
    found = fixtures.read(fixtures.named(optional_instance(Path.cwd()), name))
    output.say(f"{found.sha256}  {found.id}")


@fixture.command(name="import")
@click.argument("kind", metavar="KIND")
@click.argument("source", metavar="PATH", type=click.Path(path_type=Path))
@click.option("--id", "fixture_id", help="The id to give it [default: made from the data set's name].")
@click.option("--granularity", type=click.Choice(["turn", "session"]), default="turn", show_default=True)
@click.option("--captions", is_flag=True, help="Append image captions to their turns.")
@click.option("--errata", type=click.Path(path_type=Path), help="A file of corrected evidence to apply.")
@click.option("--into-repo", is_flag=True, help="Write to fixtures/, which is public; needs --licence-ok.")
@click.option("--licence-ok", is_flag=True, help="The data's licence allows you to redistribute it.")
@output.json_option
def import_fixture(  # noqa: PLR0913, PLR0917 - one parameter an option
    kind: str,
    source: Path,
    fixture_id: str | None,
    granularity: Literal["turn", "session"],
    captions: bool,  # noqa: FBT001
    errata: Path | None,
    into_repo: bool,  # noqa: FBT001
    licence_ok: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
) -> None:
    """Convert a data set into a fixture. KIND is: locomo.

    The data stays on this machine, under .benchsite/fixtures/, unless --into-repo is given. Its licence is
    printed; --into-repo is refused without --licence-ok.
    """
    instance = Instance(Path.cwd())
    made = fixtures.convert(
        kind,
        source,
        fixture_id=fixture_id,
        granularity=granularity,
        captions=captions,
        errata=errata,
    )
    path = fixtures.keep(instance, made, into_repo=into_repo, licence_ok=licence_ok)
    path = path.relative_to(instance.root)
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
    output.say(
        f"  licence: {converted.fixture.license}; the texts are their authors', and what you may do with them it says"
    )
    for line in converted.made.lines:
        output.say(f"  {line}")
