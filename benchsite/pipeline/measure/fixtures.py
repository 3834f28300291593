"""Fixtures: list, validate and import the data that subjects are measured on."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from benchsite.errors import BenchsiteError, InputError, PrerequisiteError, UsageError
from benchsite.layout import FIXTURES, IMPORTED
from benchsite.pipeline.instance import LARGEST_FIXTURE, Instance
from benchsite.pipeline.instance.files import read_bounded
from benchsite.repo import write_atomically
from benchsite.tracks.retrieval.fixture import Fixture, parse
from benchsite.tracks.retrieval.importers import IMPORTERS
from benchsite.tracks.retrieval.importers.locomo import Report


@dataclass(frozen=True, slots=True)
class Listed:
    """A fixture on disk; `fixture` is None where it is malformed and `error` says why."""

    path: Path
    imported: bool
    fixture: Fixture | None
    error: BenchsiteError | None = None


@dataclass(frozen=True, slots=True)
class Converted:
    """Another project's data as the bytes of a `fixture.json`, read back, and what the importer did."""

    data: bytes
    fixture: Fixture
    report: Report


def listed(instance: Instance) -> Iterator[Listed]:
    """Every fixture of the instance, in the repository first, then the imported ones."""
    for path in instance.fixture_paths():
        imported = instance.imported(path)
        try:
            yield Listed(path, imported, read(path))
        except BenchsiteError as error:
            yield Listed(path, imported, None, error)


def read(path: Path) -> Fixture:
    """Read and check a fixture file; its folder must carry its id.

    Raises:
        InputError: everything wrong with it, with places and ids.
    """
    fixture = parse(read_bounded(path, LARGEST_FIXTURE), where=str(path))
    if path.name == "fixture.json" and path.parent.name != fixture.id:
        raise InputError(
            f"fixture {path}: its id is {fixture.id!r}, so its folder must be {fixture.id}/",
            hint="rename the folder, or correct the id",
        )
    return fixture


def named(instance: Instance | None, name: str) -> Path:
    """The file of a fixture named by path or id.

    Raises:
        UsageError: there is no such fixture.
    """
    # The methods of Path raise where a name is too long to be a file's; these say no.
    path = Path(name, "fixture.json") if os.path.isdir(name) else Path(name)  # noqa: PTH112
    if os.path.isfile(path):  # noqa: PTH113
        return path
    if instance is None:
        raise UsageError(
            f"no file {name!r}, and there is no instance here to look it up in",
            hint="give the path of a file, or run it inside a clone of the repository",
        )
    return instance.fixture_path(name)


def convert(
    kind: str,
    source: Path,
    *,
    fixture_id: str | None,
    granularity: Literal["turn", "session"],
    captions: bool,
    errata: Path | None,
) -> Converted:
    """Read a data set as a fixture; writes nothing.

    Args:
        kind: which importer.
        source: the data set's file.
        fixture_id: the id to give it instead of the importer's own.
        granularity: what one item is.
        captions: whether image captions become text.
        errata: a file of corrections to apply.

    Raises:
        UsageError: no importer of this kind.
        InputError: the data set is malformed.
    """
    if kind not in IMPORTERS:
        raise UsageError(f"no importer for {kind!r}", hint=f"known kinds: {', '.join(sorted(IMPORTERS))}")
    document, report = IMPORTERS[kind](
        read_bounded(source, LARGEST_FIXTURE),
        where=source.name,
        fixture_id=fixture_id,
        granularity=granularity,
        captions=captions,
        errata=read_bounded(errata, LARGEST_FIXTURE) if errata is not None else None,
    )
    data = json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n"
    return Converted(data, parse(data, where=report.fixture_id), report)


def keep(instance: Instance, made: Converted, *, into_repo: bool, licence_ok: bool) -> Path:
    """Write a converted data set where this instance finds it; the file.

    Args:
        instance: where it goes: `.benchsite/fixtures/`, or `fixtures/` with `into_repo`.
        made: what `convert` read.
        into_repo: make its texts public with the repository.
        licence_ok: the person has read the data's licence and says that it allows this.

    Raises:
        PrerequisiteError: `into_repo` without `licence_ok`: what an importer reads is other people's data.
        InputError: the id is taken by other content.
    """
    fixture = made.fixture
    if into_repo and not licence_ok:
        raise PrerequisiteError(
            f"fixtures/ is public, and the data of {fixture.id} is not ours to pass on: "
            f"its licence is {fixture.license}",
            hint="leave out --into-repo and it stays on this machine; "
            "add --licence-ok if you have read that licence and it allows what you will do",
        )
    base = instance.root / (FIXTURES if into_repo else IMPORTED)
    path = base / fixture.id / "fixture.json"
    _refuse_other_content(instance, fixture, path)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, made.data)
    return path


def _refuse_other_content(instance: Instance, fixture: Fixture, path: Path) -> None:
    """An id stands for one content: a file of that id may be written again only unchanged."""
    for known in instance.fixture_paths():
        if known.parent.name == fixture.id and known != path:
            raise InputError(f"a fixture {fixture.id!r} exists at {known}", hint="give this one another --id")
    if path.exists() and read(path).sha256 != fixture.sha256:
        raise InputError(
            f"{path} holds other content under the id {fixture.id!r}",
            hint="give the new one another --id, so that old receipts keep their meaning",
        )


def row(item: Listed) -> dict[str, Any]:
    """A fixture as `fixture list --json` shows it."""
    if item.fixture is None:
        said = (item.error.message, item.error.hint) if item.error is not None else ("", "")
        return {"id": item.path.parent.name, "error": said[0], "hint": said[1]}
    fixture = item.fixture
    return {
        "id": fixture.id,
        "sha256": fixture.sha256,
        "items": len(fixture.items),
        "queries": len(fixture.queries),
        "scopes": len(fixture.scopes),
        "granularity": fixture.granularity,
        "license": fixture.license,
        "imported": item.imported,
    }
