"""What the command line grants measured programs, besides `extra.benchsite.grants`."""

from __future__ import annotations

import re
from typing import Any, Final

import click

from benchsite.track import Grant

_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")


class _Variable(click.ParamType[str]):
    """The name of an environment variable that is not one of ours."""

    name = "name"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not _VARIABLE.fullmatch(str(value)):
            self.fail(f"{value!r} is not an environment variable name", param, ctx)
        if str(value).upper().startswith("BENCHSITE_"):
            self.fail(
                f"{value} is a variable of benchsite and never passed to a measured program", param, ctx
            )
        return str(value)


def grant_options(noun: str = "adapters") -> tuple[click.Option, ...]:
    """Options of every command that starts a measured program, which `noun` names."""
    return (
        click.Option(
            ["--allow-network"],
            is_flag=True,
            help=f"Allow network access, to any host, to {noun} that ask for it.",
        ),
        click.Option(
            ["--allow-env"],
            type=_Variable(),
            multiple=True,
            help=f"Pass this environment variable to {noun} that ask for it.",
        ),
    )


def granted(options: dict[str, Any]) -> Grant:
    """What these options grant; they are taken out of `options`."""
    return Grant(network=options.pop("allow_network", False), environment=options.pop("allow_env", ()))
