"""`benchsite fixture import` and `benchsite benchmark import`: a command per format that an installed track reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from benchsite.cli import output
from benchsite.cli.main import Group
from benchsite.pipeline.measure import fixtures
from benchsite.pipeline.workspace import Workspace
from benchsite.track.parts import DataFormat


class DataImport(Group):
    """`import FORMAT [PATH]`, which takes that format's options."""

    def __init__(self, noun: str, help_text: str) -> None:
        super().__init__("import", help=help_text, subcommand_metavar="FORMAT [PATH] [OPTIONS]")
        self._noun = noun

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The formats of the installed tracks."""
        return list(fixtures.formats(self._noun))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of one format."""
        form = fixtures.formats(self._noun).get(cmd_name)
        return None if form is None else _command(cmd_name, form)


def _command(name: str, form: DataFormat) -> click.Command:
    params: list[click.Parameter] = []
    if form.has_path:
        params.append(click.Argument(["path"], metavar="PATH", type=click.Path(path_type=Path)))
    if form.takes_id:
        said = "Dataset id." if form.needs_id else "Dataset id [default: derived from the data's name]."
        params.append(click.Option(["--id", "fixture_id"], required=form.needs_id, help=said))
    params += [
        *form.parameters,
        click.Option(
            ["--into-repo"], is_flag=True, help="Write to fixtures/, which is public; needs --license-ok."
        ),
        click.Option(["--license-ok"], is_flag=True, help="The license allows redistribution."),
        click.Option(["--licence-ok", "old_spelling"], is_flag=True, hidden=True, help="The old spelling."),
    ]

    def call(
        *,
        into_repo: bool,
        license_ok: bool,
        old_spelling: bool,
        as_json: bool,
        path: Path | None = None,
        **options: Any,
    ) -> None:
        workspace = Workspace(Path.cwd())
        made = fixtures.convert(form, path, **options)
        kept = fixtures.keep(workspace, made, into_repo=into_repo, license_ok=license_ok or old_spelling)
        kept = kept.relative_to(workspace.root)
        if as_json:
            said = {"license": made.fixture.license, "warnings": made.fixture.warnings}
            output.emit({"path": kept.as_posix(), **said, **made.made.report})
            return
        output.say(f"imported {made.fixture.id} -> {kept}")
        output.say(f"  license: {made.fixture.license}")
        for line in made.made.lines:
            output.say(f"  {line}")
        for warning in made.fixture.warnings:
            output.say(f"  ! {warning}")

    return output.json_option(click.Command(name, params=params, callback=call, help=form.help))
