"""Verdicts and the findings they rest on (specs/log.md); their words are in `benchsite.history.sentences`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Literal, NamedTuple, Protocol

from benchsite.methodology import Methodology
from benchsite.receipt import Document, Receipt
from benchsite.schema import Schema
from benchsite.words import filled, one_line


class Verdict(StrEnum):
    """What can be said of a receipt as a record: who signed it, and whether and where the log holds it."""

    WITNESSED = "WITNESSED"
    LOGGED = "LOGGED"
    SIGNED_ONLY = "SIGNED-ONLY"
    UNKNOWN_SIGNER = "UNKNOWN SIGNER"
    SUSPECT = "SUSPECT"
    RETRACTED = "RETRACTED"
    SUPERSEDED = "SUPERSEDED"
    DISPUTED = "DISPUTED"
    INVALID = "INVALID"
    UNSUPPORTED = "UNSUPPORTED"


class Rescore(StrEnum):
    """Whether the scores follow from the evidence in the receipt."""

    MATCHES = "MATCHES"
    DIFFERS = "DIFFERS"
    NOT_RESCORABLE = "NOT RE-SCORABLE"


State = Literal["pass", "fail", "warning", "not checked"]


@dataclass(frozen=True, slots=True)
class Step:
    """One check, its outcome and what was seen.

    `field` names the offending value of a failed one; of withdrawn evidence it is the SHA-256. `hint` is the next step
    where the check ended in an error that names one. `link` is the address that the detail ends in, if it ends in one.
    `declared` is true if a check cannot be made here: the receipt declares that, and the track's data confirms it.
    """

    name: str
    state: State
    detail: str
    field: str = ""
    hint: str = ""
    link: str = ""
    declared: bool = False


@dataclass(frozen=True, slots=True)
class Difference:
    """A value that differs when it is recomputed."""

    field: str
    recorded: Any
    computed: Any


@dataclass(frozen=True, slots=True)
class Violation:
    """A relation between a receipt's numbers that no real measurement can break, in words."""

    code: str
    message: str
    field: str = ""


def violation(messages: Mapping[str, str], name: str, field: str, /, **values: int | str) -> Violation:
    """The violation that a track's messages have by this name: its code, and after a slash which message of that code."""
    return Violation(name.partition("/")[0], filled(messages[name], **values), field)


@dataclass(frozen=True, slots=True)
class Rescoring:
    """What a track says of a receipt's scores.

    Attributes:
        compared: values that were recomputed.
        omitted: values that only a deep re-score recomputes, such as bootstrap intervals.
        further: what was found of the evidence itself, where a track records how it follows from further evidence.
    """

    rescore: Rescore
    reason: str = ""
    compared: int = 0
    differences: tuple[Difference, ...] = ()
    violations: tuple[Violation, ...] = ()
    omitted: int = 0
    further: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Materials:
    """Where the documents that re-scoring needs are found, each by the SHA-256 that receipts name.

    Attributes:
        methodology: the document of a methodology's digest; None where it is not at hand.
        evidence: the uncompressed bytes of pinned evidence; None where they are not at hand.
        target: the data of a benchmark by its id and digest, where its evaluator is to be run; None where they are not,
            an `InputError` where only other data has that id.
        damage: of evidence that is not at hand, what is wrong with the file kept as it; empty where there is none.
        rescoring: the re-score of this very receipt or its draft, if it was made before.
    """

    methodology: Callable[[str], Methodology | None] = lambda _sha256: None
    evidence: Callable[[str], bytes | None] = lambda _sha256: None
    target: Callable[[str, str], bytes | None] = lambda _id, _sha256: None
    damage: Callable[[str], str] = lambda _sha256: ""
    rescoring: Rescoring | None = None


NO_MATERIALS = Materials()


