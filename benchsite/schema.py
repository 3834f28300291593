"""The pattern-checked strings and the model base that every published schema is built from.

Identifiers, times and hashes stay `str`: a schema checks their shape and never turns them into something
that would serialise differently. Shapes follow DESIGN.md, "Hashes of other documents".
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints
from pydantic.alias_generators import to_camel


class Schema(BaseModel):
    """Base of every published model: immutable, strict, closed, camelCase on the outside."""

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="forbid",
        alias_generator=to_camel,
        validate_by_alias=True,
        validate_by_name=False,
        allow_inf_nan=False,
    )


SLUG = r"^[a-z0-9][a-z0-9-]{0,79}$"
SEMVER = r"^(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})$"
UUID4 = r"^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"
HEX64 = r"^[0-9a-f]{64}$"
UTC_SECONDS = r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$"
FINGERPRINT = r"^sha256:[0-9a-f]{64}$"
PRINTABLE = r"^[^\x00-\x1f\x7f-\x9f]{1,200}$"

Slug = Annotated[str, StringConstraints(pattern=SLUG)]
Semver = Annotated[str, StringConstraints(pattern=SEMVER)]
Uuid4 = Annotated[str, StringConstraints(pattern=UUID4)]
Sha256Hex = Annotated[str, StringConstraints(pattern=HEX64)]
UtcSeconds = Annotated[str, StringConstraints(pattern=UTC_SECONDS)]
Fingerprint = Annotated[str, StringConstraints(pattern=FINGERPRINT)]
Base64Url64 = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{86}$")]
Base64Hash = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9+/]{43}=$")]
Text = Annotated[str, StringConstraints(pattern=PRINTABLE)]
GitCommit = Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})$")]
