"""The files of local models in the user's cache folder, each with a record of its name, size, SHA-256 and license.

    $XDG_CACHE_HOME/benchsite/models/<name>/<file>
    $XDG_CACHE_HOME/benchsite/models/<name>/model.json

A file is hashed when it is added, and before it is served. Lists compare its size alone.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field, ValidationError

from benchsite import canonical
from benchsite.canonical import Json, JsonError
from benchsite.errors import InputError, IntegrityError, PrerequisiteError, UsageError
from benchsite.progress import Progress, silent
from benchsite.schema import Schema, Sha256Hex, Text, first_fault
from benchsite.tracks.agents.models.local.table import PINNED, LocalModel

__all__ = ["add", "file_errors", "folder", "installed", "installed_file", "is_whole", "keep", "sha256_of"]

_RECORD: Final = "model.json"
_BLOCK: Final = 1 << 22
_MEGABYTE: Final = 1_000_000
NAME: Final = r"^[a-z0-9][a-z0-9.-]{0,79}$"


class _Record(Schema):
    """What `model.json` says of the file beside it."""

    name: Annotated[str, Field(pattern=NAME)]
    file: Text
    size: Annotated[int, Field(ge=1)]
    sha256: Sha256Hex
    license: Text
    address: str


def folder() -> Path:
    """Return the folder of all models, which may not exist yet."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    cache = Path(given) if given.startswith("/") else Path.home() / ".cache"
    return cache / "benchsite" / "models"


def installed() -> Iterator[LocalModel]:
    """Yield the models whose files are in the cache folder, by name; a damaged record is passed over."""
    for path in sorted(folder().glob(f"*/{_RECORD}")):
        try:
            record = _Record.model_validate(canonical.loads(path.read_bytes()))
        except (OSError, JsonError, ValidationError):
            continue
        if record.name == path.parent.name and _size(path.parent / record.file) == record.size:
            yield LocalModel(**record.model_dump())


def installed_file(name: str) -> tuple[LocalModel, Path]:
    """Return a model that is in the cache folder, and the path of its file.

    Raises:
        UsageError: neither the table nor the cache folder has this name.
        PrerequisiteError: the file is not in the cache folder.
    """
    found = {model.name: model for model in installed()}
    if name in found:
        return found[name], folder() / name / found[name].file
    if name not in PINNED:
        known = ", ".join(sorted({*PINNED, *found}))
        raise UsageError(f"no local model named {name!r}", hint=f"available: {known}")
    raise PrerequisiteError(
        f"model {name}: its file is not on this machine",
        hint=f"run `benchsite model fetch {name}`, or `benchsite model add FILE` if you have it",
    )


def add(path: Path, name: str = "", license_name: str = "", progress: Progress = silent) -> LocalModel:
    """Copy a file into the cache folder, after its hash was compared with the table.

    Args:
        name: of a model that the table does not have.
        license_name: the license of such a model.

    Raises:
        InputError: the file cannot be read, or is not a GGUF file.
        IntegrityError: the file is not the one that the table pins.
        UsageError: the table does not have it, and name or license is not given.
    """
    _require_gguf(path)
    sha256 = sha256_of(path, progress)
    model = next((one for one in PINNED.values() if one.sha256 == sha256), None) or _other(
        path, sha256, name, license_name
    )
    to = folder() / model.name / model.file
    if to.resolve() != path.resolve():
        with file_errors(to):
            to.parent.mkdir(parents=True, exist_ok=True)
            partial = to.with_name(f"{to.name}.partial")
            shutil.copyfile(path, partial)
            partial.replace(to)
    keep(model)
    return model


def _other(path: Path, sha256: str, name: str, license_name: str) -> LocalModel:
    """Return a model that the table does not have; raises if it claims to be one of the table's."""
    if name in PINNED or not name:
        expected = PINNED.get(name) or next((one for one in PINNED.values() if one.file == path.name), None)
        if expected is not None:
            raise IntegrityError(
                f"{path.name}: SHA-256 {sha256[:12]}…, expected {expected.sha256[:12]}… of {expected.name}",
                hint=f"run `benchsite model fetch {expected.name}`, or add the file under another --name",
            )
    if not name or not license_name:
        raise UsageError(
            f"{path.name}: not a known model (SHA-256 {sha256[:12]}…)",
            hint="add --name NAME --license LICENSE",
        )
    model = LocalModel(name, path.name, path.stat().st_size, sha256, license_name)
    try:
        _Record.model_validate(_record(model))
    except ValidationError as error:
        place, fault = first_fault(error)
        raise UsageError(
            f"model {name!r}: {place}: {fault}", hint="for example: --name my-model-7b"
        ) from None
    return model


def keep(model: LocalModel) -> None:
    """Write the record of a model whose file is in its folder."""
    path = folder() / model.name / _RECORD
    with file_errors(path):
        partial = path.with_suffix(".partial")
        partial.write_bytes(canonical.dumps(_record(model)))
        partial.replace(path)


def is_whole(path: Path, model: LocalModel, progress: Progress = silent) -> bool:
    """Whether a file has the size and the SHA-256 of a model."""
    return _size(path) == model.size and sha256_of(path, progress) == model.sha256


def sha256_of(path: Path, progress: Progress = silent) -> str:
    """Return the SHA-256 of a file, read in blocks."""
    digest, done = hashlib.sha256(), 0
    with file_errors(path), path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        while block := file.read(_BLOCK):
            digest.update(block)
            done += len(block)
            progress(done // _MEGABYTE, size // _MEGABYTE, f"hashing {path.name} (MB)")
    return digest.hexdigest()


def _record(model: LocalModel) -> dict[str, Json]:
    return {key: getattr(model, key) for key in _Record.model_fields}


def _require_gguf(path: Path) -> None:
    with file_errors(path), path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise InputError(f"{path.name}: not a GGUF file", hint="name the file of a model in GGUF format")


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


@contextmanager
def file_errors(path: Path) -> Iterator[None]:
    """Turn an error of the operating system into a sentence that names the file."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"{path}: {(error.strerror or 'unknown error').lower()}",
            hint="check its permissions and free disk space",
        ) from None