@dataclass(frozen=True, slots=True)
class Given:
    """What one re-score is given besides the receipt.

    Attributes:
        methodology: the document that the receipt names; None where it names none (schema 0.0.1).
        evidence, target, damage: as in `Materials`.
    """

    methodology: Methodology | None
    evidence: Callable[[str], bytes | None]
    target: Callable[[str, str], bytes | None] = lambda _id, _sha256: None
    damage: Callable[[str], str] = lambda _sha256: ""


class Target(NamedTuple):
    """What was run: `field` is the receipt's member that names it, as `fixture`, `benchmark` or `template`.

    `sha256` is that of its data, which the log must name; None where the methodology holds the tasks.
    """

    field: str
    id: str
    sha256: str | None


class Scorer(Protocol):
    """The part of a track that verification needs."""

    @property
    def engines(self) -> Mapping[str, type[Schema]]:
        """The scoring engines of the track, each with the model of the parameters that it takes."""

    @property
    def limited(self) -> str:
        """Why a run with a limit is not ranked; `{limit}` stands for the number."""

    def check(self, document: Document) -> None:
        """Validate the track's own keys; raises `ReceiptError` naming the field."""

    def rescore(self, receipt: Receipt, given: Given, *, deep: bool) -> Rescoring:
        """Re-score from the evidence; `deep` includes what `build` and the browser do not recompute."""

    def needs(self, document: Document) -> frozenset[str]:
        """SHA-256 of the pinned evidence that the numbers are computed from; what is quoted beside them is not in it."""

    def target(self, document: Document) -> Target:
        """What was run."""

    def summary(self, document: Document, methodology: Methodology | None) -> Summary:
        """What a header keeps of the body; `methodology` is None where its document is not at hand."""


LONGEST_LABEL: Final = 120
"""Characters of a label that pages and commands show."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What was measured; `label` is its configuration in words."""

    name: str
    version: str
    label: str

    def __post_init__(self) -> None:
        """Make the label one printable line: option values are a submitter's text, shown before signing."""
        object.__setattr__(self, "label", one_line(self.label, LONGEST_LABEL))

    def __str__(self) -> str:
        """`sqlite-fts5 3.40.1 (stopwords)`."""
        return f"{self.name} {self.version}" + (f" ({self.label})" if self.label else "")


@dataclass(frozen=True, slots=True)
class Headline:
    """The one number a board sorts by, with its 95 % interval; `value` is None when blank."""

    metric: str
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Summary:
    """What a header keeps of a receipt's body.

    Attributes:
        row: the board row it belongs to: equal for equal subject, version and configuration.
        identity: what was measured, source and all, so that `run --changed` can tell whether it would differ.
        unranked: the track's own reasons not to rank it, in words.
        note: what is said beside the headline wherever it is shown, as `model-rated`; empty for none.
    """

    subject: Subject
    target: str
    target_sha256: str
    row: str
    identity: str
    headline: Headline
    unranked: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Examination:
    """Every step of checking one file, and the verdict they add up to."""

    verdict: Verdict
    rescore: Rescore
    steps: tuple[Step, ...]
    rescoring: Rescoring
    receipt: Receipt | None
    index: int | None = None

    @property
    def receipt_id(self) -> str | None:
        """The receipt's own id; None where the file could not be read as a receipt."""
        return self.receipt.receipt_id if self.receipt is not None else None

    @property
    def failed(self) -> Step | None:
        """The first failed step."""
        return next((step for step in self.steps if step.state == "fail"), None)

    @property
    def exit_code(self) -> int:
        """3 for an integrity failure, 5 where it or its signature cannot be checked, else 0 (DESIGN.md)."""
        if self.verdict is Verdict.INVALID or self.rescore is Rescore.DIFFERS or self.rescoring.violations:
            return 3
        return 0 if self.signature_checked and self.verdict is not Verdict.UNSUPPORTED else 5

    @property
    def signature_checked(self) -> bool:
        """Whether some key has verified the signature."""
        return any(step.name == "signature" and step.state == "pass" for step in self.steps)
