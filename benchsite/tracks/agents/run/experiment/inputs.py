"""The files that a request names and that travel to workers: scripts, recordings, price tables.

Refuses a request that only this machine can carry out: one that asks a person, or that appends to a recording. A model that a
worker has itself, such as one of the provider `local`, is pinned by its digest and does not travel.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from benchsite.errors import InputError, UsageError
from benchsite.track import Work

__all__ = ["files", "relocated", "require_portable"]

LARGEST: Final = 256 * 1024 * 1024
_PROVIDERS: Final = ("simulated", "replay")
_PLACES: Final = ("prices", "replay")


def require_portable(work: Work) -> None:
    """Raise `UsageError` if the executor is `dask` and units cannot be carried out on another machine."""
    how = work.request.get("experiment", {})
    if how.get("executor") != "dask":
        return
    if "ask" in work.request.get("policies", {}).values():
        raise UsageError(
            "a tool policy `ask` needs a person at this terminal, and the executor is dask",
            hint="use --executor inline, or another policy",
        )
    if how.get("record"):
        raise UsageError(
            "--record cannot be combined with --executor dask",
            hint="use --executor processes to record completions",
        )


def files(work: Work) -> dict[str, bytes]:
    """Return the content of each file that travels, by its path in the request.

    Raises:
        InputError: a file is too large to travel.
    """
    found: dict[str, bytes] = {}
    for name in dict.fromkeys(_named(work)):
        if Path(name).stat().st_size > LARGEST:
            raise InputError(f"{name}: more than {LARGEST:,} bytes", hint="use --executor processes")
        found[name] = Path(name).read_bytes()
    return found


def _named(work: Work) -> Iterator[str]:
    how = work.request.get("experiment", {})
    yield from (how[name] for name in _PLACES if how.get(name))
    for specs in (work.request["models"], how.get("models", {})):
        for spec in specs.values():
            provider, _, text = _text(spec).partition(":")
            path = text.partition("#")[0]
            if provider in _PROVIDERS and path and Path(path).is_file():
                yield path


def _text(spec: Any) -> str:
    return spec if isinstance(spec, str) else f"{spec.get('provider', '')}:{spec.get('model', '')}"


def relocated(work: Work, paths: Mapping[str, str]) -> Work:
    """Return the work with other paths of its files, carried out in the process that has it."""
    how = dict(work.request.get("experiment", {}))
    for name in _PLACES:
        if how.get(name):
            how[name] = paths[how[name]]
    how |= {"executor": "inline", "scheduler": "", "models": _moved(how.get("models", {}), paths)}
    request = {**work.request, "models": _moved(work.request["models"], paths), "experiment": how}
    return replace(work, request=request)


def _moved(specs: Mapping[str, Any], paths: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for role, spec in specs.items():
        provider, _, text = _text(spec).partition(":")
        path, hash_, name = text.partition("#")
        if provider not in _PROVIDERS or path not in paths:
            found[role] = spec
        elif isinstance(spec, str):
            found[role] = f"{provider}:{paths[path]}{hash_}{name}"
        else:
            found[role] = {**spec, "model": f"{paths[path]}{hash_}{name}"}
    return found
