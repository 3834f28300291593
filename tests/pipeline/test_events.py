"""retract, supersede, dispute, withdraw-evidence: what verification and the boards say afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest
from publishing import edit, git, measure, remote_pair
from snapshots import log_of, opened, snapshot

from benchsite.addresses import receipt_page_path
from benchsite.environment import Credentials
from benchsite.errors import InputError, IntegrityError, PrerequisiteError, UsageError
from benchsite.history import Header, Verdict
from benchsite.layout import receipt_path
from benchsite.log import DisputeEntry, RetractEntry, WithdrawEvidenceEntry
from benchsite.pipeline import build, publish
from benchsite.pipeline.publish import events
from benchsite.pipeline.record.append import Appended
from benchsite.pipeline.workspace import Workspace
from benchsite.repo import RewrittenError
from benchsite.repo.head import resolve_head

SHA = "ab" * 32


def header(instance: Workspace, receipt_id: str) -> Header:
    found = snapshot(instance).history().get(receipt_id)
    assert found is not None
    return found


def of_subject(instance: Workspace, name: str) -> str:
    history = snapshot(instance).history()
    return next(h.receipt_id for h in history if h.summary is not None and h.summary.subject.name == name)


def announced(
    instance: Workspace, credentials: Credentials, entry: object, *, push: bool = False
) -> Appended:
    return events.announce(instance, credentials, entry, push=push)  # type: ignore[arg-type]


def test_a_retracted_receipt_stays_readable_and_is_no_longer_ranked(
    published: Workspace, credentials: Credentials
) -> None:
    receipt_id = of_subject(published, "bm25")
    before = published.repository.read(receipt_path(receipt_id), rev="HEAD")
    size = log_of(published).size
    done = announced(published, credentials, events.retraction(receipt_id, "wrong tokenizer"))
    assert done.size == size + 1
    assert log_of(published).entry(size) == RetractEntry(receiptId=receipt_id, reason="wrong tokenizer")
    seen = header(published, receipt_id)
    assert seen.verdict is Verdict.RETRACTED
    assert not seen.ranked
    assert published.repository.read(receipt_path(receipt_id), rev="HEAD") == before
    assert f"receiptId: {receipt_id}" in git(published.root, "log", "-1", "--format=%B")


@pytest.mark.stories
def test_a_disputed_receipt_stays_ranked_and_links_the_objection(
    published: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    receipt_id = of_subject(published, "bm25")
    announced(published, credentials, events.dispute(receipt_id, "https://example.org/why"))
    seen = header(published, receipt_id)
    assert seen.verdict is Verdict.DISPUTED
    assert seen.ranked
    site = build.build(published, opened(published), tmp_path / "site").site
    link = '<a rel="nofollow" href="https://example.org/why">https://example.org/why</a>'
    for page in (receipt_page_path(receipt_id), "log/"):
        assert link in (site / page / "index.html").read_text(encoding="utf-8")


def test_a_newer_receipt_takes_the_place_of_an_older_one(
    published: Workspace, credentials: Credentials
) -> None:
    old = of_subject(published, "bm25")
    draft = measure(published, "bm25")
    publish.publish(published, opened(published), [draft], credentials, push=False)
    announced(published, credentials, events.succession(opened(published), old, draft.stem))
    assert header(published, old).verdict is Verdict.SUPERSEDED
    assert header(published, old).superseded_by == draft.stem
    assert header(published, draft.stem).verdict is Verdict.LOGGED


def test_what_may_not_be_superseded(published: Workspace, credentials: Credentials) -> None:
    old, other = of_subject(published, "bm25"), of_subject(published, "random")
    with pytest.raises(UsageError, match=r"\(bm25, not random\)"):
        events.succession(opened(published), old, other)
    draft, second = measure(published, "bm25"), measure(published, "bm25")
    publish.publish(published, opened(published), [draft, second], credentials, push=False)
    with pytest.raises(UsageError, match="cannot supersede itself"):
        events.succession(opened(published), old, old)
    with pytest.raises(UsageError, match="is older than") as caught:
        events.succession(opened(published), draft.stem, old)
    assert caught.value.hint == f"swap them: benchsite supersede {old} {draft.stem}"
    announced(published, credentials, events.succession(opened(published), old, draft.stem))
    with pytest.raises(UsageError, match="successor already"):
        announced(published, credentials, events.succession(opened(published), old, second.stem))


def test_a_reproduction_replaces_nothing(published: Workspace, credentials: Credentials) -> None:
    old = of_subject(published, "bm25")
    copy = edit(measure(published, "bm25"), {"reproduces": old})
    publish.publish(published, opened(published), [copy], credentials, push=False)
    with pytest.raises(UsageError, match="is a reproduction"):
        events.succession(opened(published), old, copy.stem)


def test_withdrawn_evidence_leaves_the_tree_in_the_same_commit(
    published: Workspace, credentials: Credentials
) -> None:
    path = f"results/evidence/ab/{SHA}"
    parent = resolve_head(published.repository)
    made = published.repository.build_commit({path: b"secret"}, parent=parent, message="evidence")
    published.repository.advance(made, expected=parent)
    published.repository.materialise([path], "HEAD")
    announced(published, credentials, events.withdrawal(SHA, "personal data"))
    assert published.repository.read(path, rev="HEAD") is None
    assert not (published.root / path).exists()
    log = log_of(published)
    assert log.entry(log.size - 1) == WithdrawEvidenceEntry(sha256=SHA, reason="personal data")


def test_the_same_thing_is_said_once(published: Workspace, credentials: Credentials) -> None:
    receipt_id = of_subject(published, "bm25")
    for entry in (
        events.retraction(receipt_id, "a"),
        events.dispute(receipt_id, "https://example.org/1"),
        events.withdrawal(SHA, "x"),
    ):
        announced(published, credentials, entry)
        head = resolve_head(published.repository)
        with pytest.raises(UsageError, match="already logged: entry"):
            announced(published, credentials, entry)
        assert resolve_head(published.repository) == head
    announced(published, credentials, events.dispute(receipt_id, "https://example.org/2"))


@pytest.mark.parametrize("reason", ["", "   ", "a\nb", "x" * 2001, "nul\x00", "\u2028", "left \u202e right"])
def test_a_reason_is_one_line_of_prose(reason: str) -> None:
    with pytest.raises(InputError, match="retract: reason: "):
        events.retraction("00000000-0000-4000-8000-000000000000", reason)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "javascript:alert(1)",
        "https://a b",
        "ftp://x",
        'https://x"onclick=',
        "https://me:pw@x.example/",
        "https://",
    ],
)
def test_an_objection_is_linked_by_a_web_address(url: str) -> None:
    with pytest.raises(InputError, match="dispute: url: "):
        events.dispute("00000000-0000-4000-8000-000000000000", url)


def test_a_receipt_is_named_by_the_beginning_of_its_id(published: Workspace) -> None:
    receipt_id = of_subject(published, "bm25")
    assert events.receipt_named(opened(published), receipt_id[:18]) == receipt_id
    for name in ("", "zz", "../x"):
        with pytest.raises(UsageError, match="in the log"):
            events.receipt_named(opened(published), name)


def test_an_event_needs_the_log_key(published: Workspace) -> None:
    entry = events.retraction(of_subject(published, "bm25"), "x")
    with pytest.raises(PrerequisiteError, match="BENCHSITE_LOG_KEY"):
        announced(published, Credentials(), entry)


def test_a_remote_that_took_a_publish_back_is_not_built_upon(
    published: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    """Somebody force-pushes an older head: the clone that saw the newer one refuses, each time it is asked."""
    first, second = remote_pair(published, tmp_path)
    before = resolve_head(first.repository)
    announced(
        first, credentials, events.dispute(of_subject(first, "bm25"), "https://example.org/1"), push=True
    )
    git(second.root, "pull", "-q")
    git(tmp_path / "origin.git", "update-ref", "refs/heads/main", str(before))
    draft = measure(second)
    for _ in range(2):
        with pytest.raises(RewrittenError):
            publish.publish(second, opened(second), [draft], credentials)
    assert draft.exists()


def test_a_remote_whose_log_lost_entries_is_not_built_upon(
    published: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    """Its history only grew, but a commit put an older log in place: whoever holds the log key could do that."""
    first, second = remote_pair(published, tmp_path)
    base = resolve_head(first.repository)
    record = ("results/log/checkpoint", "results/log/entries/000000.jsonl")
    old = {path: first.repository.read(path, rev="HEAD") or b"" for path in record}
    announced(
        first, credentials, events.dispute(of_subject(first, "bm25"), "https://example.org/1"), push=True
    )
    git(second.root, "pull", "-q")
    parent = resolve_head(first.repository)
    made = first.repository.build_commit(old, parent=parent, message="back")
    first.repository.advance(made, expected=parent)
    first.repository.materialise(record, "HEAD")
    first.repository.push("HEAD")
    assert base != parent
    with pytest.raises(IntegrityError, match="lost public entries: "):
        publish.publish(second, opened(second), [measure(second)], credentials)


def test_a_dispute_entry_is_what_the_specification_says() -> None:
    """specs/log.md: `dispute {receiptId, url}`."""
    entry = events.dispute("00000000-0000-4000-8000-000000000000", "https://example.org/x")
    assert isinstance(entry, DisputeEntry)
    assert entry.model_dump(by_alias=True) == {
        "v": 1,
        "type": "dispute",
        "receiptId": "00000000-0000-4000-8000-000000000000",
        "url": "https://example.org/x",
    }


@pytest.mark.stories
@pytest.mark.parametrize("fetched", ["git fetch", "nothing"])
def test_a_rollback_of_the_remote_is_noticed_whatever_fetched_in_between(
    published: Workspace, credentials: Credentials, tmp_path: Path, fetched: str
) -> None:
    """An editor's own `git fetch` follows a forced push without a word; our pin does not."""
    first, second = remote_pair(published, tmp_path)
    publish.publish(first, opened(first), [measure(first)], credentials)
    public = log_of(first)
    git(second.root, "push", "-q", "-f", "origin", "HEAD:main")
    publish.publish(second, opened(second), [measure(second, "bm25")], credentials)
    if fetched == "git fetch":
        git(first.root, "fetch", "-q", "origin")
    draft = measure(first, "random")
    with pytest.raises(RewrittenError):
        publish.publish(first, opened(first), [draft], credentials)
    assert log_of(first).root() == public.root()
    assert draft.exists()


def test_a_branch_of_ones_own_carries_no_entries(
    published: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    """Two branches with two signed heads of one size would be a split view, made by an honest maintainer."""
    _, second = remote_pair(published, tmp_path)
    git(second.root, "switch", "-q", "-c", "side")
    with pytest.raises(PrerequisiteError, match="tracks side, .*main"):
        publish.publish(second, opened(second), [measure(second)], credentials, push=False)


def test_the_words_of_an_event_are_not_in_the_commit_message(
    published: Workspace, credentials: Credentials
) -> None:
    """A terminal that shows `git log` would act on them; the log's own readers escape them."""
    announced(published, credentials, events.retraction(of_subject(published, "bm25"), "a wrong index"))
    assert "wrong" not in git(published.root, "log", "-1", "--format=%B")
