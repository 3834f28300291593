"""The words of verification: one sentence a verdict, the title of each step, and what each step says.

Owns every sentence that Python and the browser both say. `theme/verify/sentences.js` is written from this module
(`make reference`), so that neither language has words of its own for one finding. A name in braces is filled in by
`said`: a number with a comma between thousands, a text as it is. A track's own messages are in its module `sentences`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from benchsite.history.verdict import Rescore, Verdict
from benchsite.words import filled

SENTENCES: Final[Mapping[Verdict, str]] = {
    Verdict.WITNESSED: "Signed; in the log, unchanged since; cosigned by witnesses.",
    Verdict.LOGGED: "Signed; in the log, unchanged since.",
    Verdict.SIGNED_ONLY: "The signature is valid. Nothing shows that the receipt is in the log.",
    Verdict.UNKNOWN_SIGNER: "Signed with a key that is not in this site's log.",
    Verdict.SUSPECT: "Signed with a compromised key, or back-dated. Do not rely on it.",
    Verdict.RETRACTED: "Retracted by the publisher; kept for the record.",
    Verdict.SUPERSEDED: "Superseded by a newer receipt; kept for the record.",
    Verdict.DISPUTED: "Disputed; see the linked objection.",
    Verdict.INVALID: "Verification failed.",
    Verdict.UNSUPPORTED: "Not supported by this version of benchsite; not evidence of a fault.",
}

RESCORE_SENTENCES: Final[Mapping[Rescore, str]] = {
    Rescore.MATCHES: "The scores follow from the evidence in the receipt.",
    Rescore.DIFFERS: "The scores do not follow from the evidence in the receipt.",
    Rescore.NOT_RESCORABLE: "Not re-scored: something that the scores are computed from is missing.",
}

TITLES: Final[Mapping[str, str]] = {
    "parse": "Parse",
    "schema": "Schema",
    "canonical": "Canonical JSON (RFC 8785)",
    "key": "Signing key",
    "signature": "Signature",
    "log": "Inclusion proof",
    "checkpoint": "Checkpoint signature",
    "consistency": "Consistency proof",
    "witness": "Witness cosignatures",
    "events": "Retractions and disputes",
    "evidence": "Withdrawn evidence",
    "re-score": "Re-score",
    "traces": "Run columns from traces",
    "agreement": "Agreement of traces and actions",
    "evaluation": "Success from the benchmark",
    "invariants": "Invariants",
    "engine": "Verification engine",
    "page": "Receipt page",
}
"""The title of a step, by the name that it has in JSON."""

DETAILS: Final[Mapping[str, str]] = {
    "failed": "Verification failed: {title}.",
    "draft": "draft: not signed yet",
    "parsed": "strict JSON, {bytes} bytes, schema {schema}",
    "canonical": "the bytes are in canonical form",
    "rewritten": "not in canonical form; the canonical form was checked instead",
    "fields": "every field is valid for track {track}",
    "unscored": "scores not checked: {why}",
    "methodology-mismatch": "field methodology.version: its hash is that of methodology {id} {version}",
    "methodology-missing": "methodology {id} {version} is not available: add its methodology.yaml, parameters.json and text.md",
    "wrong-role": "the {role} key must not sign receipts",
    "foreign-key": "{key} is not a key of this log",
    "foreign-log": "{key} is not a key of this log; the receipt names the log {origin}",
    "key-needed": "not checked: the signer's public key is needed",
    "other-key": "the receipt names {named}; the key supplied is {given}",
    "wrong-key": "not checked: the key supplied is another one",
    "supplied-key": "{key}, the key you supplied",
    "signature-wrong": "the signature does not match the content",
    "signed": "Ed25519; covers every field",
    "key-outside": "the key was not valid at log index {index}",
    "not-logged": "not among the {size} entries of {origin}",
    "other-bytes": "log entry {index} records another hash for this receipt",
    "logged": "entry {index} (of 0–{last}) in {origin}; included under the signed root",
    "other-log": "the receipt names another log: {origin}",
    "older-copy": "the receipt names a log of {seen} entries and this copy has {size}: this copy may be stale",
    "too-many-seen": "the receipt claims to have seen {size} entries before its own",
    "wrong-root": "the log never had this root at size {size}",
    "no-methodology": "no such methodology in the log before this receipt",
    "no-data": "no such content for {id} in the log before this receipt",
    "cosigned": "cosigned by {count} of {total} trusted witnesses",
    "withdrawn": "entry {index}: {name} withdrawn: {reason}",
    "evidence-withdrawn": "evidence withdrawn: {reason}",
    "retract": "entry {index}: retracted: {reason}",
    "supersede": "entry {index}: superseded by {by}",
    "dispute": "entry {index}: disputed at {url}",
    "compromised": "the signing key was revoked as compromised at or before this log index",
    "back-dated": "dated {ran}, but a witness saw a smaller log than the receipt names at {time}",
    "matches": "{compared} values recomputed and equal",
    "matches-one": "1 value recomputed and equal",
    "matches-some": "all values that a browser can recompute are equal ({compared}); benchsite rescore recomputes all {total}",
    "matches-altered": "scores match the altered file only",
    "differs": "{field}: recorded {recorded}, recomputed {computed}",
    "differs-more": "{field}: recorded {recorded}, recomputed {computed}; {more} more differ",
    "simulated-model": "simulated: no real model answered",
    "dirty-tree": "dirty tree: the code had uncommitted changes",
    "tree-unknown": "working tree not recorded: the code may have had uncommitted changes",
    "measured-elsewhere": "origin {origin}: measured elsewhere, scored here",
    "no-score": "no score: {metric} is blank",
    "reproduction-of": "reproduction of receipt {original}: listed, not ranked",
    "not-rescored": "not re-scored: {why}",
    "intent-unknown": "no pre-registered run {intent} in the log",
    "intent-late": "pre-registered at entry {index}, after the run: it started when the log had {seen} entries",
    "intent-other": "pre-registered at entry {index} with {field} {stated}, run with {found}",
    "intent-reported": "pre-registered run {intent} is reported by receipt {receipt} already",
    "intent-without-source": "cannot pre-register: this subject states no SHA-256 of its source",
    "intent-without-seed": "no seed to pre-register: this run has none",
}
"""What a step says, and why a receipt is not ranked, by a name of this module's own."""


def said(name: str, /, **values: int | str) -> str:
    """A detail with its braces filled in."""
    shown = {key: f"{value:,}" if isinstance(value, int) else value for key, value in values.items()}
    return filled(DETAILS[name], **shown)
