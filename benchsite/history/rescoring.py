"""Re-scoring a receipt under the methodology that it names, found by its hash; and why that cannot be done here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Self

from benchsite import canonical
from benchsite.canonical import Json
from benchsite.errors import BenchsiteError, PrerequisiteError, TrackError
from benchsite.history.sentences import said
from benchsite.history.verdict import Given, Materials, Rescore, Rescoring, Scorer, Step
from benchsite.methodology import Methodology
from benchsite.methodology.engine import refused_parameter, unknown_engine, wrong_parameters
from benchsite.receipt import Receipt, ReceiptError, absent_track


def rescored(
    receipt: Receipt, scorers: Mapping[str, Scorer], materials: Materials, *, deep: bool
) -> tuple[Scorer, Rescoring]:
    """Check the track's own keys and re-score, under the methodology that the receipt names.

    Raises:
        ReceiptError: a field breaks the schema, or the methodology's digest is that of another version.
        UncheckedError: the track, its scoring engine or a parameter is not known here.
    """
    scorer = scorers.get(receipt.track)
    if scorer is None:
        raise UncheckedError.of("track", absent_track(receipt.track))
    if materials.rescoring is not None:
        return scorer, materials.rescoring
    try:
        absent, methodology = _methodology(receipt, scorer, materials)
        scorer.check(receipt.document)
        given = Given(methodology, materials.evidence, materials.target, materials.damage)
        return scorer, absent or scorer.rescore(receipt, given, deep=deep)
    except TrackError as error:
        raise UncheckedError.of("track", error) from error


class UncheckedError(PrerequisiteError):
    """The scores cannot be checked by this installation; the signature and the log can."""

    next_step = "`benchsite verify` still checks the signature and the inclusion in the log"

    def __init__(self, message: str, *, field: str = "", hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.field = field

    @classmethod
    def of(cls, field: str, error: BenchsiteError) -> Self:
        """What an error makes impossible."""
        return cls(said("unscored", why=error.message), field=field, hint=error.hint)


def _methodology(
    receipt: Receipt, scorer: Scorer, materials: Materials
) -> tuple[Rescoring | None, Methodology | None]:
    """The document that a receipt names, or the rescoring where it is not at hand; schema 0.0.1 names none."""
    named = receipt.document.get("methodology")
    if named is None:
        return None, None
    methodology = materials.methodology(named["sha256"])
    if methodology is None:
        reason = said("methodology-missing", id=named["id"], version=named["version"])
        return Rescoring(Rescore.NOT_RESCORABLE, reason), None
    data = methodology.data
    if (data.track, data.version) != (named["id"], named["version"]):
        wrong = said("methodology-mismatch", id=data.track, version=data.version)
        raise ReceiptError(wrong, field="methodology.version")
    model = scorer.engines.get(methodology.engine)
    if model is None:
        raise UncheckedError.of("methodology.version", unknown_engine(methodology.engine))
    for name in wrong_parameters(methodology, model):
        raise UncheckedError.of("methodology.sha256", refused_parameter(methodology, name))
    return None, methodology


def rescore_steps(rescoring: Rescoring) -> Iterator[Step]:
    """What re-scoring found: the comparison, what the evidence itself follows from, then every violation."""
    if rescoring.rescore is Rescore.MATCHES:
        yield Step("re-score", "pass", matching(rescoring))
    elif rescoring.rescore is Rescore.DIFFERS:
        first = rescoring.differences[0]
        more = len(rescoring.differences) - 1
        detail = said(
            "differs-more" if more else "differs",
            field=first.field,
            recorded=_text(first.recorded),
            computed=_text(first.computed),
            more=more,
        )
        yield Step("re-score", "fail", detail, first.field)
    else:
        yield Step("re-score", "not checked", rescoring.reason)
    yield from rescoring.further
    for violation in rescoring.violations:
        yield Step("invariants", "fail", violation.message, violation.field)


def matching(rescoring: Rescoring) -> str:
    """How many values are equal, of how many where some were not recomputed."""
    compared, omitted = rescoring.compared, rescoring.omitted
    if omitted:
        return said("matches-some", compared=compared, total=compared + omitted)
    return said("matches-one") if compared == 1 else said("matches", compared=compared)


def _text(value: Json) -> str:
    """A value of a receipt in a sentence: its canonical JSON, which every language writes alike."""
    return "absent" if value is None else canonical.dumps(value).decode("utf-8")
