"""The glyph, the word and the tone that every verdict and outcome has on a page.

Color is never the only carrier. The sentences belong to `benchsite.history`; this adds no claim to them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from benchsite.history import Header, Rescore, State, Verdict, said
from benchsite.words import sentence_case as sentence

Tone = Literal["good", "caution", "bad", "soft"]


@dataclass(frozen=True, slots=True)
class Mark:
    """What a table cell shows: `✓ logged`."""

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
    Verdict.UNSUPPORTED: Mark("?", "not supported", "soft"),
}
RESCORES: Final[Mapping[Rescore, Mark]] = {
    Rescore.MATCHES: Mark("✓", "matches", "good"),
    Rescore.DIFFERS: Mark("✗", "differs", "bad"),
    Rescore.NOT_RESCORABLE: Mark("–", "not re-scored", "caution"),
}
STATES: Final[Mapping[State, Mark]] = {
    "pass": Mark("✓", "pass", "good"),
    "fail": Mark("✗", "fail", "bad"),
    "warning": Mark("△", "warning", "caution"),
    "not checked": Mark("–", "not checked", "soft"),
}
VALID: Final = Mark("✓", "valid", "good")
COMPROMISED_KEY: Final = Mark("△", "valid, key compromised", "bad")
NOT_CHECKED: Final = STATES["not checked"]
NOT_LOGGED: Final = Mark("△", "not in the log", "caution")
FAILED: Final = STATES["fail"]
LOGGED: Final = Mark("✓", "logged", "good")


@dataclass(frozen=True, slots=True)
class Check:
    """One of the three checks of a certificate."""

    name: str
    mark: Mark
    sentence: str


def checks(header: Header) -> tuple[Check, Check, Check]:
    """Signature, log and re-score, each answered separately.

    Nothing here changes when another receipt is added: the size of the log is not shown.
    """
    return _signature(header), _log(header), _rescore(header)


def _step_failed(header: Header, *names: str) -> str:
    return next((step.detail for step in header.steps if step.name in names and step.state == "fail"), "")


def _signature(header: Header) -> Check:
    if wrong := _step_failed(header, "signature", "key"):
        return Check("Signature", FAILED, f"{sentence(wrong)}.")
    if any(step.detail == said("compromised") for step in header.steps if step.name == "events"):
        why = "It matches the content. The key was revoked as compromised: others may have signed with it."
        return Check("Signature", COMPROMISED_KEY, why)
    if any(step.name == "signature" and step.state == "pass" for step in header.steps):
        return Check("Signature", VALID, "Signed with a key of this site; covers every field.")
    return Check("Signature", NOT_CHECKED, "Verification ended before the signature.")


def _log(header: Header) -> Check:
    if wrong := _step_failed(header, "log"):
        return Check("Log", FAILED, f"{sentence(wrong)}.")
    if header.index is None:
        return Check("Log", NOT_LOGGED, "Not in the log. Nothing shows when it was made.")
    where = f"Entry {header.index:,} of the log, unchanged since"
    if header.verdict is Verdict.WITNESSED:
        return Check("Log", VERDICTS[Verdict.WITNESSED], f"{where}; cosigned by witnesses.")
    return Check("Log", LOGGED, f"{where}.")


def _rescore(header: Header) -> Check:
    step = next((step for step in header.steps if step.name == "re-score"), None)
    mark = RESCORES[header.rescore]
    if step is not None and step.detail:
        return Check("Re-score", mark, f"{sentence(step.detail)}.")
    return Check("Re-score", mark, "Verification ended before the scores.")
