"""A methodology: a versioned, immutable document that says how a track scores.

Two files make one: `methodology.yaml` (data, read here as an already-parsed object) and `text.md` (prose).
The digest that receipts pin and the log records is SHA-256 of JCS({"methodology.yaml": hex, "text.md": hex}).
"Superseded" is never written in a document: it follows from a later version in the history.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal, NamedTuple, Self

from pydantic import AfterValidator, Field, ValidationError

from benchsite import canonical
from benchsite.dates import is_in_calendar
from benchsite.errors import InputError
from benchsite.methodology import plain
from benchsite.methodology.instrument import Instrument
from benchsite.schema import Form, Schema, Semver, Slug

__all__ = [
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

DATA_FILE = "methodology.yaml"
TEXT_FILE = "text.md"


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
    """What `methodology.yaml` holds.

    Attributes:
        engine: the scoring engine, as `rubric/2`. Documents from before engines had names are of the engine that their
            major version counts.
        parameters: what the engine goes by, by name.
        topics: what this version is about: references that share one are marked as bearing on it.
        instrument: what evaluators score with, in tracks that people score.
    """

    track: Slug
    version: Semver
    title: str
    published: Annotated[str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"), AfterValidator(_a_day)]
    summary: str
    receipt_schema: Semver
    engine: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,79}/[0-9]{1,4}$")] | None = None
    measures: Annotated[tuple[Measure, ...], Field(strict=False)]
    parameters: dict[str, Any]
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
        document: Any = None,
        hint: str = "",
    ) -> None:
        super().__init__(message, hint=hint)
        self.where = where
        self.faults = tuple(faults)
        self.also = tuple(also)
        self.document = document

    @classmethod
    def of(
        cls, where: str, faults: Sequence[Fault], *, also: Sequence[InputError] = (), document: Any = None
    ) -> Self:
        """The error of a document: its first fault in words, all of them kept."""
        said = [*(fault.said(where) for fault in faults), *(wrong.message for wrong in also)]
        more = f", and {len(said) - 1} more" if len(said) > 1 else ""
        hint = "" if faults else also[0].hint
        return cls(f"{said[0]}{more}", faults=faults, also=also, where=where, document=document, hint=hint)

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
    """A document with its digest, its prose (Markdown), and the bytes of its data as they are served."""

    data: MethodologyData = field(hash=False)
    text: str = field(hash=False)
    sha256: str
    source: bytes = field(default=b"", hash=False)

    @property
    def engine(self) -> str:
        """The engine that computes its numbers: name and number, `rubric/2`."""
        return self.data.engine or f"{self.data.track}/{version_key(self.data.version)[0]}"

    @property
    def reference(self) -> dict[str, str]:
        """What a receipt's `methodology` member says."""
        return {"id": self.data.track, "version": self.data.version, "sha256": self.sha256}


def digest(files: Mapping[str, bytes]) -> str:
    """SHA-256 hex over the two files, independent of where and how they are stored."""
    return canonical.digest({name: canonical.sha256_hex(files[name]) for name in (DATA_FILE, TEXT_FILE)})


def parse(document: Any, *, files: Mapping[str, bytes], where: str) -> Methodology:
    """Check a parsed `methodology.yaml` and join it with its prose.

    Args:
        document: the parsed YAML.
        files: the raw bytes of `methodology.yaml` and `text.md`, for the digest and the prose.
        where: the folder, for error messages; it must end in `<track>/<version>`.

    Raises:
        DocumentError: fields break the schema, the prose is not UTF-8, the folder's name disagrees, or a key that decides
            a re-score is not in the plain form (`benchsite.methodology.plain`). Every one of these is in it.
    """
    also = list(_faults_of_files(document, files, where))
    try:
        data = MethodologyData.model_validate(document)
    except ValidationError as error:
        faults = list(Fault.reported(error))
        raise DocumentError.of(where, faults, also=also, document=document) from None
    if also:
        raise DocumentError.of(where, (), also=also, document=document)
    return Methodology(data, files[TEXT_FILE].decode("utf-8"), digest(files), files[DATA_FILE])


def pinned(files: Mapping[str, bytes]) -> Methodology | None:
    """What re-scoring goes by in a version whose digest a receipt names: the four keys of the plain form.

    The browser reads no more of it (`theme/verify/methodology.js`), so that a field which only a later release knows
    changes no answer in either language. Every other field of the result is empty.

    Args:
        files: the bytes of `methodology.yaml` and `text.md`.

    Returns:
        None where the keys are missing, malformed or not of the plain form.
    """
    try:
        found = plain.read(files[DATA_FILE], DATA_FILE)
        data = MethodologyData.model_validate({**_EMPTY, **found})
    except (InputError, ValidationError):
        return None
    return Methodology(data, "", digest(files), files[DATA_FILE])


_EMPTY: Final[Mapping[str, Any]] = {
    "title": "",
    "published": "1970-01-01",
    "summary": "",
    "receiptSchema": "1.0.0",
    "measures": [],
    "changes": [],
}


def _faults_of_files(document: Any, files: Mapping[str, bytes], where: str) -> Iterator[InputError]:
    """What is wrong with a version whatever its fields say."""
    try:
        files[TEXT_FILE].decode("utf-8")
    except UnicodeDecodeError as error:
        yield InputError(
            f"{where}: {TEXT_FILE} is not UTF-8 at byte {error.start}", hint=f"save {TEXT_FILE} as UTF-8"
        )
    if not isinstance(document, dict):
        return
    named = f"{document.get('track')}/{document.get('version')}"
    if not where.rstrip("/").endswith(named):
        yield InputError(
            f"{where}: the document declares {named[:100]}",
            hint="move it to methodology/<track>/<version>, or correct the document",
        )
    try:
        plain.check(files[DATA_FILE], document, f"{where}/{DATA_FILE}")
    except InputError as error:
        yield error


def version_key(version: str) -> tuple[int, int, int]:
    """Semver order."""
    major, minor, patch = version.split(".")
    return int(major), int(minor), int(patch)


def newest(versions: Iterable[str]) -> str:
    """The current one of several versions."""
    return max(versions, key=version_key)
