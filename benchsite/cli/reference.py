"""The command-line reference, `content/docs/cli.md`, written from the commands themselves.

`make reference` writes it; a test fails while it differs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from benchsite.cli.main import SECTIONS, cli

_INTRODUCTION = """\
---
description: Every command, option and exit code of benchsite.
---

# Command-line reference

This page is written from the program itself (`make reference`) and checked by a test, so it cannot go stale.

Exit codes: **0** done, **1** a bug, **2** usage, **3** integrity (a signature, a hash, the log or a number does
not hold), **4** bad input, **5** something is missing first (git, a key, a repository, a clean record). Of several
receipts, 3 comes before 4 before 5. A command that Ctrl-C ended exits with **130**, SIGTERM with **143**, and one
whose output nobody reads any more with **141**.
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
            yield f"| `{flag.replace('|', ' or ')}` | {_cell(text)} |"
        yield ""
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None:
                yield from _command(inner, click.Context(inner, info_name=name, parent=context))


def _cell(text: str) -> str:
    return text.replace("|", "&#124;").replace("<", "&lt;")


def _prose(text: str) -> str:
    paragraphs = [" ".join(block.split()) for block in text.replace("\b", "").split("\n\n")]
    return "\n\n".join(paragraphs)


if __name__ == "__main__":
    sys.stdout.write(reference())
