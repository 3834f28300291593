"""Adapters as programs to start: a hosted class, or a command with its arguments."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Final

from benchsite.errors import InputError, UsageError
from benchsite.isolation.environments.installed import interpreter
from benchsite.isolation.subject import Program, Scalar
from benchsite.schema import PRINTABLE
from benchsite.track import COMMAND
from benchsite.tracks.retrieval.adapters.mcp.mapping import read_mapping
from benchsite.tracks.retrieval.systems import catalog

__all__ = ["ARGUMENTS", "WORKER", "arguments", "command_of", "program", "spec_of"]

MCP: Final = "mcp:"
BRIDGE: Final = "benchsite.tracks.retrieval.adapters.mcp"
"""The module that speaks with an MCP server."""
WORKER: Final = "benchsite.tracks.retrieval.run.worker"
ARGUMENTS: Final = "arguments"
"""The key of `config.options` that holds the arguments of a command; no adapter may have an option of this name."""

_INTERPRETER: Final = re.compile(
    r"(python|pypy|node|nodejs|deno|bun|ruby|perl|php|java|Rscript|bash|sh)[0-9.]*"
)


def program(
    name: str,
    reference: str | None,
    command: tuple[str, ...] | None = None,
    options: Mapping[str, Scalar] | None = None,
    *,
    python: str = "",
) -> Program:
    """Return an adapter as a program: a class by its reference, under a Python of its own if one is named, or a command."""
    return Program("adapter", WORKER, name, reference, command, options or {}, python=python)


def spec_of(
    subject: str,
    reference: str | None,
    options: Mapping[str, Scalar] | None = None,
    *,
    environments: str = "",
) -> Program:
    """Return how to start a named adapter: a class by its reference, or `command:PROGRAM ARGS`.

    Args:
        subject: the adapter's name, or the command, or `mcp:FILE`.
        reference: `module:class`; None for a command.
        options: its options.
        environments: folder with the interpreters of installed systems.

    Raises:
        InputError: the command's quotes do not close.
        PrerequisiteError: the system isn't installed.
    """
    if reference is not None:
        system = catalog.system(subject)
        python = interpreter(system, environments) if system is not None else ""
        return program(subject, reference, None, options, python=python)
    made = program(subject, None, command_of(subject), options)
    if subject.startswith(MCP):
        # Its server starts with it: one call to shake hands, one for the list of tools.
        mapping = read_mapping(Path(shlex.split(subject.removeprefix(MCP))[0]))
        made = replace(made, start_timeout_s=2 * mapping.timeout_seconds)
    return made


def command_of(subject: str) -> tuple[str, ...]:
    """Return the program and the arguments of `command:PROGRAM ARGS`, or the bridge to the server of `mcp:FILE`.

    Raises:
        InputError: its quotes do not close, or the file of a mapping is malformed.
    """
    try:
        if subject.startswith(MCP):
            parts = shlex.split(subject.removeprefix(MCP))
            read_mapping(Path(parts[0] if parts else ""))
            return (sys.executable, "-P", "-m", BRIDGE, *parts)
        return tuple(shlex.split(subject.removeprefix(COMMAND)))
    except ValueError as error:
        raise InputError(
            f"adapter {subject!r}: {error}", hint='quote it: "command:./adapter --flag"'
        ) from None


def arguments(command: Sequence[str]) -> str:
    """Return the arguments of a command as a receipt records them: without the script, paths by their last part.

    The same on every machine: a path says where somebody keeps a file, and the digest says which file it is.
    """
    rest = list(command[1:])
    if BRIDGE in rest:
        rest = rest[rest.index(BRIDGE) + 2 :]  # the mapping names itself, and is pinned by its hash
    elif command and _INTERPRETER.fullmatch(PurePosixPath(command[0]).name) and not {"-m", "-c"} & set(rest):
        script = next((place for place, part in enumerate(rest) if not part.startswith("-")), None)
        rest = [part for place, part in enumerate(rest) if place != script]
    text = shlex.join(map(_without_folders, rest))
    if text and not re.fullmatch(PRINTABLE, text):
        raise UsageError(
            "the arguments of a command must be one line of at most 200 characters without controls",
            hint="put long settings into a file and name it as an argument: its content is pinned by its SHA-256",
        )
    return text


def _without_folders(part: str) -> str:
    name, equals, value = part.partition("=") if part.startswith("-") else ("", "", part)
    if "/" not in value or "://" in value:
        return part
    return f"{name}{equals}{PurePosixPath(value).name or value}"
