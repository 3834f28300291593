"""`benchsite run sums`, and what an entry of the suite may say."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from benchsite.errors import InputError
from benchsite.methodology import Methodology
from benchsite.receipt import Document
from benchsite.track import Work

HELP = "Measure systems that add."


def parameters() -> Sequence[Any]:
    return (
        click.Option(["--system"], multiple=True, required=True, help="Name of an installed system."),
        click.Option(["--fixture"], required=True, help="Id of a fixture."),
        click.Option(["--limit"], type=click.IntRange(1), help="Ask only the first N sums; never ranked."),
    )


def works(**options: Any) -> Sequence[Work]:
    request = {"limit": options["limit"]}
    return [Work("sums", name, options["fixture"], "", request) for name in options["system"]]


def suite(entry: Mapping[str, Any], folder: str) -> Work:
    try:
        return Work("sums", entry["system"], entry["fixture"], "", {"limit": entry.get("limit")})
    except KeyError as error:
        raise InputError(
            f"{error.args[0]}: is not given", hint="{track: sums, system: exact, fixture: sums-v1}"
        ) from None


def measures(work: Work, document: Document, methodology: Methodology) -> bool:
    made = work_of(document)
    return (work.subject, work.target, work.request) == (made.subject, made.target, made.request)


def work_of(document: Document) -> Work:
    config, version = document["config"], document["methodology"]["version"]
    return Work(
        "sums", document["system"]["name"], document["fixture"]["id"], version, {"limit": config["limit"]}
    )
