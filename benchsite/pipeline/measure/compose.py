"""A draft is what was recorded before a run and what the run measured; the envelope's members are the pipeline's own."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from benchsite import __version__, environment
from benchsite.errors import InputError
from benchsite.methodology import Methodology
from benchsite.pipeline.record import evidence
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import Workspace
from benchsite.pipeline.workspace.drafts import LARGEST_DRAFT
from benchsite.receipt import FIELDS, SCHEMA_VERSION, Receipt, compose
from benchsite.track import Measurement


def start(workspace: Workspace, snapshot: Snapshot, *, at_least: int = 0) -> dict[str, Any]:
    """What a receipt records of the moment before its run: machine, tree, log head, who and when.

    Args:
        workspace: where the run is made.
        snapshot: the record that the receipt follows.
        at_least: the size of the smallest log head that may be named, where the run was announced in the log.
    """
    name, _ = workspace.repository.identity()
    return {
        "environment": workspace.environment(snapshot.commit),
        "logHead": _log_head(snapshot, at_least),
        "ranAt": environment.now(),
        "ranBy": environment.ran_by(name),
    }


def _log_head(snapshot: Snapshot, at_least: int) -> dict[str, Any] | None:
    """Return the newest public checkpoint, or the snapshot's if the public log has fewer than `at_least` entries.

    A checkpoint that no remote has yet may be discarded for another, and a receipt that names it would belong to no log.
    """
    commit = snapshot.commit
    public = snapshot.repository.public_commit(commit) if commit is not None else None
    log = snapshot.sibling(public).log
    if log is None or log.size < at_least:
        log = snapshot.log
    if log is None:
        return None
    return {"origin": log.origin, "size": log.size, "root": base64.b64encode(log.root()).decode()}


def finish(
    started: Mapping[str, Any], track: str, rules: Methodology, measured: Measurement, **links: str | None
) -> Receipt:
    """Join a measurement with what was recorded before it into a draft.

    Args:
        started: the result of `start`.
        track: the track's name.
        rules: the methodology it was scored under.
        measured: the runner's result.
        links: `supersedes`, `reproduces`, `intentId`, `derivedFrom`; absent ones are null.
    """
    envelope = {
        "schemaVersion": SCHEMA_VERSION,
        "track": track,
        "receiptId": measured.receipt_id or environment.new_id(),
        "benchVersion": __version__,
        "origin": measured.origin,
        "methodology": rules.reference,
        "config": dict(measured.config),
        "supersedes": None,
        "reproduces": None,
        "intentId": None,
        "derivedFrom": None,
        "evidence": [evidence.reference(item) for item in measured.evidence],
        "simulated": measured.simulated,
        **started,
        **links,
    }
    clashing = sorted(FIELDS & measured.payload.keys())
    if clashing:
        raise InputError(
            f"track {track}: reserved key in its measurement: {clashing[0]!r}",
            hint="report it to the track's maintainers",
        )
    document = {**measured.payload, **envelope}
    draft = compose(document)
    if len(draft.data) > LARGEST_DRAFT:
        raise InputError(
            f"receipt too large: {len(draft.data):,} bytes, the limit is {LARGEST_DRAFT:,}",
            hint="measure less per run: fewer queries (--limit), a smaller largest k (--k), fewer sheets, shorter notes",
        )
    return draft
