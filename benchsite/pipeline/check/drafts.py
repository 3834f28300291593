"""Drafts sent in `results/inbox/`: what publish would refuse is said before anybody asks it to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from benchsite import canonical
from benchsite.errors import BenchsiteError, InputError, IntegrityError
from benchsite.history import standing, unranked
from benchsite.layout import EVIDENCE, INBOX, evidence_path
from benchsite.log import Log
from benchsite.methodology import Methodology
from benchsite.pipeline.check.case import Case
from benchsite.pipeline.publish import inbox, links_check, methodologies, untrusted
from benchsite.pipeline.publish.recheck import recheck
from benchsite.pipeline.record import evidence
from benchsite.pipeline.report import Item, Step, failure, judged, suspect
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import LARGEST_FIXTURE, Workspace
from benchsite.pipeline.workspace.drafts import LARGEST_DRAFT
from benchsite.receipt import Receipt
from benchsite.track import Resolved
from benchsite.words import amount

__all__ = ["check", "require_here"]

NAME: Final = "drafts"
_RANKED: Final = "to have it ranked, commit everything, re-run the whole dataset, and send that draft instead"
_RUN: Final = "to have it ranked among native runs, run the system itself"
_AGAIN: Final = "re-run it with this branch's methodology and dataset, and send the new draft"


def check(case: Case, workspace: Workspace) -> Step:
    """Check every draft in the committed inbox."""
    waiting = inbox.sent(case.snapshot)
    items = [item for sent in waiting for item in _problems(case, workspace, sent)]
    count = amount(len(waiting), "draft")
    return judged(NAME, items, f"{count} in {INBOX}, all scores reproduced" if waiting else "none sent")


def _problems(case: Case, workspace: Workspace, sent: inbox.Sent) -> Iterator[Item]:
    """The first thing wrong with one file of the inbox."""
    try:
        if sent.draft is None:
            raise sent.error or InputError(f"{sent.path} is not a draft receipt", hint="look at the file")
        size = len(sent.draft.data)
        if size > LARGEST_DRAFT:
            raise InputError(
                f"too large: {size:,} bytes, the limit is {LARGEST_DRAFT:,}",
                hint="measure less per run: fewer queries (--limit), a smaller largest k (--k), fewer sheets, shorter notes",
            )
        with inbox.contained("the draft"):
            _hold(case, workspace, sent.draft)
            found = list(_unranked(case.snapshot, sent.draft))
    except BenchsiteError as error:
        yield failure(sent.path, error)
        return
    advice = _RANKED if sent.draft.document["origin"] == "native" else _RUN
    yield from (suspect(sent.path, sentence, advice) for sentence in found)


def _unranked(snapshot: Snapshot, draft: Receipt) -> Iterator[str]:
    """Say why a draft will not be ranked, in sentences."""
    track = snapshot.tracks[draft.track]
    reasons = unranked(draft.document, snapshot.summary(draft.document), track.limited)
    yield from standing(reasons, imports=track.results is not None)


def require_here(workspace: Workspace, draft: Receipt) -> Methodology:
    """The methodology of a draft, which is the one in the working tree, as its data are.

    Raises:
        IntegrityError: rules, data or what the draft says of them are not those of the working tree.
        UsageError, InputError: one of them is not there, or cannot be read.
    """
    rules = draft.document["methodology"]
    here = workspace.methodologies.read(rules["id"], rules["version"])
    if here.sha256 != rules["sha256"]:
        raise IntegrityError(
            f"methodology mismatch: it was scored under {rules['id']} {rules['version']}, whose hash differs here",
            hint=_AGAIN,
        )
    track = workspace.tracks[draft.track]
    _, target, sha256 = track.target(draft.document)
    data = workspace.fixture_bytes(target) if sha256 is not None else b""
    if sha256 is not None and canonical.digest(canonical.loads(data, max_bytes=LARGEST_FIXTURE)) != sha256:
        raise IntegrityError(
            f"dataset mismatch: it was measured on {target}, whose hash differs here", hint=_AGAIN
        )
    track.hold_against(draft.document, Resolved(here, target=data))
    return here


def _hold(case: Case, workspace: Workspace, draft: Receipt) -> None:
    """Numbers, rules, data, claims and evidence, as publish will look at them before it signs."""
    untrusted.require_known_methodology(
        workspace, case.after.methodologies if case.after is not None else (), draft
    )
    if case.after is not None:
        _require_evidence(case.snapshot, case.after, draft)
    recheck(case.snapshot, draft)
    here = require_here(workspace, draft)
    if case.after is None:
        return
    if (here.data.track, here.data.version) not in case.after.methodologies:
        methodologies.require_publishable(workspace, case.snapshot, here)
    links_check.check(case.snapshot, case.after, draft)
    evidence.to_publish(case.snapshot, case.after, draft.document)


def _require_evidence(snapshot: Snapshot, log: Log, draft: Receipt) -> None:
    """What is kept beside a submitter's own drafts stays on that machine: every clone needs it from git or a mirror."""
    for pinned in draft.document["evidence"]:
        sha256 = pinned["sha256"]
        if sha256 in log.withdrawn or snapshot.read(evidence_path(sha256)) is not None:
            continue
        if snapshot.tracks[draft.track].sheets is not None:
            raise IntegrityError(
                f"its evidence {pinned['name']} is not in {EVIDENCE}/, and a draft carries no evidence files",
                hint="send the sheets and the files they name in a folder of fixtures/, not the draft",
            )
        if snapshot.evidence.mirrored(sha256) is None:
            raise IntegrityError(
                f"its evidence {pinned['name']} is neither in {EVIDENCE}/ nor at a mirror",
                hint=evidence.serve(pinned),
            )
