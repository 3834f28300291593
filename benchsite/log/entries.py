"""What a log entry may say: one frozen model a type, and the exact bytes each of them has.

Owns the entry types of specs/log.md, "What is kept in git", and the rule that an entry's bytes are the RFC 8785
serialisation of its object: `encode_entry(decode_entry(data)) == data` for everything `decode_entry` accepts.

Refuses unknown types and fields, null for an absent field, any serialisation but the canonical one, and entries
above 65,535 bytes (the limit of tlog-tiles entry bundles).

What specs/log.md leaves open and this module fixes: public keys and signatures of key events are base64url
without padding; `frozenRoot` is standard base64 as in checkpoints; `intent.target` is the fixture or benchmark
id and `intent.methodology` its version; a key event about any key carries that key whole, so that each event can
be read on its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Final, Literal, Self, get_args

from pydantic import Field, StringConstraints, ValidationError, model_validator

from benchsite import canonical
from benchsite.canonical import Json, JsonError
from benchsite.errors import InputError
from benchsite.layout import receipt_path
from benchsite.log.checkpoint import MAX_ORIGIN, MAX_SIZE, ORIGIN
from benchsite.log.errors import LogError
from benchsite.log.sentences import said
from benchsite.schema import (
    UTC_SECONDS,
    Base64Hash,
    Base64Url64,
    Fingerprint,
    Schema,
    Seen,
    Semver,
    Sha256Hex,
    Slug,
    Uuid4,
    first_fault,
)
from benchsite.signing import Role
from benchsite.words import quoted

MAX_ENTRY_BYTES: Final = 65_535
_FIELDS: Final = "correct that field of the entry, then log it"

Index = Annotated[int, Field(ge=0, le=MAX_SIZE)]
Origin = Annotated[str, StringConstraints(pattern=ORIGIN, max_length=MAX_ORIGIN)]
# One line of prose: no C0, DEL or C1 controls, and no line or paragraph separators.
Prose = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]{1,2000}$")]
# Only the characters RFC 3986 allows in a URL; `pipeline.publish.events` asks for more before it logs one.
Url = Annotated[
    str, StringConstraints(pattern=r"^https?://[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]+$", max_length=2000)
]
# When a receipt is due: after this many entries, or at a time that a witness's cosignature shows to have passed.
Due = Annotated[str, StringConstraints(pattern=f"^([1-9][0-9]{{0,15}}|{UTC_SECONDS.strip('^$')})$")]
PublicKey = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{43}$")]


class ReceiptEntry(Schema):
    """A receipt file was published; `size` and `sha256` are of its bytes."""

    v: Literal[1] = 1
    type: Literal["receipt"] = "receipt"
    path: Annotated[str, Field(max_length=100)]
    sha256: Sha256Hex
    size: Annotated[int, Field(ge=1, le=canonical.MAX_BYTES)]

    @property
    def receipt_id(self) -> str:
        """The id that the path is derived from."""
        return self.path[-41:-5]

    @model_validator(mode="after")
    def _derived_path(self) -> Self:
        if not _UUID4.fullmatch(self.receipt_id) or self.path != receipt_path(self.receipt_id):
            raise ValueError(said("entry-path"))
        return self


class MethodologyEntry(Schema):
    """A methodology version was used for the first time and cannot change any more."""

    v: Literal[1] = 1
    type: Literal["methodology"] = "methodology"
    track: Slug
    version: Semver
    sha256: Sha256Hex


class FixtureEntry(Schema):
    """A fixture was used for the first time and cannot change any more."""

    v: Literal[1] = 1
    type: Literal["fixture"] = "fixture"
    id: Slug
    sha256: Sha256Hex


class IntentEntry(Schema):
    """A run was announced before it began; after `dueBy` it is overdue where no receipt reports it."""

    v: Literal[1] = 1
    type: Literal["intent"] = "intent"
    intent_id: Uuid4
    track: Slug
    subject_sha256: Sha256Hex
    config_sha256: Sha256Hex
    target: Slug
    methodology: Semver
    seed: Index
    due_by: Due | None = None


class DeclineEntry(Schema):
    """A subject is not measured on a target, for a stated reason; listed, and no demerit."""

    v: Literal[1] = 1
    type: Literal["decline"] = "decline"
    track: Slug
    subject: Seen
    target: Slug
    reason: Prose


class RetractEntry(Schema):
    """A receipt is withdrawn; its file and its page stay."""

    v: Literal[1] = 1
    type: Literal["retract"] = "retract"
    receipt_id: Uuid4
    reason: Prose


class SupersedeEntry(Schema):
    """A later receipt takes an earlier one's place."""

    v: Literal[1] = 1
    type: Literal["supersede"] = "supersede"
    receipt_id: Uuid4
    by: Uuid4


class DisputeEntry(Schema):
    """Somebody contests a receipt; the objection is at the URL."""

    v: Literal[1] = 1
    type: Literal["dispute"] = "dispute"
    receipt_id: Uuid4
    url: Url


class WithdrawEvidenceEntry(Schema):
    """Evidence may vanish (personal data, a leaked token, copyright); receipts that pin it stay."""

    v: Literal[1] = 1
    type: Literal["withdraw-evidence"] = "withdraw-evidence"
    sha256: Sha256Hex
    reason: Prose


