"""Scoring a receipt again under the methodology that it names, found by its hash; and why that cannot be done here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Self

from benchsite import canonical
from benchsite.canonical import Json
from benchsite.errors import BenchsiteError, PrerequisiteError, TrackError
from benchsite.history.verdict import Given, Judge, Judgement, Materials, Rescore, Step
from benchsite.methodology import DATA_FILE, TEXT_FILE, Methodology
from benchsite.methodology.engine import refused_parameter, unknown_engine, wrong_parameters
from benchsite.receipt import Receipt, ReceiptError, absent_track


def rescored(
    receipt: Receipt, judges: Mapping[str, Judge], materials: Materials, *, deep: bool
) -> tuple[Judge, Judgement]:
    """Check the track's own keys and score again, under the methodology that the receipt names.

    Raises:
        ReceiptError: a field breaks the schema, or the methodology's digest is that of another version.
        UncheckedError: the track, its scoring engine or a parameter is not known here.
    """
    judge = judges.get(receipt.track)
    if judge is None:
        raise UncheckedError.of("track", absent_track(receipt.track))
    try:
        absent, methodology = _methodology(receipt, judge, materials)
        judge.check(receipt.document)
        given = Given(methodology, materials.evidence)
        return judge, absent or judge.judge(receipt, given, deep=deep)
    except TrackError as error:
        raise UncheckedError.of("track", error) from error


class UncheckedError(PrerequisiteError):
    """The numbers cannot be checked by this installation; the signature and the log can."""

    next_step = "`benchsite verify` checks the signature and the place in the log all the same"

    def __init__(self, message: str, *, field: str = "", hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.field = field

    @classmethod
    def of(cls, field: str, error: BenchsiteError) -> Self:
        """What an error makes impossible."""
        return cls(f"numbers not checked: {error.message}", field=field, hint=error.hint)


def _methodology(
    receipt: Receipt, judge: Judge, materials: Materials
) -> tuple[Judgement | None, Methodology | None]:
    """The document that a receipt names, or the judgement where it is not at hand; schema 0.0.1 names none."""
    named = receipt.document.get("methodology")
    if named is None:
        return None, None
    methodology = materials.methodology(named["sha256"])
    if methodology is None:
        reason = f"methodology {named['id']} {named['version']} is not at hand: give its {DATA_FILE} and {TEXT_FILE}"
        return Judgement(Rescore.NOT_RESCORABLE, reason), None
    data = methodology.data
    if (data.track, data.version) != (named["id"], named["version"]):
        said = f"field methodology.version: its digest is that of methodology {data.track} {data.version}"
        raise ReceiptError(said, field="methodology.version")
    model = judge.engines.get(methodology.engine)
    if model is None:
        raise UncheckedError.of("methodology.version", unknown_engine(methodology.engine))
    for name in wrong_parameters(methodology, model):
        raise UncheckedError.of("methodology.sha256", refused_parameter(methodology, name))
    return None, methodology


def rescore_steps(judgement: Judgement) -> Iterator[Step]:
    """What re-scoring found: the comparison, then every violation."""
    if judgement.rescore is Rescore.MATCHES:
        yield Step("re-score", "pass", f"all {judgement.compared} numbers come out again")
    elif judgement.rescore is Rescore.DIFFERS:
        first = judgement.differences[0]
        was, now = _text(first.recorded), _text(first.computed)
        detail = f"{first.field} is recorded as {was} and comes out as {now}"
        more = len(judgement.differences) - 1
        yield Step("re-score", "fail", detail + (f", and {more} more" if more else ""), first.field)
    else:
        yield Step("re-score", "skip", judgement.reason)
    for violation in judgement.violations:
        yield Step("invariants", "fail", violation.message, violation.field)


def _text(value: Json) -> str:
    """A value of a receipt in a sentence: its canonical JSON, which every language writes alike."""
    return "absent" if value is None else canonical.dumps(value).decode("utf-8")
