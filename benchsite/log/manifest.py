"""`keys/manifest.json`: the keyring as a file, for readers who do not replay the log (specs/log.md, "Keys").

Owns the file's exact bytes, which are the RFC 8785 serialisation of a list in the order the keys were added,
without a newline. It is a copy for convenience: checks compare it byte for byte with a replay and never trust it.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.layout import MANIFEST_PATH, RECEIPT_KEY, key_path
from benchsite.log.entries import Index
from benchsite.log.errors import LogError
from benchsite.schema import Fingerprint, Schema, first_fault
from benchsite.signing import Keyring, Role, State, public_pem


class ManifestRow(Schema):
    """One key: where its window opens and closes in the log (None: still open), and a compromise's limit."""

    fingerprint: Fingerprint
    role: Role
    state: State
    from_index: Index
    to_index: Index | None
    trusted_below_index: Index | None


_ROWS: TypeAdapter[tuple[ManifestRow, ...]] = TypeAdapter(
    Annotated[tuple[ManifestRow, ...], Field(strict=False, fail_fast=True)]
)


def manifest_rows(keyring: Keyring) -> tuple[ManifestRow, ...]:
    """The rows that a keyring has in the manifest."""
    return tuple(
        ManifestRow(
            fingerprint=record.fingerprint,
            role=record.role,
            state=record.state,
            fromIndex=record.from_index,
            toIndex=record.to_index,
            trustedBelowIndex=record.trusted_below_index,
        )
        for record in keyring
    )


def manifest(keyring: Keyring) -> bytes:
    """The file's bytes."""
    return canonical.dumps(_ROWS.dump_python(manifest_rows(keyring), by_alias=True, mode="json"))


def parse_manifest(data: bytes) -> tuple[ManifestRow, ...]:
    """The exact inverse of `manifest`, as far as the file goes. Raises LogError naming the row and field."""
    try:
        value = canonical.loads(data)
        rows = _ROWS.validate_python(value)
    except InputError as error:
        raise LogError(f"{MANIFEST_PATH}: {error.message}") from None
    except ValidationError as error:
        place, message = first_fault(error)
        raise LogError(f"{MANIFEST_PATH}: {place or 'file'}: {message}") from None
    if canonical.dumps(value) != data:
        raise LogError(f"{MANIFEST_PATH}: not in canonical form")
    return rows


def key_files(keyring: Keyring) -> dict[str, bytes]:
    """`keys/` as the log's events say it must be: one PEM a key, the receipt key in force, the manifest."""
    files = {key_path(record.fingerprint): public_pem(record.public_key).encode() for record in keyring}
    current = keyring.in_force("receipt")
    if current is not None:
        files[RECEIPT_KEY] = public_pem(current.public_key).encode()
    files[MANIFEST_PATH] = manifest(keyring)
    return files
