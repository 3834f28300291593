from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from builders import FIXTURE, retrieval_work
from examples import some
from publishing import edit, git, measure, remote_pair
from snapshots import opened, snapshot

from benchsite import canonical
from benchsite.environment import Credentials
from benchsite.errors import InputError, IntegrityError, PrerequisiteError, UsageError
from benchsite.log import IntentEntry
from benchsite.pipeline import publish
from benchsite.pipeline.measure import run
from benchsite.pipeline.measure.register import announcer, require_due
from benchsite.pipeline.publish import links_check as claims
from benchsite.pipeline.workspace import Workspace
from benchsite.pipeline.workspace import drafts as draft_files
from benchsite.receipt import Receipt
from benchsite.repo.head import resolve_head
from benchsite.signing import PrivateKey


def registered(instance: Workspace, credentials: Credentials, adapter: str = "bm25") -> run.Result:
    (result,) = run.run(
        instance,
        opened(instance),
        [retrieval_work(adapter)],
        announce=announcer(instance, opened(instance), credentials, push=False),
    )
    assert result.draft is not None, result.reason
    return result


@pytest.mark.parametrize("due", ["40", "2090-01-31T00:00:00Z"])
def test_an_announcement_says_when_its_receipt_is_due(
    begun: Workspace, credentials: Credentials, due: str
) -> None:
    announce = announcer(begun, opened(begun), credentials, push=False, due_by=due)
    list(run.run(begun, opened(begun), [retrieval_work("bm25")], announce=announce))
    log = snapshot(begun).log
    assert log is not None
    entry = log.entry(3)
    assert isinstance(entry, IntentEntry)
    assert entry.due_by == due
    (unreported,) = snapshot(begun).history().unreported
    assert (unreported.due_by, unreported.overdue) == (due, False)


@pytest.mark.parametrize(
    ("due", "says"),
    [
        ("3", "--due 3 is in the past: the log has 3 entries"),
        ("2020-01-31T00:00:00Z", "is in the past"),
        ("2090-02-30T00:00:00Z", "is neither a log position nor a UTC time"),
        ("2090-01-31", "is neither a log position"),
        ("+40", "is neither a log position"),
        ("", "is neither a log position"),
    ],
)
def test_what_cannot_be_promised_is_refused_before_anything_is_run(
    begun: Workspace, credentials: Credentials, due: str, says: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(says)):
        announcer(begun, opened(begun), credentials, push=False, due_by=due)
    with pytest.raises(UsageError, match=re.escape(says)):
        require_due(opened(begun), due)


def held(instance: Workspace, path: Path, *others: Receipt) -> None:
    log = snapshot(instance).log
    assert log is not None
    claims.check(instance, log, draft_files.load(path), others)


def test_a_run_is_announced_before_it_begins_and_its_draft_says_so(
    begun: Workspace, secrets: dict[str, PrivateKey]
) -> None:
    result = registered(begun, Credentials.of(log=secrets["log"]))  # the log key alone is enough
    assert result.draft is not None
    document = json.loads(result.draft.read_bytes())
    log = snapshot(begun).log
    assert log is not None
    assert log.size == 4  # three keys, then the announcement
    entry = log.entry(3)
    assert entry == IntentEntry(
        intentId=document["intentId"],
        track="retrieval",
        subjectSha256=document["config"]["subjectSha256"],
        configSha256=canonical.sha256_hex(canonical.dumps(document["config"])),
        target=FIXTURE,
        methodology="1.0.0",
        seed=7,
    )
    assert document["logHead"]["size"] == 4
    assert result.announced is not None
    assert (result.announced.intent_id, result.announced.index) == (document["intentId"], 3)
    assert result.announced.public is False
    assert begun.repository.state(resolve_head(begun.repository))["dirty"] is False
    held(begun, result.draft)


def test_once_published_the_receipt_is_registered(begun: Workspace, credentials: Credentials) -> None:
    result = registered(begun, credentials)
    assert result.draft is not None
    (unreported,) = snapshot(begun).history().unreported
    assert unreported.subject == ""
    publish.publish(begun, opened(begun), [result.draft], credentials, push=False)
    history = snapshot(begun).history()
    assert history.unreported == ()
    header = history.get(result.receipt_id)
    assert header is not None
    assert (header.registered, header.unranked) == (True, ())


