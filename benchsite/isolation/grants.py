"""What a measured program asks for, against what the maintainer grants and what this machine can limit.

Refuses by name what was not granted (`NotGrantedError`). Network access to some hosts is limited by a namespace of its own:
where that is not permitted, it is refused, because the program would reach every host.
"""

from __future__ import annotations

import json
from dataclasses import replace

from benchsite.errors import PrerequisiteError
from benchsite.isolation import declaration, sandbox
from benchsite.track import NOTHING, Grant

__all__ = ["NotGrantedError", "negotiated"]


def negotiated(noun: str, name: str, asked: Grant, granted: Grant) -> Grant:
    """Return the grant that a program is started with: what it asks for; every host, if that is granted.

    Args:
        noun: what messages call the program (`adapter`).
        name: what the person asked for.
        asked: what it declares to need.
        granted: what the maintainer allows.

    Raises:
        NotGrantedError: it asks for more.
        PrerequisiteError: its network access cannot be limited to hosts here.
    """
    lacking = declaration.missing(asked, granted)
    if lacking != NOTHING:
        raise NotGrantedError(noun, name, lacking)
    if asked.hosts and granted.network:
        return replace(asked, network=True, hosts=())
    if asked.limited and sandbox.level() != "sealed":
        raise PrerequisiteError(
            f"{noun} {name}: network access cannot be limited to {', '.join(asked.hosts)}: "
            "this system permits no namespaces",
            hint="to grant every host instead, for one run: --allow-network; for every run, under extra.benchsite in "
            f"mkdocs.yml: grants: {{{json.dumps(name, ensure_ascii=False)}: {{network: true}}}}",
        )
    return asked


class NotGrantedError(PrerequisiteError):
    """A program needs what the maintainer has not granted; `needs` names it."""

    def __init__(self, noun: str, name: str, needs: Grant) -> None:
        """Say what is asked for, and the lines and options that would grant it."""
        hosts, names = ", ".join(needs.hosts), ", ".join(needs.environment)
        wanted = (
            *(["network access"] * needs.network),
            *([f"network access to {hosts}"] if hosts else ()),
            *needs.environment,
        )
        grant = ", ".join(
            (
                *(["network: true"] * needs.network),
                *([f"hosts: [{', '.join(map(json.dumps, needs.hosts))}]"] if hosts else ()),
                *([f"env: [{names}]"] if names else ()),
            )
        )
        options = (
            *(["--allow-network"] * needs.online),
            *(f"--allow-env {one}" for one in needs.environment),
            *(["(any host)"] if needs.hosts else ()),
        )
        self.needs = " and ".join(wanted)
        super().__init__(
            f"{noun} {name}: not granted: {self.needs}",
            hint=f"for one run: {' '.join(options)}; for every run, under extra.benchsite in mkdocs.yml: "
            f"grants: {{{json.dumps(name, ensure_ascii=False)}: {{{grant}}}}}",
        )
        self._made_of = (noun, name, needs)

    def __reduce__(self) -> tuple[type[NotGrantedError], tuple[str, str, Grant]]:
        """Pickled as what it was made of: workers hand their errors to the parent process."""
        return type(self), self._made_of
