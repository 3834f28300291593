"""A receipt: bytes to a checked envelope and back, and which bytes its signature covers.

Parsing hashes and signs the parsed object, never a model dump, so no field can be lost on the way. The
track's own keys are handed on untouched. Receipts of an unknown schema raise `UnsupportedSchema`, and files that
name none of ours `UnclaimedSchema`: "cannot be checked here" is not "invalid". Refused: a receipt that names the
methodology of another track.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from pydantic import BaseModel, ValidationError

from benchsite import canonical
from benchsite.canonical.document import read_again, read_document
from benchsite.errors import IntegrityError, PrerequisiteError
from benchsite.receipt.envelope import FIELDS, Envelope, Signature, SignedEnvelope, names_its_rules
from benchsite.receipt.schema_0_0_1 import LegacyReceipt
from benchsite.receipt.sentences import said
from benchsite.schema import worded
from benchsite.words import quoted

__all__ = [
    "FIELDS",
    "LEGACY_VERSION",
    "SCHEMA_VERSION",
    "UNNAMED",
    "Document",
    "Envelope",
    "Receipt",
    "ReceiptError",
    "Signature",
    "UnclaimedSchema",
    "UnsupportedSchema",
    "absent_track",
    "check_body",
    "compose",
    "envelope_schema",
    "legacy_schema",
    "parse",
    "parse_draft",
    "seal",
]

SCHEMA_VERSION = "1.0.0"
LEGACY_VERSION = "0.0.1"
UNNAMED = "retrieval"
"""The track of documents that name none: receipts of schema 0.0.1, and fixtures. There was no other."""
_COMPOSED = "correct the option or the input that this field comes from, then re-run it"

Document = Mapping[str, Any]


class ReceiptError(IntegrityError):
    """A receipt that is not what its schema says; `field` is the path of the offending value."""

    exit_code: ClassVar[int] = 3
    next_step = "a receipt is never edited: fetch the published file, or re-run the benchmark"

    def __init__(self, message: str, *, field: str = "", hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.field = field


class UnsupportedSchema(PrerequisiteError):  # noqa: N818 - the verdict's own word
    """A schema this version does not know: never shown as "invalid"."""

    next_step = "update benchsite: a newer release may support it"


class UnclaimedSchema(UnsupportedSchema):
    """A JSON object that names none of our schemas, such as another benchmark's receipt."""

    next_step = "the project that published the file can say what checks it"


@dataclass(frozen=True, slots=True)
class Receipt:
    """A parsed receipt or draft.

    Attributes:
        document: the parsed JSON object, every field, as it was read.
        data: its JCS bytes.
        schema: `1.0.0` or `0.0.1`.
        is_canonical: whether the bytes read were `data` already.
    """

    document: Document
    data: bytes
    schema: str
    is_canonical: bool

    @property
    def receipt_id(self) -> str:
        """The uuid4 that names it."""
        return str(self.document["receiptId"])

    @property
    def track(self) -> str:
        """The track; schema 0.0.1 knew only retrieval."""
        return str(self.document.get("track", UNNAMED))

    @property
    def signature(self) -> Mapping[str, str] | None:
        """The signature member, if signed."""
        return cast("Mapping[str, str] | None", self.document.get("signature"))

    @property
    def fingerprint(self) -> str:
        """`sha256:<hex>` of the key the signature names, empty for a draft."""
        return self.signature["publicKeyFingerprint"] if self.signature else ""

    def signed_bytes(self) -> bytes:
        """JCS of the receipt without its top-level `signature`: what the signature covers."""
        return canonical.without(self.document, self.data, "signature")

    def file_bytes(self) -> bytes:
        """JCS of the whole receipt: the only form `results/published/` holds."""
        return self.data


def parse(data: bytes) -> Receipt:
    """Read a signed receipt of any known schema.

    Raises:
        benchsite.canonical.JsonError: the bytes are not strict JSON (byte offset in the error).
        ReceiptError: the object breaks its schema (field in the error).
        UnsupportedSchema: the schema version is not one this release knows.
    """
    return _parse(data, SignedEnvelope)


