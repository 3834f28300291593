"""drill: the keys are rotated and revoked on a copy; the record itself stays as it is."""

from __future__ import annotations

import pytest
from snapshots import opened, snapshot

from benchsite.environment import Credentials
from benchsite.errors import PrerequisiteError
from benchsite.history import Verdict
from benchsite.log import DisputeEntry
from benchsite.pipeline.drill import drill
from benchsite.pipeline.publish import events
from benchsite.pipeline.workspace import Workspace
from benchsite.repo.head import resolve_head
from benchsite.signing import PrivateKey


def test_a_drill_passes_and_changes_nothing(published: Workspace, credentials: Credentials) -> None:
    """Four receipts: the newest one is suspect, so three stay LOGGED."""
    before = resolve_head(published.repository)
    steps = list(drill(published, opened(published), credentials, opened))
    assert all(step.passed for step in steps)
    assert [step.command.split(" --")[0] for step in steps] == [
        "",
        "benchsite keys rotate receipt",
        "benchsite keys rotate log",
        "benchsite keys compromise receipt",
        "benchsite keys compromise log",
    ]
    assert "4 LOGGED" in steps[2].detail
    assert "3 LOGGED, 1 SUSPECT" in steps[-1].detail
    assert resolve_head(published.repository) == before
    assert {header.verdict for header in snapshot(published).history()} == {Verdict.LOGGED}
    assert not published.repository.changed_paths()


def test_a_drill_passes_on_a_record_with_withdrawn_receipts(
    published: Workspace, credentials: Credentials
) -> None:
    """The newest receipt is disputed: it becomes suspect too, with the newest one in good standing."""
    newest = list(snapshot(published).history())[-1].receipt_id
    entry = DisputeEntry(receiptId=newest, url="https://bench.example/17")
    events.announce(published, credentials, entry, push=False)
    steps = list(drill(published, opened(published), credentials, opened))
    assert all(step.passed for step in steps)
    assert "2 LOGGED, 2 SUSPECT" in steps[-1].detail


def test_a_drill_needs_the_keys_in_service(published: Workspace, secrets: dict[str, PrivateKey]) -> None:
    other = Credentials.of(**{**secrets, "log": PrivateKey.generate()})
    with pytest.raises(PrerequisiteError, match=r"the log key sha256:\w+ isn't in the log"):
        next(drill(published, opened(published), other, opened))
