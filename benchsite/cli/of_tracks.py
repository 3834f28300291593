"""Commands that tracks add to the command line: of ours by name, of other packages contained."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from copy import copy
from typing import Any, Final

import click

from benchsite import plugins
from benchsite.cli import output
from benchsite.environment import Credentials
from benchsite.errors import BenchsiteError, TrackError
from benchsite.track import Console
from benchsite.track._guard import described

_CONSOLE: Final[Console] = output
_ON_PURPOSE = (BenchsiteError, click.ClickException, click.exceptions.Exit, click.Abort, OSError)


def command(track: str, name: str) -> click.Command:
    """Import and return a command that a track adds.

    Raises:
        TrackError: the track cannot be loaded, or gives something else than a command.
    """
    owner = plugins.track(track)
    found: Any = owner.own_command(name)
    if not isinstance(found, click.Command):
        raise TrackError(f"track {track!r}: its command {name!r} is of class {type(found).__name__}")
    own = copy(found)  # what the track keeps is not changed
    own.context_settings = {**own.context_settings, "obj": _CONSOLE}
    where = "" if owner.is_own else f"track {track!r} failed in its command {name!r}"
    own.invoke = _invoking(own.invoke, where)  # type: ignore[method-assign,assignment]
    return own


def others(taken: Collection[str]) -> Mapping[str, Mapping[str, str]]:
    """Return the commands of each track of other packages that adds any; names that are `taken` are left out."""
    found: dict[str, Mapping[str, str]] = {}
    used = set(taken)
    for name, track in plugins.tracks().items():
        added = {} if track.is_own else {key: line for key, line in track.commands.items() if key not in used}
        if added:
            found[name] = added
            used |= added.keys()
    return found


def _invoking(invoke: Callable[[click.Context], Any], where: str) -> Callable[[click.Context], Any]:
    """Return what runs a command without signing keys; mistakes of other packages become errors that name the track."""

    def invoking(ctx: click.Context) -> Any:
        credentials = ctx.find_root().obj
        if isinstance(credentials, Credentials):
            credentials.forget()
        try:
            return invoke(ctx)
        except _ON_PURPOSE:
            raise
        except Exception as error:
            if not where:
                raise
            raise TrackError(f"{where}: {described(error)}") from error

    return invoking