def parse_draft(data: bytes) -> Receipt:
    """Read an unsigned draft of the current schema; raises as `parse` does."""
    return _parse(data, Envelope)


def compose(document: Document) -> Receipt:
    """Check a draft built in memory and hold it as `parse_draft` would have read it; raises `ReceiptError`."""
    try:
        _check(document, Envelope)
    except ReceiptError as error:
        raise ReceiptError(error.message, field=error.field, hint=_COMPOSED) from None
    return Receipt(document, canonical.dumps(document), SCHEMA_VERSION, is_canonical=True)


def seal(draft: Receipt, *, fingerprint: str, value: str) -> Receipt:
    """The draft with its signature; the caller has signed `draft.signed_bytes()`."""
    signature = {"algorithm": "Ed25519", "publicKeyFingerprint": fingerprint, "value": value}
    document = {**draft.document, "signature": signature}
    _check(document, SignedEnvelope)
    return Receipt(document, canonical.dumps(document), draft.schema, is_canonical=True)


def envelope_schema() -> dict[str, Any]:
    """JSON Schema of the shared fields of schema 1.0.0; a track adds its own `properties`."""
    return SignedEnvelope.model_json_schema(by_alias=True)


def _parse(data: bytes, model: type[Envelope]) -> Receipt:
    read = read_document(data)
    # Members in canonical order, so that every engine meets the same fault first.
    document = read.value if read.is_canonical else read_again(read.data)
    if not isinstance(document, dict):
        raise ReceiptError(said("not-an-object"), field="$")
    version = document.get("schemaVersion")
    if version is None and "perQuery" in document and "benchVersion" in document:
        _validate(LegacyReceipt, document)
        schema = LEGACY_VERSION
    else:
        if version != SCHEMA_VERSION and (model is SignedEnvelope or isinstance(version, str)):
            raise _unsupported(version)
        _check(document, model)
        schema = SCHEMA_VERSION
    return Receipt(document, read.data, schema, read.is_canonical)


def _unsupported(version: object) -> UnsupportedSchema:
    if isinstance(version, str):
        return UnsupportedSchema(said("schema-unknown", schema=quoted(version)))
    return UnclaimedSchema(said("schema-unnamed"))


def legacy_schema() -> dict[str, Any]:
    """JSON Schema of receipts of schema 0.0.1, which are read and never written."""
    return LegacyReceipt.model_json_schema(by_alias=True)


def absent_track(name: str) -> UnsupportedSchema:
    """A receipt of a track that this installation lacks."""
    return UnsupportedSchema(said("no-track", track=name), hint="install the package of the track")


def _check(document: Document, model: type[Envelope]) -> None:
    """Validate the shared fields; a draft may not carry a signature, whatever its track allows."""
    known = {key: value for key, value in document.items() if key in FIELDS}
    _validate(model, known)
    if not names_its_rules(known):
        track, rules = known["track"], known["methodology"]["id"]
        raise ReceiptError(
            said("other-methodology", track=track, other=rules),
            field="methodology.id",
            hint=f"re-run it: `benchsite run {track}` writes the right one",
        )


def _validate(model: type[BaseModel], document: Document, *, prefix: str = "") -> None:
    try:
        model.model_validate(document)
    except ValidationError as error:
        raise _field_error(error, prefix=prefix) from None


def check_body(document: Document, payload: type[BaseModel], config: type[BaseModel]) -> None:
    """Hold a receipt's own keys against its track's models: `payload` for those beside the envelope, and `config`.

    Raises:
        ReceiptError: a field breaks its schema; the field is named.
    """
    _validate(payload, {key: value for key, value in document.items() if key not in FIELDS})
    _validate(config, document["config"], prefix="config")


def _field_error(error: ValidationError, *, prefix: str = "") -> ReceiptError:
    """The first fault of a schema check as one sentence that names the field, never echoing long values."""
    first = error.errors(include_url=False, include_input=False)[0]
    path = prefix + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"])
    path = path.lstrip(".") or "$"
    return ReceiptError(f"field {path}: {worded(first)}", field=path)
