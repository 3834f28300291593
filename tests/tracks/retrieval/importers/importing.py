"""What tests of importers share."""

from __future__ import annotations

from typing import Any

import click

from benchsite import canonical
from benchsite.tracks.retrieval.fixture import Fixture, parse
from benchsite.tracks.retrieval.importers.formats import FORMATS

ORIGIN = {"license": "CC0", "source": "a test", "notes": "", "description": ""}


def imported(kind: str, files: dict[str, bytes], **options: Any) -> tuple[Fixture, list[str]]:
    """The fixture that a format of the command line makes, checked as `fixture validate` does, and its lines."""
    form = FORMATS[kind]
    context = click.Context(click.Command(kind))
    defaults = {param.name: param.get_default(context) for param in form.parameters}
    defaults = {name: () if name == "column" else value for name, value in defaults.items()}
    given = {**defaults, **ORIGIN, "fixture_id": None, **options}
    given = {name: value for name, value in given.items() if name in {*defaults, "fixture_id", *options}}
    if form.suffixes:
        given.setdefault("where", "folder")
    made = form.convert(files, **given)
    assert canonical.loads(made.data)["importer"]["kind"] == kind
    return parse(made.data, where="test"), list(made.lines)


def labels(fixture: Fixture) -> dict[str, dict[str, int]]:
    """Grades by query and item."""
    return {query.id: {entry.id: entry.grade for entry in query.expected} for query in fixture.queries}
