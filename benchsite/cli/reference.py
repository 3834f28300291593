"""What is written from the program itself: the command-line reference, JavaScript's shapes and tables, the engine hash.

    python -m benchsite.cli.reference --write        every generated file of this checkout (make reference)
    python -m benchsite.cli.reference --check        fails, naming the files, while one is not what the program says
    python -m benchsite.cli.reference shapes TRACK   the shapes of an installed track, as a JavaScript module

`content/docs/cli.md` comes from the commands, `receipt-schema.md` from the receipts' models, tables of `api.md` from the data
dictionary;
`benchsite.cli.generated` makes the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click

from benchsite.cli.data_page import PAGE as DATA
from benchsite.cli.data_page import data_page
from benchsite.cli.generated import FILES, shapes
from benchsite.cli.main import SECTIONS, cli
from benchsite.cli.schema_page import PAGE, receipt_schema
from benchsite.errors import BenchsiteError
from benchsite.pipeline.browser import verifier

_INTRODUCTION = """\
---
title: Command-line reference
group: Reference
order: 61
description: Every command and option of benchsite.
---

# Command-line reference

This page is generated from the program (`make reference`), and a test checks that it is current.
[Verdicts and exit codes](verdicts-and-exit-codes.md) lists the exit codes.
"""


def reference() -> str:
    """The whole page, Markdown."""
    parts = [_INTRODUCTION]
    context = click.Context(cli, info_name="benchsite")
    for title, commands in SECTIONS.items():
        parts.append(f"## {title}\n")
        for name in commands:
            command = cli.get_command(context, name)
            if command is not None:
                parts.extend(_command(command, click.Context(command, info_name=name, parent=context)))
    return "\n".join(parts)


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield f"### `{context.command_path}`\n"
    yield f"```text\n{usage}\n```\n"
    if command.help:
        yield f"{_prose(command.help)}\n"
    options = [
        record
        for item in command.params
        if isinstance(item, click.Option) and (record := item.get_help_record(context)) is not None
    ]
    if options:
        yield "| option | meaning |\n| --- | --- |"
        for flag, text in options:
            yield f"| `{flag.replace('|', ' or ').replace(' RANGE', '')}` | {_cell(text)} |"
        yield ""
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None:
                yield from _command(inner, click.Context(inner, info_name=name, parent=context))


def _cell(text: str) -> str:
    return text.replace("|", "&#124;").replace("<", "&lt;").replace(str(2**53 - 1), "2^53 - 1")


def _prose(text: str) -> str:
    paragraphs = [" ".join(block.split()) for block in text.replace("\b", "").split("\n\n")]
    return "\n\n".join(paragraphs)


_ENGINE = re.compile(r"(?<=### Engine of verify.html\n\n`)[0-9a-f]*")
_PAGE = "content/docs/cli.md"
_CHANGES = "CHANGELOG.md"


def _stale(*, write: bool) -> Iterator[str]:
    """Generated files of the checkout in this folder that are not what the program says, rewritten where asked."""
    for name, make in {
        **FILES,
        _PAGE: reference,
        PAGE: receipt_schema,
        DATA: data_page,
        _CHANGES: _changes,
    }.items():
        path, text = Path(name), make()
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            if write:
                path.write_text(text, encoding="utf-8")
            yield name


def _changes() -> str:
    """The changelog with the engine hash of this checkout; asked for after the engine's own files are written."""
    return _ENGINE.sub(verifier().engine_hash, Path(_CHANGES).read_text(encoding="utf-8"), count=1)


@click.command(context_settings={"max_content_width": 100})
@click.option(
    "--write", "action", flag_value="write", help="Write every generated file of the checkout in this folder."
)
@click.option(
    "--check", "action", flag_value="check", help="Exit 3, naming the files, while one of them is stale."
)
@click.argument("what", nargs=-1, metavar="[shapes TRACK]")
def main(action: str | None, what: tuple[str, ...]) -> None:
    """Write what follows from the program itself; `shapes TRACK` prints a track's shapes for its rescore-TRACK.js.

    The module exports PAYLOAD, CONFIG and ENGINES: checks of the track's own keys, of its configuration, and of the
    parameters of each scoring engine. What a model says in Python code it imports from forms-TRACK.js, which is yours
    to write: a function takes the check below it and gives the check of both. Ship the three files in one folder.
    """
    if len(what) == 2 and what[0] == "shapes" and action is None:
        try:
            click.echo(shapes(what[1]), nl=False)
        except BenchsiteError as error:
            raise click.ClickException(f"{error.message}\n{error.hint}") from None
        return
    if what or action is None:
        raise click.UsageError("say --write, --check, or: shapes TRACK")
    stale = list(_stale(write=action == "write"))
    if stale and action == "check":
        click.echo(f"not what the program says: {', '.join(stale)}\nhint: run: make reference", err=True)
        raise SystemExit(3)


if __name__ == "__main__":
    main()
