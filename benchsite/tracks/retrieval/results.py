"""The part for results of runs made elsewhere, scored here: run files of TREC's format, and reports of PrecisionMemBench."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import click

from benchsite import canonical
from benchsite.errors import InputError, UsageError
from benchsite.track import Work
from benchsite.track.parts import Published
from benchsite.tracks.retrieval.run.command import DEFAULT_SEED, Assignment, Cutoffs, assigned, is_one_line
from benchsite.tracks.retrieval.run.reports import KIND

_NAMED: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,79}")


def _work(
    kind: str,
    files: Mapping[str, bytes],
    *,
    fixture: str,
    system: str,
    version: str,
    author: str,
    k: tuple[int, ...] | None,
    option: tuple[tuple[str, Any], ...],
) -> Work:
    """The import of one file."""
    ((name, data),) = files.items()
    if not _NAMED.fullmatch(system):
        raise InputError(
            f"system name {system[:80]!r}: lower-case letters, digits and hyphens", hint="give --system NAME"
        )
    for asked, text in (("--version", version), ("--author", author)):
        if not is_one_line(text) or (asked == "--version" and not text):
            raise UsageError(
                f"{asked} {text[:80]!r} is not one line of 1 to 200 characters",
                hint=f"give another {asked}",
            )
    request = {
        "ks": k,
        "seed": DEFAULT_SEED,
        "options": assigned(option),
        "system": {"name": system, "version": version, "author": author},
        "source": {"kind": kind, "name": name, "sha256": canonical.sha256_hex(data), "size": len(data)},
        "data": data,
    }
    return Work("retrieval", system, fixture, "", request, imported=True)


def _published(kind: str, help_: str, what: str, author: str) -> Published:
    """Return one format; `author` says who counts as the author of `what` by default."""
    return Published(
        help=f"{help_} It becomes a draft of origin `external-run`, scored against the relevance labels of the dataset.",
        parameters=(
            click.Option(["--fixture", "--dataset"], required=True, help="Id of the dataset."),
            click.Option(["--system"], required=True, help=f"Name of the system that made the {what}."),
            click.Option(
                ["--version"], required=True, help="Version of the system, as its authors state it."
            ),
            click.Option(["--author"], default="", help=f"Who made the {what} [default: {author}]."),
            click.Option(["--k"], type=Cutoffs(), help="Cut-offs [default: the methodology's, 1,5,10]."),
            click.Option(
                ["--option"],
                type=Assignment(),
                multiple=True,
                metavar="NAME=VALUE",
                help="A setting of the system, which identifies its row. Repeatable.",
            ),
        ),
        work=partial(_work, kind),
        is_file=True,
    )


formats: Final[Mapping[str, Published]] = {
    "trec-run": _published(
        "trec-run",
        "Import a run file of TREC's format.\n\nPATH is a file with lines `query Q0 document rank score tag`.",
        "run",
        "the tag of the run's first line",
    ),
    KIND: _published(
        KIND,
        "Import per-case results of PrecisionMemBench.\n\nPATH is a retrieval-report-*.json of its test-results.",
        "report",
        "the provider that the report names",
    ),
}
