"""`benchsite import`: results that others published, read, graded here and kept as drafts of origin `import` or `external-run`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from benchsite import plugins
from benchsite.cli import output
from benchsite.cli.run import measure_once
from benchsite.pipeline.measure import fixtures
from benchsite.pipeline.workspace import LARGEST_FIXTURE, Workspace
from benchsite.pipeline.workspace.files import Folder, Streamed, read_bounded
from benchsite.track.parts import Published


def _formats() -> dict[str, Published]:
    """Every format of published results that an installed track reads."""
    parts = (track.results for track in plugins.tracks().values())
    return {name: one for part in parts if part is not None for name, one in part.formats.items()}


class _Import(click.Group):
    """`import FORMAT PATH` takes that format's options."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The formats of the installed tracks."""
        return sorted(_formats())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of one format."""
        found = _formats().get(cmd_name)
        if found is None:
            return None
        path = click.Argument(["path"], metavar="PATH", type=click.Path(path_type=Path))
        command = click.Command(
            cmd_name, params=[path, *found.parameters], callback=_callback(found), help=found.help
        )
        return output.json_option(command)


def _callback(found: Published) -> Callable[..., None]:
    @click.pass_context
    def call(ctx: click.Context, /, path: Path, as_json: bool, **options: Any) -> None:  # noqa: FBT001
        given: Mapping[str, bytes] | Streamed
        if found.is_stream:
            given = Streamed(path)
        elif found.is_file:
            given = {path.name: read_bounded(path, LARGEST_FIXTURE)}
        else:
            given = Folder(path, found.suffixes, LARGEST_FIXTURE)
        work = found.work(given, **options)
        kept = fixtures.offer(Workspace(Path.cwd()), work.target, work.offered) if work.offered else None
        try:
            measure_once(ctx, [work], as_json=as_json)
        except BaseException as error:
            is_done = getattr(error, "exit_code", None) == 0  # click ends every command with an exit code
            if kept is not None and not is_done:
                fixtures.withdraw(kept)
            raise

    return call


@click.group(cls=_Import)
def imports() -> None:
    """Import results of runs made elsewhere.

    Each import leaves a draft that is scored here and was not run here. Published results (origin `import`) are ranked among
    imported results only. Run files (origin `external-run`) are listed without a rank.
    """