class _KeyEvent(Schema):
    v: Literal[1] = 1
    origin: Origin
    seq: Index
    role: Role
    fingerprint: Fingerprint
    public_key: PublicKey
    reason: Prose | None = None
    root_fingerprint: Fingerprint
    root_signature: Base64Url64


class KeyAdd(_KeyEvent):
    """A key enters service at this entry's index."""

    type: Literal["key-add"] = "key-add"


class KeyRetire(_KeyEvent):
    """A key leaves service at this entry's index, in good standing."""

    type: Literal["key-retire"] = "key-retire"


class KeyCompromise(_KeyEvent):
    """A key is in other hands: what it signed from a point on no longer counts.

    A receipt key names `trustedBelowIndex`; a log key names the last honest tree, `frozenSize` and `frozenRoot`;
    a root key names neither.
    """

    type: Literal["key-compromise"] = "key-compromise"
    trusted_below_index: Index | None = None
    frozen_size: Index | None = None
    frozen_root: Base64Hash | None = None

    @model_validator(mode="after")
    def _limit_of_role(self) -> Self:
        given = (
            self.trusted_below_index is not None,
            self.frozen_size is not None,
            self.frozen_root is not None,
        )
        if given != (self.role == "receipt", self.role == "log", self.role == "log"):
            raise ValueError(said("entry-limit"))
        return self


KeyEvent = KeyAdd | KeyRetire | KeyCompromise
ReceiptEvent = RetractEntry | SupersedeEntry | DisputeEntry
Entry = (
    ReceiptEntry
    | MethodologyEntry
    | FixtureEntry
    | IntentEntry
    | DeclineEntry
    | ReceiptEvent
    | WithdrawEvidenceEntry
    | KeyEvent
)

ENTRY_TYPES: Mapping[str, type[Entry]] = MappingProxyType(
    {model.model_fields["type"].default: model for model in get_args(Entry)}
)

_UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


def _receipt_line(sha256: str, size: str) -> str:
    """The canonical text of a receipt entry whose size is below a million: group 2 is the id, the patterns are given."""
    return (
        r'\{"path":"results/published/([0-9a-f]{2})/'
        r"(\1[0-9a-f]{6}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})\.json"
        rf'","sha256":"{sha256}","size":{size},"type":"receipt","v":1\}}'
    )


# Receipts are read without a JSON parser: a log of 100,000 opens in a moment only this way. Anything that these do not
# match takes the long road.
_RECEIPT = re.compile(_receipt_line("([0-9a-f]{64})", "([1-9][0-9]{0,5})").encode())
_LINE = re.compile(f"(?:{_receipt_line('[0-9a-f]{64}', '[1-9][0-9]{0,5}')}|[^\n]*)\n")


def encode_entry(entry: Entry) -> bytes:
    """The canonical bytes of an entry: what the log holds and what the leaf hash covers, without a newline.

    The limits of the fields keep every type far below `MAX_ENTRY_BYTES`.
    """
    return canonical.dumps(entry.model_dump(by_alias=True, exclude_none=True))


def decode_entry(data: bytes) -> Entry:
    """Read one entry's bytes; the exact inverse of `encode_entry`. Raises LogError naming the field."""
    if match := _RECEIPT.fullmatch(data):
        return ReceiptEntry.model_construct(
            v=1,
            type="receipt",
            path=receipt_path(match[2].decode()),
            sha256=match[3].decode(),
            size=int(match[4]),
        )
    return _decode_any(data)


def receipt_ids(entries: Sequence[bytes]) -> list[str]:
    """The ids of many receipt entries at once; empty for every entry that only `decode_entry` can read or refuse.

    An id that is not empty is that of a well formed receipt entry, as `decode_entry` would have it.
    """
    # Latin-1 gives each byte a character, so that nothing is lost or merged whatever the entry is.
    lines = _LINE.findall((b"\n".join(entries) + b"\n").decode("latin-1"))
    if len(lines) != len(entries):  # a newline within an entry, which no segment holds
        return [""] * len(entries)
    return [receipt_id for _, receipt_id in lines]


def validate_entry(value: Json) -> Entry:
    """The entry that a parsed object or a caller's fields state. Raises InputError naming the type and the field."""
    if not isinstance(value, Mapping):
        raise InputError(said("entry-object"), hint=_FIELDS)
    kind = value.get("type")
    model = ENTRY_TYPES.get(kind) if isinstance(kind, str) else None
    if model is None:
        why = said("entry-type", type=quoted(kind, 40)) if isinstance(kind, str) else said("entry-untyped")
        raise InputError(why, hint=f"known: {', '.join(sorted(ENTRY_TYPES))}")
    if type(value.get("v")) is not int or value["v"] != 1:
        raise InputError(said("entry-version", type=str(kind)), hint=_FIELDS)
    try:
        return model.model_validate(value)
    except ValidationError as error:
        field, message = first_fault(error)
        raise InputError(f"log entry: {kind}: {field or 'fields'}: {message}", hint=_FIELDS) from None


def _decode_any(data: bytes) -> Entry:
    if len(data) > MAX_ENTRY_BYTES:
        raise LogError(said("entry-large", count=len(data), most=MAX_ENTRY_BYTES))
    try:
        entry = validate_entry(canonical.loads(data))
    except JsonError as error:
        raise LogError(f"log entry: {error.message}") from None
    except InputError as error:
        raise LogError(error.message) from None
    if encode_entry(entry) != data:
        raise LogError(said("entry-canonical", type=entry.type))
    return entry
