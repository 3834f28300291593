"""`benchsite resolution`: how many ranks of any leaderboard are real, from its results per instance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import click

from benchsite import plugins
from benchsite.board.resolution import Outcomes, System, read_lines
from benchsite.board.resolution import resolution as resolved
from benchsite.board.resolution.wording import COLUMNS
from benchsite.cli import output
from benchsite.errors import PrerequisiteError, UsageError
from benchsite.pipeline.workspace import LARGEST_FIXTURE
from benchsite.pipeline.workspace.files import Folder, bounded_lines, read_bounded

_LONGEST_LINE: Final = 2**28


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--qrels", type=click.Path(path_type=Path), metavar="FILE", help="Relevance labels of run files."
)
@click.option("--metric", metavar="NAME", help="Metric of run files [default: ndcg_at_10].")
@output.json_option
def resolution(files: tuple[Path, ...], qrels: Path | None, metric: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Count the adjacent ranks of any leaderboard that a paired test separates.

    FILE has one line of JSON per system: {"system": NAME, "outcomes": {INSTANCE: NUMBER, ...}}. The optional member
    "published" has the owner's number, or an object of numbers, to compare with the outcomes. With --qrels, each FILE is a
    run file of TREC's format or a folder of them.
    """
    notes: Sequence[str] = ()
    if qrels is not None:
        systems, notes = _of_runs(files, qrels, metric)
    elif metric is not None or len(files) > 1:
        what = "--metric" if metric is not None else "several files"
        raise UsageError(
            f"{what} without --qrels", hint="give the relevance labels of run files: --qrels FILE"
        )
    else:
        systems = read_lines(bounded_lines(files[0], _LONGEST_LINE), files[0].name)
    with output.progress("tests") as progress:
        found = resolved(systems, files[0].name, notes=notes, progress=progress)
    if as_json:
        output.emit(found.record)
        return
    output.say(found.headline)
    for note in found.notes:
        output.say(f"- {note}")
    output.say("")
    output.table(COLUMNS, found.rows)


def _of_runs(paths: Sequence[Path], qrels: Path, metric: str | None) -> tuple[list[System], Sequence[str]]:
    """Score run files by the track that reads them."""
    parts = [part for track in plugins.tracks().values() if (part := track.outcomes) is not None]
    if not parts:
        raise PrerequisiteError(
            "no installed track scores run files", hint="install the package of the track"
        )
    labels = qrels.name, read_bounded(qrels, LARGEST_FIXTURE)
    scored = parts[0].of_runs(_runs(paths), labels, metric or parts[0].metric)
    outcomes = Outcomes()
    for name, values in scored.systems.items():
        outcomes.add(name, values, name)
    return outcomes.systems(), scored.notes


def _runs(paths: Sequence[Path]) -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of each file, and of each file in a folder; hidden files are ignored."""
    for path in paths:
        if path.is_dir():
            names = Folder(path, "", LARGEST_FIXTURE)
            visible = [name for name in names if not any(part.startswith(".") for part in name.split("/"))]
            if not visible:
                raise UsageError(f"{path} has no files", hint="give a folder of run files")
            yield from ((f"{path.name}/{name}", names[name]) for name in visible)
        else:
            yield path.name, read_bounded(path, LARGEST_FIXTURE)
