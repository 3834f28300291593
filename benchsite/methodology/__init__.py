"""A methodology: a versioned, immutable document that says how a track scores.

Three files make a version: `methodology.yaml` (words and anchors, read here as an already-parsed object), `parameters.json`
(all that re-scoring reads) and `text.md` (prose). The digest that receipts pin and the log records is the SHA-256 of
JCS({file name: SHA-256 hex}) over the three. A document never says that it is superseded: the log does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal, NamedTuple, Self

from pydantic import AfterValidator, Field, ValidationError

from benchsite import canonical
from benchsite.dates import is_in_calendar
from benchsite.errors import InputError
from benchsite.methodology import parameters as parameters_file
from benchsite.methodology.instrument import Instrument
from benchsite.methodology.parameters import KEYS, Parameters
from benchsite.schema import Form, Schema, Semver, Slug

__all__ = [
    "DATA_FILE",
    "FILES",
    "PARAMETERS_FILE",
    "TEXT_FILE",
    "Change",
    "DocumentError",
    "Fault",
    "Instrument",
    "Measure",
    "Methodology",
    "MethodologyData",
    "Reference",
    "digest",
    "newest",
    "parse",
    "pinned",
    "version_key",
]

DATA_FILE: Final = "methodology.yaml"
PARAMETERS_FILE: Final = "parameters.json"
TEXT_FILE: Final = "text.md"
FILES: Final = (DATA_FILE, PARAMETERS_FILE, TEXT_FILE)
"""The files of a version; the digest covers each of them."""


class Change(Schema):
    """One line of the typed changelog against the version before."""

    type: Literal["added", "changed", "removed"]
    text: str


class Measure(Schema):
    """One number a receipt may carry: its key in `scores`, its definition, and what it says in plain words.

    `name` holds `k` in place of the cut-off (`ndcg_at_k`); `cut` says which cut-offs it is given at.
    """

    name: Annotated[str, Field(pattern=r"^[a-z0-9_]{1,60}$")]
    label: str
    formula: str
    words: str
    denominator: str
    interval: Literal["wilson", "bootstrap", "t", "none"]
    cut: Literal["every k", "largest k", "none"]


class Reference(Schema):
    """A source, with the topics it bears on; `note` says in our words what it shows and what follows from it here."""

    title: str
    url: str | None = None
    authors: str | None = None
    venue: str | None = None
    year: Annotated[int, Field(ge=1800, le=2200)] | None = None
    note: str | None = None
    topics: Annotated[tuple[str, ...], Field(strict=False)] = ()


def _a_day(text: str) -> str:
    if not is_in_calendar(f"{text}T00:00:00Z"):
        raise ValueError("not a valid date")
    return text


class MethodologyData(Form):
    """The members of `methodology.yaml` and of `parameters.json`.

    Attributes:
        track, version, engine, parameters: as `parameters.json` has them (`benchsite.methodology.parameters`).
        based_on: the version that this one was copied from; None for the first of its line.
        topics: references that share a topic with the version are marked as bearing on it.
        instrument: the sheet that evaluators fill in, in tracks that people score.
    """

    track: Slug
    version: Semver
    engine: str
    parameters: dict[str, Any]
    title: str
    published: Annotated[str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"), AfterValidator(_a_day)]
    summary: str
    based_on: Semver | None = None
    receipt_schema: Semver
    measures: Annotated[tuple[Measure, ...], Field(strict=False)]
    changes: Annotated[tuple[Change, ...], Field(strict=False)]
    references: Annotated[tuple[Reference, ...], Field(strict=False)] = ()
    topics: Annotated[tuple[str, ...], Field(strict=False)] = ()
    instrument: Instrument | None = None


class DocumentError(InputError):
    """A methodology document that is malformed: every fault, each with its place in the document.

    Attributes:
        where: the document, as messages call it.
        faults: the fields that are wrong, in the order in which they were found.
        also: what else is wrong with its files.
        parameters: those of the version; None if `parameters.json` is malformed.
        document: the parsed YAML.
    """

    next_step = f"correct that field of {DATA_FILE}, then run: benchsite methodology check"

    def __init__(
        self,
        message: str,
        *,
        faults: Sequence[Fault] = (),
        also: Sequence[InputError] = (),
        where: str = "",
        parameters: Parameters | None = None,
        document: Any = None,
        hint: str = "",
    ) -> None:
        super().__init__(message, hint=hint)
        self.where = where
        self.faults = tuple(faults)
        self.also = tuple(also)
        self.parameters = parameters
        self.document = document

    @classmethod
    def of(
        cls,
        where: str,
        faults: Sequence[Fault],
        *,
        also: Sequence[InputError] = (),
        parameters: Parameters | None = None,
        document: Any = None,
    ) -> Self:
        """The error of a document: its first fault in words, all of them kept."""
        said = [*(fault.said(where) for fault in faults), *(wrong.message for wrong in also)]
        more = f", and {len(said) - 1} more" if len(said) > 1 else ""
        hint = "" if faults else also[0].hint
        return cls(
            f"{said[0]}{more}",
            faults=faults,
            also=also,
            where=where,
            parameters=parameters,
            document=document,
            hint=hint,
        )

    def each(self) -> Iterator[InputError]:
        """One error a fault."""
        for fault in self.faults:
            yield InputError(fault.said(self.where), hint=self.hint)
        yield from self.also


class Fault(NamedTuple):
    """What is wrong, and the place of its value in the document."""

    place: tuple[str | int, ...]
    message: str

    @classmethod
    def reported(cls, error: ValidationError, *above: str) -> Iterator[Self]:
        """Every fault that a model found, in words; `above` leads to the value that it was asked about."""
        for found in error.errors(include_url=False, include_input=False):
            yield cls((*above, *found["loc"]), _WORDS.get(found["type"]) or found["msg"])

    def said(self, where: str) -> str:
        """The fault in words, of the document at `where`."""
        return f"{where}: {'.'.join(map(str, self.place)) or 'document'}: {self.message}"


_WORDS: Final = {"missing": "is not given", "extra_forbidden": "is not a field that is known here"}


@dataclass(frozen=True, slots=True)
class Methodology:
    """A version: its members, its prose (Markdown), its digest, and the bytes of its files by name, as they are served."""

    data: MethodologyData = field(hash=False)
    text: str = field(hash=False)
    sha256: str
    files: Mapping[str, bytes] = field(default_factory=dict, hash=False)

    @property
    def engine(self) -> str:
        """The engine that computes its numbers: name and number, `rubric/2`."""
        return self.data.engine

    @property
    def reference(self) -> dict[str, str]:
        """The `methodology` member of a receipt made under it."""
        return {"id": self.data.track, "version": self.data.version, "sha256": self.sha256}


def digest(files: Mapping[str, bytes]) -> str:
    """Return the SHA-256 hex over the three files, independent of where and how they are stored."""
    return canonical.digest({name: canonical.sha256_hex(files[name]) for name in FILES})


def parse(document: Any, *, files: Mapping[str, bytes], where: str) -> Methodology:
    """Check a parsed `methodology.yaml` and join it with its parameters and its prose.

    Args:
        document: the parsed YAML.
        files: the bytes of the three files, for the parameters, the prose and the digest.
        where: the folder, for error messages; it must end in `<track>/<version>`.

    Raises:
        DocumentError: fields break the schema, `parameters.json` is malformed, the prose is not UTF-8, or the folder's
            name disagrees. The error lists all of them.
    """
    also: list[InputError] = []
    found: Parameters | None = None
    try:
        found = parameters_file.read(files[PARAMETERS_FILE], f"{where}/{PARAMETERS_FILE}")
        also += _misplaced(found, where)
    except InputError as error:
        also.append(error)
    also += _prose_faults(files[TEXT_FILE], where)
    faults = [
        Fault((key,), f"belongs in {PARAMETERS_FILE}")
        for key in KEYS
        if isinstance(document, dict) and key in document
    ]
    data: MethodologyData | None = None
    try:
        data = MethodologyData.model_validate(
            {**document, **(found or _PLACEHOLDER).model_dump()} if isinstance(document, dict) else document
        )
    except ValidationError as error:
        faults += Fault.reported(error)
    if data is None or faults or also:
        raise DocumentError.of(where, faults, also=also, parameters=found, document=document)
    return Methodology(data, files[TEXT_FILE].decode("utf-8"), digest(files), dict(files))


def pinned(files: Mapping[str, bytes]) -> Methodology | None:
    """Return the parameters of a version whose digest a receipt names; every other field of the result is empty.

    The browser reads no more of it (`theme/verify/methodology.js`), so that a field which only a later release knows
    changes no answer in either language.

    Args:
        files: the bytes of the three files.

    Returns:
        None if `parameters.json` is malformed.
    """
    try:
        found = parameters_file.read(files[PARAMETERS_FILE], PARAMETERS_FILE)
    except InputError:
        return None
    data = MethodologyData.model_validate({**_EMPTY, **found.model_dump()})
    return Methodology(data, "", digest(files), dict(files))


_EMPTY: Final[Mapping[str, Any]] = {
    "title": "",
    "published": "1970-01-01",
    "summary": "",
    "receiptSchema": "1.0.0",
    "measures": [],
    "changes": [],
}
_PLACEHOLDER: Final = Parameters(track="x", version="0.0.0", engine="x/0", parameters={})
"""Stands in for a malformed `parameters.json`, so that the faults of the other file are listed too."""


def _misplaced(found: Parameters, where: str) -> Iterator[InputError]:
    """A folder that is not named after the version."""
    named = f"{found.track}/{found.version}"
    if not where.rstrip("/").endswith(named):
        yield InputError(
            f"{where}: {PARAMETERS_FILE} declares {named[:100]}",
            hint="move the folder to methodology/<track>/<version>, or correct the file",
        )


def _prose_faults(text: bytes, where: str) -> Iterator[InputError]:
    """Prose that is not UTF-8."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        yield InputError(
            f"{where}: {TEXT_FILE} is not UTF-8 at byte {error.start}", hint=f"save {TEXT_FILE} as UTF-8"
        )


def version_key(version: str) -> tuple[int, int, int]:
    """Semver order."""
    major, minor, patch = version.split(".")
    return int(major), int(minor), int(patch)


def newest(versions: Iterable[str]) -> str:
    """The current one of several versions."""
    return max(versions, key=version_key)
