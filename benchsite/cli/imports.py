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
from benchsite.track.parts import Collected, Published


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
        if found.is_stream and not (found.suffixes and path.is_dir()):
            given = Streamed(path)
        elif found.is_file:
            given = {path.name: read_bounded(path, LARGEST_FIXTURE)}
        else:
            given = Folder(path, found.suffixes, LARGEST_FIXTURE)
        for name in found.inputs:
            options[name] = None if options[name] is None else _input(Path(options[name]))
        if found.has_where:
            options["where"] = path.resolve().name
        made = found.work(given, **options)
        if not isinstance(made, Collected):
            made = Collected([made], (), {})
        for line in () if as_json else made.lines:
            output.say(line)
        workspace = Workspace(Path.cwd())
        offered = {work.target: work.offered for work in made.works if work.offered}
        kept = {name: fixtures.offer(workspace, name, data) for name, data in offered.items()}
        try:
            measure_once(ctx, made.works, as_json=as_json, report=made.report)
        except BaseException as error:
            if getattr(error, "exit_code", None) != 0:  # click ends every command with an exit code
                _withdraw(workspace, kept)
            raise

    return call


def _input(path: Path) -> Mapping[str, bytes]:
    """Read what an option names: a file, or the JSON files of a folder."""
    if path.is_dir():
        return Folder(path, (".json", ".jsonl"), LARGEST_FIXTURE)
    return {path.name: read_bounded(path, LARGEST_FIXTURE)}


def _withdraw(workspace: Workspace, kept: Mapping[str, Path | None]) -> None:
    """Remove the data that this command kept and that no draft names."""
    drafts = [path.read_bytes() for path in workspace.draft_paths()]
    for name, path in kept.items():
        if path is not None and not any(f'"{name}"'.encode() in data for data in drafts):
            fixtures.withdraw(path)


@click.group(cls=_Import)
def imports() -> None:
    """Import results of runs made elsewhere.

    Each import leaves a draft that is scored here and was not run here. Published results (origin `import`) are ranked among
    imported results only. Run files (origin `external-run`) are listed without a rank.
    """