def test_the_announcement_is_public_before_the_run(
    begun: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    here, _ = remote_pair(begun, tmp_path)
    announce = announcer(here, opened(here), credentials, push=True)
    seen: list[int] = []

    def look(_done: int, _total: int, _label: str) -> None:
        """While the subject runs, the remote has the announcement already."""
        here.repository.fetch()
        theirs = git(here.root, "show", "origin/main:results/log/entries/000000.jsonl")
        seen.append(theirs.count('"type":"intent"'))

    (result,) = run.run(here, opened(here), [retrieval_work("bm25")], announce=announce, progress=look)
    assert result.announced is not None
    assert result.announced.public
    assert set(seen) == {1}


def test_an_announcement_not_yet_public_is_the_head_its_run_names(
    begun: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    """Other runs name the newest public head; this one would then have begun before it was announced."""
    here, _ = remote_pair(begun, tmp_path)
    result = registered(here, credentials)
    assert result.draft is not None
    assert json.loads(result.draft.read_bytes())["logHead"]["size"] == 4
    outcome = publish.publish(here, opened(here), [result.draft], credentials)
    assert outcome.appended.public
    header = snapshot(here).history().get(result.receipt_id)
    assert header is not None
    assert header.registered


def test_a_dry_run_and_a_skipped_run_announce_nothing(published: Workspace, credentials: Credentials) -> None:
    size = _size(published)
    announce = announcer(published, opened(published), credentials, push=False)
    (planned,) = run.run(
        published, opened(published), [retrieval_work("bm25", seed=8)], announce=announce, dry_run=True
    )
    (skipped,) = run.run(
        published, opened(published), [retrieval_work("bm25")], announce=announce, changed=True
    )
    assert (planned.state, skipped.state) == ("planned", "skipped")
    assert _size(published) == size


def test_a_run_that_fails_leaves_its_announcement(
    begun: Workspace, credentials: Credentials, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_arguments: object, **_named: object) -> None:
        raise InputError("the disk is full")

    monkeypatch.setattr(run, "measure", fails)
    (result,) = run.run(
        begun,
        opened(begun),
        [retrieval_work("bm25")],
        announce=announcer(begun, opened(begun), credentials, push=False),
    )
    assert (result.state, result.reason) == ("failed", "the disk is full")
    assert result.announced is not None
    (unreported,) = snapshot(begun).history().unreported
    assert unreported.intent_id == result.announced.intent_id


def test_every_run_has_an_announcement_of_its_own(begun: Workspace, credentials: Credentials) -> None:
    first, second = (registered(begun, credentials) for _ in range(2))
    assert first.announced is not None
    assert second.announced is not None
    assert first.announced.intent_id != second.announced.intent_id
    assert len(snapshot(begun).history().unreported) == 2


def test_without_the_log_key_nothing_is_run(begun: Workspace) -> None:
    with pytest.raises(PrerequisiteError, match="BENCHSITE_LOG_KEY"):
        announcer(begun, opened(begun), Credentials(), push=False)
    with pytest.raises(PrerequisiteError, match="wrong log key"):
        announcer(begun, opened(begun), Credentials.of(log=PrivateKey.generate()), push=False)


@pytest.mark.parametrize(
    ("change", "field"),
    some(
        [
            ({"seed": 8}, "config.seed|config"),
            ({"subjectSha256": "0b" * 32}, "config.subjectSha256"),
            ({"k": [1, 5]}, "config"),
        ],
        gate=1,
    ),
)
def test_a_draft_of_another_run_may_not_take_the_announcement(
    begun: Workspace, credentials: Credentials, change: dict[str, object], field: str
) -> None:
    path = registered(begun, credentials).draft
    assert path is not None
    config = {**json.loads(path.read_bytes())["config"], **change}
    with pytest.raises(IntegrityError, match=f"{field}: .*entry 3 "):
        held(begun, edit(path, {"config": config}))


def test_one_announcement_is_for_one_receipt(begun: Workspace, credentials: Credentials) -> None:
    result = registered(begun, credentials)
    path = result.draft
    assert path is not None
    assert result.announced is not None
    intent_id = result.announced.intent_id
    second = edit(measure(begun, "bm25"), {"intentId": intent_id})
    # Two drafts in one commit, then one after the other.
    with pytest.raises(IntegrityError, match=f"receipt {path.stem} already"):
        held(begun, second, draft_files.load(path))
    with pytest.raises(IntegrityError, match=f"receipt {path.stem} already"):
        publish.publish(begun, opened(begun), [path, second], credentials, push=False)
    publish.publish(begun, opened(begun), [path], credentials, push=False)
    with pytest.raises(IntegrityError, match=f"receipt {path.stem} already"):
        publish.publish(begun, opened(begun), [second], credentials, push=False)


def test_a_run_from_before_the_announcement_may_not_take_it(
    begun: Workspace, credentials: Credentials
) -> None:
    early = measure(begun, "bm25")
    result = registered(begun, credentials)
    assert result.announced is not None
    with pytest.raises(IntegrityError, match="had 3 entries"):
        held(begun, edit(early, {"intentId": result.announced.intent_id}))


def _size(instance: Workspace) -> int:
    log = snapshot(instance).log
    assert log is not None
    return log.size
