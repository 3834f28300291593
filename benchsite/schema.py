"""The pattern-checked strings and the model base that every published schema is built from.

Identifiers, times and hashes stay `str`: a schema checks their shape and never turns them into something
that would serialise differently. Shapes follow DESIGN.md, "Hashes of other documents".

Validation is bounded by construction. A small file can hold hundreds of thousands of faults, and pydantic would
collect a report of each: of a list or dictionary the first fault is named (in a `Form` the first hundred), of
members that a schema does not know the first twenty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Annotated, Any, Final, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    GetCoreSchemaHandler,
    StringConstraints,
    ValidationError,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema, ErrorDetails, InitErrorDetails, PydanticCustomError, core_schema

from benchsite.sentences import said
from benchsite.unseen import is_blank

MOST_FAULTS: Final = 100
"""Faults that are reported of one list or dictionary of a `Form`, with those of its last faulty entry."""

MOST_UNKNOWN: Final = 20
"""Unknown members of one object that are reported."""

_COLLECTIONS: Final = frozenset({"list", "tuple", "set", "frozenset", "dict"})
_PARTS: Final = frozenset(
    {"schema", "items_schema", "keys_schema", "values_schema", "choices", "steps", "definitions"}
)
"""Where a core schema holds others, of the kinds that our models use; `tests/test_schema.py` knows if one is missed."""


def collections_of(schema: Any, *, top: bool = True) -> Iterator[dict[str, Any]]:
    """The lists and dictionaries in a model's core schema, without those of models inside it."""
    if isinstance(schema, (list, tuple)):
        for part in schema:
            yield from collections_of(part, top=top)
    elif isinstance(schema, dict):
        kind = schema["type"]
        if kind == "model" and not top:
            return
        if kind in _COLLECTIONS:
            yield schema
        for key, part in schema.items():
            if key == "fields":  # of a model, by their names
                yield from collections_of(list(part.values()), top=False)
            elif key in _PARTS:
                yield from collections_of(part, top=top and kind != "model-fields")


def _first_faults(value: Any, handler: Callable[[Any], Any]) -> Any:
    """A collection whose first faulty entries are all reported; `handler` alone would stop at the first one."""
    try:
        return handler(value)
    except ValidationError as error:
        found = [_copied(fault) for fault in error.errors(include_url=False) if _is_too_short(fault, value)]
        for place, alone in _one_by_one(value):
            found += _faults_of(place, alone, handler)
            if len(found) >= MOST_FAULTS:
                break
        if not found:
            raise
    raise ValidationError.from_exception_data("collection", found)


