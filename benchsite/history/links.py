"""What receipts say of one another: which one repeats which, and which one reports an announced run.

A receipt's own word is not enough. A reproduction counts only where it stands in the log in good order, later than
the receipt it names, and measured the very same thing: track, data, rules, subject, source and configuration. An
announcement is reported by one receipt, the first in the log. Who ran a receipt that somebody sent to the inbox is that
receipt's own word, and so is everything in it that its fixture does not fix.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from benchsite.history.sentences import said
from benchsite.history.verdict import Rescore, Verdict

if TYPE_CHECKING:
    from benchsite.history import Header

Outcome = Literal["identical", "differs", "other source"]
"""How a reproduction came out; under another digest of the subject's source it proves nothing either way."""

_SUBMITTED: Final = "submitted "

_GOOD: Final = frozenset({Verdict.LOGGED, Verdict.WITNESSED})


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A receipt that repeats another: `outcome` compares the two `scores`, byte for byte."""

    receipt_id: str
    ran_by: str
    outcome: Outcome

    @property
    def sent_by(self) -> str:
        """Who sent it, where nobody of this site ran it; empty otherwise."""
        return sent_by(self.ran_by)


def sent_by(ran_by: str) -> str:
    """The name in a `Header.ran_by` whose kind is `submitted`; empty for a run by the workflow or a maintainer."""
    return ran_by.removeprefix(_SUBMITTED) if ran_by.startswith(_SUBMITTED) else ""


def linked(headers: Sequence[Header]) -> tuple[Header, ...]:
    """Headers in log order, each told what the others say of it."""
    known = {header.receipt_id: header for header in headers}
    copies: dict[str, list[Reproduction]] = defaultdict(list)
    outcomes: dict[str, Outcome] = {}
    for header in headers:
        original = known.get(header.reproduces or "")
        outcome = _compared(header, original) if original is not None else None
        if original is not None and outcome is not None:
            outcomes[header.receipt_id] = outcome
            copies[original.receipt_id].append(Reproduction(header.receipt_id, header.ran_by, outcome))
    reporting = _reporting(headers)
    found = tuple(
        _told(
            header,
            tuple(copies.get(header.receipt_id, ())),
            outcomes.get(header.receipt_id),
            reporting,
            known.keys(),
        )
        for header in headers
    )
    return _with_replacements(found) if any(one.verdict is Verdict.SUSPECT for one in found) else found


def _with_replacements(headers: Sequence[Header]) -> tuple[Header, ...]:
    """Add to each suspect receipt the newest ranked receipt of the same measurement that another key signed.

    A submitted run replaces no run of this site.
    """
    sound: dict[tuple[str, ...], list[Header]] = defaultdict(list)
    for header in headers:
        if header.verdict in _GOOD and header.ranked:
            sound[_measurement(header)].append(header)

    def replaced(suspect: Header) -> Header:
        later = [
            other.receipt_id
            for other in sound[_measurement(suspect)]
            if (other.index or 0) > (suspect.index or 0)
            and other.signer != suspect.signer
            and other.sent_by in ("", suspect.sent_by)
        ]
        return replace(suspect, remeasured_by=later[-1]) if later else suspect

    return tuple(replaced(one) if one.verdict is Verdict.SUSPECT and one.summary else one for one in headers)


def _measurement(header: Header) -> tuple[str, ...]:
    """What was measured on what, under which methodology version."""
    found = header.summary
    about = (found.target, found.target_sha256, found.row) if found is not None else ()
    return (header.track, header.methodology, *about)


def _compared(copy: Header, original: Header) -> Outcome | None:
    """How a reproduction came out; None where it repeats something else or is not in good order."""
    a, b = copy.summary, original.summary
    if a is None or b is None or copy.verdict not in _GOOD or copy.rescore is not Rescore.MATCHES:
        return None
    if copy.index is None or original.index is None or copy.index <= original.index:
        return None
    if _measurement(copy) != _measurement(original):
        return None
    if a.identity != b.identity:
        return "other source"
    return "identical" if copy.scores_sha256 == original.scores_sha256 else "differs"


def _reporting(headers: Sequence[Header]) -> Mapping[str, str]:
    """Intent id to the first receipt in the log that reports it."""
    first: dict[str, str] = {}
    for header in headers:
        if header.registered and header.intent_id is not None:
            first.setdefault(header.intent_id, header.receipt_id)
    return first


def _told(
    header: Header,
    copies: tuple[Reproduction, ...],
    outcome: Outcome | None,
    reporting: Mapping[str, str],
    known: Container[str],
) -> Header:
    first = reporting.get(header.intent_id or "")
    if header.registered and first is not None and first != header.receipt_id:
        reason = said("intent-reported", intent=str(header.intent_id), receipt=first)
        header = replace(header, registered=False, unranked=(*header.unranked, reason))
    if header.derived_from is not None and header.derived_from not in known:
        header = replace(header, derived_from=None)
    if copies or outcome is not None:
        header = replace(header, reproduced_by=copies, reproduction=outcome)
    return header
