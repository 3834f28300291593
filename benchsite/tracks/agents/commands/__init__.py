"""Commands that the track adds to the command line: one module a group, named as the command is."""

from __future__ import annotations

from importlib import import_module
from typing import cast

import click

__all__ = ["command"]


def command(name: str) -> click.Command:
    """Return the command of this name; its module is imported now."""
    return cast("click.Command", getattr(import_module(f"{__name__}.{name}"), name))
