"""The part for results of runs made elsewhere: a run file of TREC's format, scored here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import click

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.track import Work
from benchsite.track.parts import Published
from benchsite.tracks.retrieval.run.command import DEFAULT_SEED, Assignment, Cutoffs

_NAMED: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,79}")


def _work(
    files: Mapping[str, bytes],
    *,
    fixture: str,
    system: str,
    version: str,
    author: str,
    k: tuple[int, ...] | None,
    option: tuple[tuple[str, Any], ...],
) -> Work:
    """The import of one run file."""
    ((name, data),) = files.items()
    if not _NAMED.fullmatch(system):
        raise InputError(
            f"system name {system[:80]!r}: lower-case letters, digits and hyphens", hint="give --system NAME"
        )
    request = {
        "ks": k,
        "seed": DEFAULT_SEED,
        "options": dict(option),
        "system": {"name": system, "version": version, "author": author},
        "source": {"kind": "trec-run", "name": name, "sha256": canonical.sha256_hex(data), "size": len(data)},
        "data": data,
    }
    return Work("retrieval", system, fixture, "", request, imported=True)


_TREC_RUN: Final = Published(
    help=(
        "Import a run file of TREC's format.\n\n"
        "PATH is a file with lines `query Q0 document rank score tag`. It becomes a draft of origin `external-run`, "
        "scored against the relevance labels of the dataset."
    ),
    parameters=(
        click.Option(["--fixture", "--dataset"], required=True, help="Id of the dataset."),
        click.Option(["--system"], required=True, help="Name of the system that made the run."),
        click.Option(["--version"], required=True, help="Version of the system, as its authors state it."),
        click.Option(
            ["--author"], default="", help="Who made the run [default: the tag of the run's first line]."
        ),
        click.Option(["--k"], type=Cutoffs(), help="Cut-offs [default: the methodology's, 1,5,10]."),
        click.Option(
            ["--option"],
            type=Assignment(),
            multiple=True,
            metavar="NAME=VALUE",
            help="A setting of the system, which identifies its row. Repeatable.",
        ),
    ),
    work=_work,
    is_file=True,
)

formats: Final[Mapping[str, Published]] = {"trec-run": _TREC_RUN}