def _one_by_one(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each entry's place, and a collection that holds it alone."""
    if isinstance(value, list):
        for place in range(len(value)):
            yield place, value[place : place + 1]
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield key, {key: entry}


def _faults_of(place: Any, alone: Any, handler: Callable[[Any], Any]) -> list[InitErrorDetails]:
    """What is wrong with one entry, under its own place; how many entries there are is another matter."""
    try:
        handler(alone)
    except ValidationError as error:
        return [_copied(fault, place) for fault in error.errors(include_url=False) if fault["loc"]]
    return []


def _is_too_short(fault: Any, value: Any) -> bool:
    """Whether entries are missing: pydantic counts good ones only, and stops counting at a faulty one."""
    return fault["type"] == "too_short" and not fault["loc"] and len(value) < fault["ctx"]["min_length"]


def _copied(fault: Any, *place: Any) -> InitErrorDetails:
    """A reported fault, to be reported again under another place."""
    context = fault.get("ctx", {})
    if fault["type"] == "too_short" and not fault["loc"]:
        context = {**context, "actual_length": len(fault["input"])}
    return {
        "type": _kind(fault),
        "loc": (*place, *fault["loc"][1:]),
        "input": fault["input"],
        "ctx": context,
    }


def _kind(fault: Any) -> str | PydanticCustomError:
    """A fault's type, as one that pydantic knows or as one of our own."""
    if fault["type"] in _KNOWN:
        return str(fault["type"])
    return PydanticCustomError(fault["type"], fault["msg"].replace("{", "{{").replace("}", "}}"))


_KNOWN: Final = frozenset(get_args(core_schema.ErrorType))


class Bounded(BaseModel):
    """A model that stops at its first faults, whatever collections its fields hold."""

    # A command validates few of the models that it imports.
    model_config = ConfigDict(defer_build=True)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """The schema that pydantic makes, each of its collections told to stop at the first fault."""
        schema = handler(source)
        for node in collections_of(schema):
            node["fail_fast"] = True
        return schema

    @model_validator(mode="before")
    @classmethod
    def _few_unknown(cls, value: Any) -> Any:
        """Of more members than there are fields, keep the known ones and the first unknown ones."""
        fields = cls.__pydantic_fields__
        if type(value) is not dict or len(value) <= len(fields):
            return value
        known = {field.alias or name for name, field in fields.items()}
        kept = known | set(islice((name for name in value if name not in known), MOST_UNKNOWN))
        return {name: held for name, held in value.items() if name in kept}


class Schema(Bounded):
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


class Form(Schema):
    """A schema of documents that people write: the first faulty entries of a list are all named."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """The bounded schema, each of its collections read again entry by entry where it is at fault."""
        schema = super().__get_pydantic_core_schema__(source, handler)
        for node in list(collections_of(schema)):
            inner = dict(node)
            node.clear()
            node.update(core_schema.no_info_wrap_validator_function(_first_faults, inner))
        return schema


def first_fault(error: ValidationError) -> tuple[str, str]:
    """Where the first fault of a document is, as `0.fromIndex`, and what it is, in words that quote nothing."""
    first = error.errors(include_url=False, include_input=False)[0]
    return ".".join(map(str, first["loc"])), worded(first)


def worded(fault: ErrorDetails) -> str:
    """A fault in the words that the browser has for it too; what a validator of ours raises is in its own."""
    name = _NAMES.get(fault["type"], "")
    if not name:
        text = fault["msg"].removeprefix("Value error, ")
        return f"{text[:1].lower()}{text[1:]}"
    context = {"expected": "null"} if fault["type"] == "none_required" else fault.get("ctx", {})
    return said(name, **{to: _figure(context[key]) for key, to in _VALUES.items() if key in context})


def _figure(value: object) -> str:
    """A bound as JSON writes it, for floats that are whole numbers too."""
    return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else str(value)


_NAMES: Final = {
    "bool_type": "not-boolean",
    "dict_type": "not-object",
    "extra_forbidden": "unknown-field",
    "finite_number": "not-number",
    "float_type": "not-number",
    "greater_than": "not-above",
    "greater_than_equal": "too-low",
    "int_type": "not-integer",
    "less_than": "not-below",
    "less_than_equal": "too-high",
    "list_type": "not-list",
    "literal_error": "other-value",
    "missing": "absent-field",
    "model_type": "not-object",
    "none_required": "other-value",
    "string_pattern_mismatch": "other-form",
    "string_too_long": "many-characters",
    "string_too_short": "few-characters",
    "string_type": "not-text",
    "too_long": "many-entries",
    "too_short": "few-entries",
    "tuple_type": "not-list",
}
"""Pydantic's types of faults that documents can have, and our messages for them."""

_VALUES: Final = {
    **dict.fromkeys(("ge", "gt", "le", "lt"), "bound"),
    **dict.fromkeys(("min_length", "max_length"), "count"),
    "expected": "values",
}
"""What pydantic calls the values of a fault, and what the messages call them."""


def _seen(value: str) -> str:
    if is_blank(value):
        raise ValueError(said("only-unseen"))
    return value


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
Seen = Annotated[Text, AfterValidator(_seen)]
"""Text of which a reader sees something: a name that is blank to the eye names nobody."""
GitCommit = Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})$")]
