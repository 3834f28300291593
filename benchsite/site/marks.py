"""The glyph, the word and the tone that every verdict and outcome has on a page.

Colour is never the only carrier. The sentences belong to `benchsite.history`; this adds no claim to them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from benchsite.history import STOLEN, Header, Rescore, State, Verdict
from benchsite.words import sentence_case as sentence

Tone = Literal["good", "caution", "bad", "soft"]


@dataclass(frozen=True, slots=True)
class Mark:
    """What stands in a table cell: `✓ logged`."""

    glyph: str
    word: str
    tone: Tone


VERDICTS: Final[Mapping[Verdict, Mark]] = {
    Verdict.WITNESSED: Mark("✓", "witnessed", "good"),
    Verdict.LOGGED: Mark("✓", "logged", "good"),
    Verdict.SIGNED_ONLY: Mark("△", "signed only", "caution"),
    Verdict.UNKNOWN_SIGNER: Mark("?", "unknown signer", "caution"),
    Verdict.SUSPECT: Mark("△", "suspect", "bad"),
    Verdict.RETRACTED: Mark("✗", "retracted", "bad"),
    Verdict.SUPERSEDED: Mark("↷", "superseded", "caution"),
    Verdict.DISPUTED: Mark("△", "disputed", "caution"),
    Verdict.INVALID: Mark("✗", "invalid", "bad"),
    Verdict.UNSUPPORTED: Mark("?", "cannot be checked here", "soft"),
}
RESCORES: Final[Mapping[Rescore, Mark]] = {
    Rescore.MATCHES: Mark("✓", "matches", "good"),
    Rescore.DIFFERS: Mark("✗", "differs", "bad"),
    Rescore.NOT_RESCORABLE: Mark("?", "cannot be re-scored", "caution"),
}
STATES: Final[Mapping[State, Mark]] = {
    "pass": Mark("✓", "pass", "good"),
    "fail": Mark("✗", "fail", "bad"),
    "note": Mark("△", "note", "caution"),
    "skip": Mark("?", "unknown", "caution"),
}
VALID: Final = Mark("✓", "valid", "good")
STOLEN_KEY: Final = Mark("△", "valid, by a stolen key", "bad")
NOT_CHECKED: Final = Mark("?", "not checked", "caution")
NOT_LOGGED: Final = Mark("△", "not in the list", "caution")
FAILED: Final = Mark("✗", "fails", "bad")
LISTED: Final = Mark("✓", "logged", "good")


@dataclass(frozen=True, slots=True)
class Check:
    """One of the three answers of a certificate."""

    name: str
    mark: Mark
    sentence: str


def checks(header: Header) -> tuple[Check, Check, Check]:
    """Signature, log and re-score, each answered apart.

    Nothing here changes when somebody else's receipt is added: the size of the log is left out.
    """
    return _signature(header), _log(header), _rescore(header)


def _step_failed(header: Header, *names: str) -> str:
    return next((step.detail for step in header.steps if step.name in names and step.state == "fail"), "")


def _signature(header: Header) -> Check:
    if wrong := _step_failed(header, "signature", "key"):
        return Check("Signature", FAILED, f"{sentence(wrong)}.")
    if any(STOLEN in step.detail for step in header.steps if step.name == "events"):
        said = (
            "It fits the content, and the key that made it was reported stolen: anybody may have signed this."
        )
        return Check("Signature", STOLEN_KEY, said)
    if any(step.name == "signature" and step.state == "pass" for step in header.steps):
        return Check("Signature", VALID, "Signed with a key of this site; every field is covered.")
    return Check("Signature", NOT_CHECKED, "The checks ended before the signature was reached.")


def _log(header: Header) -> Check:
    if wrong := _step_failed(header, "log"):
        return Check("Log", FAILED, f"{sentence(wrong)}.")
    if header.index is None:
        return Check("Log", NOT_LOGGED, "Not in the public list, so nothing shows when it was made.")
    where = f"In the public list at position {header.index:,}, unchanged since"
    if header.verdict is Verdict.WITNESSED:
        return Check("Log", VERDICTS[Verdict.WITNESSED], f"{where}; outside parties have countersigned it.")
    return Check("Log", LISTED, f"{where}.")


def _rescore(header: Header) -> Check:
    step = next((step for step in header.steps if step.name == "re-score"), None)
    mark = RESCORES[header.rescore]
    if header.rescore is Rescore.MATCHES and step is not None:
        return Check("Re-score", mark, f"{sentence(step.detail)} from what is recorded below.")
    if step is not None and step.detail:
        return Check("Re-score", mark, f"{sentence(step.detail)}.")
    return Check("Re-score", mark, "The checks ended before the numbers were reached.")
