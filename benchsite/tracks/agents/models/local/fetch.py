"""Download of a pinned model's file from its publisher: resumed after an interruption, and compared with its SHA-256.

The hub's address is `HF_ENDPOINT`, by default that of Hugging Face. Until its hash is compared, the file has the ending
`.partial`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import Final
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from benchsite.errors import IntegrityError, PrerequisiteError
from benchsite.progress import Progress, silent
from benchsite.tracks.agents.models.local import store
from benchsite.tracks.agents.models.local.table import LocalModel, pinned

__all__ = ["HUB", "fetch"]

HUB: Final = "https://huggingface.co"
_BLOCK: Final = 1 << 20
_SILENCE_S: Final = 60
_MEGABYTE: Final = 1_000_000


def fetch(name: str, progress: Progress = silent) -> LocalModel:
    """Download a model of the table into the cache folder, or what is missing of it.

    Raises:
        UsageError: the table has no such model.
        PrerequisiteError: the hub does not answer or the connection ends early; the next call goes on from there.
        IntegrityError: the hub's file is not the pinned one; what was downloaded is removed.
    """
    model = pinned(name)
    path = store.folder() / model.name / model.file
    if store.is_whole(path, model, progress):
        store.keep(model)
        return model
    partial = path.with_name(f"{path.name}.partial")
    with store.file_errors(partial):
        partial.parent.mkdir(parents=True, exist_ok=True)
        partial.touch()
        if partial.stat().st_size < model.size:
            _download(model, partial, progress)
    if not store.is_whole(partial, model, progress):
        partial.unlink()
        raise IntegrityError(
            f"model {name}: the downloaded file is not the pinned one (SHA-256 {model.sha256[:12]}…)",
            hint="the publisher may have replaced it: use the file that you have with `benchsite model add FILE`",
        )
    partial.replace(path)
    store.keep(model)
    return model


def _download(model: LocalModel, partial: Path, progress: Progress) -> None:
    done = partial.stat().st_size
    with _network_errors(model), _opened(model, done) as response:
        if response.status != 206:  # the whole file, whatever was asked for
            done = 0
        with partial.open("r+b") as file:
            file.truncate(done)
            file.seek(done)
            while done < model.size and (block := response.read(min(_BLOCK, model.size - done))):
                file.write(block)
                done += len(block)
                progress(done // _MEGABYTE, model.size // _MEGABYTE, f"downloading {model.name} (MB)")
    if done < model.size:
        raise PrerequisiteError(
            f"model {model.name}: the connection ended after {done:,} of {model.size:,} bytes",
            hint=f"run `benchsite model fetch {model.name}`: it goes on from there",
        )


def _opened(model: LocalModel, start: int) -> HTTPResponse:
    hub = os.environ.get("HF_ENDPOINT", "").rstrip("/") or HUB
    if not hub.startswith(("http://", "https://")):
        raise PrerequisiteError("HF_ENDPOINT is not an http address", hint=f"unset it to use {HUB}")
    headers = {"Range": f"bytes={start}-"} if start else {}
    request = Request(f"{hub}/{model.address}/{model.file}", headers=headers)  # noqa: S310 - http, see above
    found: HTTPResponse = urlopen(request, timeout=_SILENCE_S)  # noqa: S310
    return found


@contextmanager
def _network_errors(model: LocalModel) -> Iterator[None]:
    try:
        yield
    except HTTPError as error:
        reason = f"status {error.code}"
    except URLError as error:
        reason = str(error.reason)
    except (HTTPException, ConnectionError, TimeoutError) as error:
        reason = str(error) or type(error).__name__
    else:
        return
    raise PrerequisiteError(
        f"model {model.name}: the hub does not answer: {reason}",
        hint=f"check the network, then run `benchsite model fetch {model.name}`: it goes on from there",
    ) from None
