"""The declaration of a measured program: what `initialize` answers, checked, and what it asks to be granted.

A program's word about itself, but for its version: if it declares distributions, the version is that of the first one as it is
installed, and the program's own word is not asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any

from benchsite.track import Grant

__all__ = ["Declaration", "declared_by", "missing", "problem", "read", "refused_variable", "wanted"]

_TEXT = re.compile(r"[^\x00-\x1f\x7f-\x9f]{1,200}")
_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,79}")
_DISTRIBUTION = re.compile(r"[A-Za-z0-9@][A-Za-z0-9._/-]{0,199}")
_HOST = re.compile(r"(?:\*\.)?[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?::[0-9]{1,5})?")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_LISTS = {
    "hosts": (_HOST, 'is not a list of host names, such as ["api.example.com"]'),
    "distributions": (_DISTRIBUTION, "is not a list of names of installed distributions"),
    "options": (_TEXT, "is not a list of names"),
}


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a program says of itself.

    Attributes:
        version: of the measured system; empty if `distributions` says where to read it.
        network: whether it asks for a network, `hosts` for which hosts; without hosts, for every host.
        environment: names of the variables that it asks for.
        distributions: names of the installed distributions that its results depend on, the measured system first.
        assets: absolute paths of the files and folders that its results depend on, by the name they are recorded under.
        backend: the name of the bare system that a product is built on; empty for none.
        options: names of the options that it takes; None if it takes any.
    """

    name: str
    version: str
    author: str
    network: bool = False
    hosts: tuple[str, ...] = ()
    hosted: bool = False
    environment: tuple[str, ...] = ()
    distributions: tuple[str, ...] = ()
    assets: Mapping[str, str] = field(default_factory=dict)
    backend: str = ""
    options: tuple[str, ...] | None = ()


def declared_by(answer: object) -> dict[str, Any]:
    """Return the members of an answer that is an object; none of any other answer."""
    return answer if isinstance(answer, dict) else {}


def problem(declared: Mapping[str, Any]) -> str:
    """Return what is wrong with a declaration; empty if nothing is."""
    return next(_problems(declared), "")


def _problems(declared: Mapping[str, Any]) -> Iterator[str]:
    if not _matches(declared.get("name"), _SLUG):
        yield 'name is not 1 to 80 of a-z, 0-9 and "-"'
    for key in ("author",) if declared.get("distributions") else ("version", "author"):
        if not _matches(declared.get(key), _TEXT):
            yield f"{key} is missing (text of 1 to 200 characters)"
    yield from (
        f"{key} is not true or false"
        for key in ("network", "hosted")
        if not isinstance(declared.get(key, False), bool | None)
    )
    for key, (pattern, message) in _LISTS.items():
        if not _is_list(declared.get(key), pattern) and not (key == "options" and declared.get(key) is True):
            yield f"{key} {message}"
    if declared.get("backend") and not _matches(declared["backend"], _SLUG):
        yield 'backend is not 1 to 80 of a-z, 0-9 and "-"'
    if not _are_assets(declared.get("assets") or {}):
        yield "assets is not an object of absolute paths by name"
    if refused := refused_variable(_variables(declared.get("environment"))):
        yield f"{refused} is refused: variables of benchsite are never passed to measured programs"


def _matches(value: object, pattern: re.Pattern[str]) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def _is_list(value: object, pattern: re.Pattern[str]) -> bool:
    if value is None:
        return True
    return isinstance(value, list) and all(_matches(one, pattern) for one in value)


def _are_assets(value: object) -> bool:
    return isinstance(value, dict) and all(
        _matches(name, _TEXT) and isinstance(path, str) and PurePath(path).is_absolute()
        for name, path in value.items()
    )


def read(declared: Mapping[str, Any]) -> Declaration:
    """Return a declaration that has no `problem`."""
    hosts = tuple(dict.fromkeys(declared.get("hosts") or ()))
    options = declared.get("options")
    return Declaration(
        name=declared["name"],
        version=declared.get("version") or "" if not declared.get("distributions") else "",
        author=declared["author"],
        network=declared.get("network") is True or bool(hosts),
        hosts=hosts,
        hosted=declared.get("hosted") is True,
        environment=_variables(declared.get("environment")),
        distributions=tuple(dict.fromkeys(declared.get("distributions") or ())),
        assets=dict(declared.get("assets") or {}),
        backend=declared.get("backend") or "",
        options=None if options is True else tuple(options or ()),
    )


def wanted(declared: Mapping[str, Any], held: Grant) -> Grant:
    """Return what a program asks for, as far as it can be read before it is checked, with the memory that it has."""
    hosts = declared.get("hosts") if _is_list(declared.get("hosts"), _HOST) else None
    return replace(
        held,
        network=declared.get("network") is True and not hosts,
        hosts=tuple(dict.fromkeys(hosts or ())),
        environment=_variables(declared.get("environment")),
    )


def missing(asked: Grant, granted: Grant) -> Grant:
    """Return what is asked for and not granted; `NOTHING` if all is granted."""
    return Grant(
        network=asked.network and not granted.network,
        hosts=() if granted.network else tuple(name for name in asked.hosts if name not in granted.hosts),
        environment=tuple(name for name in asked.environment if name not in granted.environment),
    )


def refused_variable(names: tuple[str, ...]) -> str:
    """Return the first of these variables that no grant covers; empty if there is none."""
    return next((name for name in names if name.upper().startswith("BENCHSITE_")), "")


def _variables(value: object) -> tuple[str, ...]:
    """Return names of environment variables as far as they are names, in order, each once."""
    if not isinstance(value, list | tuple):
        return ()
    return tuple(dict.fromkeys(name for name in value if isinstance(name, str) and _VARIABLE.fullmatch(name)))
