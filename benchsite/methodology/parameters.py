"""`parameters.json`: the part of a methodology version that re-scoring reads, in Python and in the browser.

Strict JSON (`benchsite.canonical`) with the members `track`, `version`, `engine` and `parameters`. The browser reads the
same file by the same rules (`theme/verify/methodology.js`). No other file of a version changes a number.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Field, ValidationError

from benchsite import canonical
from benchsite.canonical import JsonError
from benchsite.errors import InputError
from benchsite.schema import Schema, Semver, Slug, first_fault

__all__ = ["KEYS", "MAX_BYTES", "Parameters", "read"]

KEYS: Final = ("track", "version", "engine", "parameters")
MAX_BYTES: Final = 1 << 20


class Parameters(Schema):
    """The members of `parameters.json`: which engine scores under which version, and with what."""

    track: Slug
    version: Semver
    engine: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,79}/[0-9]{1,4}$")]
    parameters: dict[str, Any]


def read(data: bytes, where: str) -> Parameters:
    """Return the members of a `parameters.json`.

    Args:
        data: its bytes.
        where: the file, for messages.

    Raises:
        InputError: not strict JSON, not one object of exactly these members, or a member is malformed.
    """
    try:
        return Parameters.model_validate(canonical.loads(data, max_bytes=MAX_BYTES))
    except JsonError as error:
        raise InputError(f"{where}: {error.message}", hint=error.hint) from None
    except ValidationError as error:
        field, message = first_fault(error)
        raise InputError(
            f"{where}: {field}: {message}" if field else f"{where}: {message}",
            hint="its members are track, version, engine and parameters",
        ) from None
