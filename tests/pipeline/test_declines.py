"""decline: why a subject is not measured; listed on its board, and nothing else changes."""

from __future__ import annotations

import pytest
from builders import FIXTURE
from snapshots import log_of, opened, snapshot

from benchsite.environment import Credentials
from benchsite.errors import InputError, UsageError
from benchsite.log import DeclineEntry
from benchsite.pipeline.audit import audit
from benchsite.pipeline.publish import events
from benchsite.pipeline.workspace import Workspace


def test_a_decline_is_logged_once_and_changes_no_verdict(
    published: Workspace, credentials: Credentials
) -> None:
    before = [(header.receipt_id, header.verdict, header.ranked) for header in snapshot(published).history()]
    entry = events.refusal(
        published, opened(published), "retrieval", "mem0", FIXTURE, "its license forbids it"
    )
    done = events.announce(published, credentials, entry, push=False)
    log = log_of(published)
    assert log.entry(done.size - 1) == entry
    assert log.declined == {("retrieval", "mem0", FIXTURE): done.size - 1}
    history = snapshot(published).history()
    assert history.declined == ((done.size - 1, entry),)
    assert [(header.receipt_id, header.verdict, header.ranked) for header in history] == before
    assert audit(snapshot(published)).ok
    with pytest.raises(UsageError, match=f"already logged: entry {done.size - 1}"):
        events.announce(published, credentials, entry, push=False)
    other = events.refusal(
        published, opened(published), "retrieval", "zep", FIXTURE, "its license forbids it"
    )
    assert isinstance(other, DeclineEntry)
    assert events.announce(published, credentials, other, push=False).size == done.size + 1


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        (("Retrieval", "mem0", "small-v1", "x"), "decline: track: 'Retrieval'"),
        (("retrieval", "", "small-v1", "x"), "decline: subject: ''"),
        (("retrieval", "mem0", "../x", "x"), "decline: target: '../x'"),
        (("retrieval", "mem0", "small-v1", " "), "decline: reason: ' '"),
        (("retrieval", "mem0", "small-v1", "a\nb"), "decline: reason:"),
    ],
)
def test_what_cannot_be_logged_is_named(
    published: Workspace, fields: tuple[str, str, str, str], says: str
) -> None:
    with pytest.raises(InputError, match=says):
        events.refusal(published, opened(published), *fields)


def test_what_is_not_so_is_refused_before_it_is_logged(
    published: Workspace, credentials: Credentials
) -> None:
    """An entry can never be taken back: a slip of the keyboard, and a subject that a receipt measures."""
    with pytest.raises(UsageError, match="no track 'retrieva'"):
        events.refusal(published, opened(published), "retrieva", "mem0", FIXTURE, "x")
    with pytest.raises(UsageError, match="'smal-v1'") as found:
        events.refusal(published, opened(published), "retrieval", "mem0", "smal-v1", "x")
    assert FIXTURE in found.value.hint
    header = next(header for header in snapshot(published).history() if header.ranked)
    assert header.summary is not None
    with pytest.raises(UsageError, match=f"receipt {header.receipt_id} measures"):
        events.refusal(
            published, opened(published), "retrieval", header.summary.subject.name, header.summary.target, "x"
        )
    events.announce(published, credentials, events.retraction(header.receipt_id, "wrong"), push=False)
    events.refusal(
        published, opened(published), "retrieval", header.summary.subject.name, header.summary.target, "x"
    )
