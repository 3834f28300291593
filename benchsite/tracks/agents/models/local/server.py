"""The server of local models: `xllamacpp`, in this process, over the protocol of the provider `openai`.

A server that runs is found by the file `server.json` in the folder of its model, so that processes of one experiment share
it. It ends with the process that started it.
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

from benchsite.errors import IntegrityError, PrerequisiteError
from benchsite.progress import Progress, silent
from benchsite.tracks.agents.models.local import store
from benchsite.tracks.agents.models.local.table import LocalModel

__all__ = ["CONTEXT", "find_or_start", "require_package", "running", "start"]

CONTEXT: Final = 4096
"""Tokens of one conversation by default."""
_STATE: Final = "server.json"
_STARTED: Final[list[Any]] = []
"""The servers of this process, which end when they are no longer referenced."""


def require_package() -> None:
    """Raise `PrerequisiteError` if the package of the server is not installed."""
    if find_spec("xllamacpp") is None:
        raise PrerequisiteError(
            "local models need the package xllamacpp", hint="run: pip install 'benchsite[local-model]'"
        )


def running(model: LocalModel) -> str | None:
    """Return the address of a server of this model, up to `/v1`; None if none answers."""
    try:
        state = json.loads((store.folder() / model.name / _STATE).read_bytes())
        address = state["address"]
        with build_opener(ProxyHandler({})).open(f"{address}/models", timeout=5) as response:
            served = [one["id"] for one in json.load(response)["data"]]
    except (OSError, URLError, ValueError, KeyError, TypeError):
        return None
    return address if state.get("sha256") == model.sha256 and model.name in served else None


def find_or_start(
    model: LocalModel, path: Path, *, slots: int = 1, threads: int = 1, context: int = CONTEXT
) -> str:
    """Return the address of a server of this model that runs, or of one that is started now."""
    with _alone(model):
        found = running(model)
        return found or start(model, path, slots=slots, threads=threads, context=context)


def start(
    model: LocalModel,
    path: Path,
    *,
    slots: int = 1,
    threads: int = 1,
    context: int = CONTEXT,
    port: int = 0,
    progress: Progress = silent,
) -> str:
    """Start a server in this process and return its address, up to `/v1`.

    Args:
        slots: conversations at the same time; only one gives the same answers to the same requests in the same order.
        threads: of the processor; more than one on shared cores is slower.
        context: tokens of each conversation.
        port: 0 for any free one.

    Raises:
        IntegrityError: the file is not the one that was added.
        PrerequisiteError: the package is missing, or the server does not start.
    """
    require_package()
    if not store.is_whole(path, model, progress):
        raise IntegrityError(
            f"model {model.name}: its file was changed (SHA-256 is not {model.sha256[:12]}…)",
            hint="remove it, then add or fetch it",
        )
    import xllamacpp  # noqa: PLC0415 - an optional package of 34 MB

    params = xllamacpp.CommonParams()
    _configure(params, model, path, (slots, threads, context, port))
    try:
        server = xllamacpp.Server(params)
    except (RuntimeError, ValueError, OSError) as error:
        raise PrerequisiteError(
            f"model {model.name}: its server does not start: {str(error)[:200]}",
            hint="try another --port, or less --context",
        ) from None
    _STARTED.append(server)
    address = f"{server.listening_address}/v1"
    state = store.folder() / model.name / _STATE
    with store.file_errors(state):
        partial = state.with_suffix(".partial")
        partial.write_text(json.dumps({"address": address, "sha256": model.sha256}))
        partial.replace(state)
    return address


def _configure(params: Any, model: LocalModel, path: Path, numbers: tuple[int, int, int, int]) -> None:
    slots, threads, context, port = numbers
    params.model.path, params.model_alias = str(path), {model.name}
    params.n_ctx, params.n_parallel = context * slots, slots
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.warmup = params.ui = False
    params.port, params.verbosity = port, 0


@contextmanager
def _alone(model: LocalModel) -> Iterator[None]:
    """Let one process at a time look for a server and start one."""
    lock = store.folder() / model.name / "server.lock"
    with store.file_errors(lock), lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
