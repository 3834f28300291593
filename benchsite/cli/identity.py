"""The line that tells a person whose name commits and receipts will carry, where git was told none."""

from __future__ import annotations

from typing import Final

from benchsite import environment
from benchsite.cli import output
from benchsite.repo import Repository

__all__ = ["tell_missing"]

_EXAMPLES: Final = {"user.name": '"Your Name"', "user.email": "you@example.org"}


def tell_missing(repository: Repository) -> None:
    """Say it on stderr, with the commands that set what is missing; a workflow signs under its own name."""
    missing = repository.unset_identity()
    name, email = repository.identity()
    if missing and environment.ran_by(name)["kind"] == "maintainer":
        commands = " && ".join(f"git config {key} {_EXAMPLES[key]}" for key in missing)
        output.note(
            f"no {' and no '.join(missing)} in git: commits and receipts name {name} <{email}> as author\n  hint: {commands}"
        )
