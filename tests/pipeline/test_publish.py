from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from builders import commit
from documents import MATERIALS
from publishing import edit, git, measure
from snapshots import opened, snapshot

from benchsite import canonical
from benchsite.environment import Credentials
from benchsite.errors import BenchsiteError, InputError, IntegrityError, PrerequisiteError
from benchsite.history import Verdict, examine
from benchsite.layout import SCRATCH, receipt_path
from benchsite.log import FixtureEntry, MethodologyEntry, ReceiptEntry, SupersedeEntry
from benchsite.pipeline import publish
from benchsite.pipeline.publish import candidates
from benchsite.pipeline.record import append as appending
from benchsite.pipeline.workspace import Workspace
from benchsite.pipeline.workspace import drafts as draft_files
from benchsite.receipt import parse_draft
from benchsite.repo.head import resolve_head
from benchsite.signing import PrivateKey
from benchsite.tracks.retrieval import metrics
from benchsite.tracks.retrieval.scores.scoring import Query


def test_one_commit_holds_the_receipt_its_entries_and_the_checkpoint(
    begun: Workspace, credentials: Credentials
) -> None:
    path = measure(begun)
    receipt_id = path.stem
    before = resolve_head(begun.repository)
    outcome = publish.publish(begun, opened(begun), [path], credentials, push=False)
    assert outcome.receipts == (receipt_id,)
    assert outcome.appended.public is False
    assert git(begun.root, "rev-list", "--count", f"{before}..HEAD") == "1"
    assert sorted(git(begun.root, "show", "--name-only", "--format=", "HEAD").split()) == [
        "results/log/checkpoint",
        "results/log/entries/000000.jsonl",
        "results/log/sizes",
        receipt_path(receipt_id),
    ]
    log = snapshot(begun).log
    assert log is not None
    # Entries 0 to 2 are the three keys; then the documents a receipt uses first, then the receipt.
    kinds = [type(log.entry(index)) for index in range(3, log.size)]
    assert kinds == [MethodologyEntry, FixtureEntry, ReceiptEntry]
    assert not path.exists(), "a published draft is removed"
    assert begun.repository.state(resolve_head(begun.repository))["dirty"] is False


def test_what_is_published_verifies_and_is_canonical(published: Workspace) -> None:
    log = snapshot(published).log
    for item in snapshot(published).published:
        data = published.repository.blob(item.blob_id)
        assert canonical.dumps(canonical.loads(data)) == data
        seen = examine(
            data, log=log, scorers=published.tracks, materials=MATERIALS, path=item.path, deep=True
        )
        assert seen.verdict is Verdict.LOGGED, seen.steps
        assert seen.exit_code == 0


def test_documents_are_logged_once(published: Workspace, credentials: Credentials) -> None:
    publish.publish(published, opened(published), [measure(published)], credentials, push=False)
    log = snapshot(published).log
    assert log is not None
    kinds = [type(log.entry(index)) for index in range(log.size)]
    assert kinds.count(MethodologyEntry) == 1
    assert kinds.count(FixtureEntry) == 1


def test_publishing_twice_changes_nothing(begun: Workspace, credentials: Credentials) -> None:
    path = measure(begun)
    copy = path.read_bytes()
    publish.publish(begun, opened(begun), [path], credentials, push=False)
    head = resolve_head(begun.repository)
    path.write_bytes(copy)
    outcome = publish.publish(begun, opened(begun), [path], credentials, push=False)
    assert outcome.receipts == ()
    assert outcome.appended.commit is None
    assert resolve_head(begun.repository) == head
    assert not path.exists()


def test_another_draft_under_a_published_id_is_refused_and_kept(
    begun: Workspace, credentials: Credentials
) -> None:
    path = measure(begun)
    copy = path.read_bytes()
    publish.publish(begun, opened(begun), [path], credentials, push=False)
    path.write_bytes(copy)
    with pytest.raises(IntegrityError, match="published with other"):
        publish.publish(
            begun, opened(begun), [edit(path, {"ranAt": "2026-01-01T00:00:00Z"})], credentials, push=False
        )
    assert path.exists()


def test_a_damaged_record_is_not_built_upon(published: Workspace, credentials: Credentials) -> None:
    item = snapshot(published).published[0]
    path = measure(published)
    commit(published, {item.path: b"{}"})
    with pytest.raises(IntegrityError, match=f"{item.path} was edited"):
        publish.publish(published, opened(published), [path], credentials, push=False)
    commit(published, {}, removes=(item.path,))
    with pytest.raises(IntegrityError, match=f"{item.path} is missing"):
        publish.publish(published, opened(published), [path], credentials, push=False)
    assert path.exists()


def test_a_draft_with_edited_numbers_is_refused(begun: Workspace, credentials: Credentials) -> None:
    path = measure(begun, "bm25")
    scores = {**json.loads(path.read_bytes())["scores"], "ndcg_at_5": 0.999}
    with pytest.raises(IntegrityError, match=r"scores\.ndcg_at_5 recorded 0\.999"):
        publish.publish(begun, opened(begun), [edit(path, {"scores": scores})], credentials, push=False)
    assert path.exists(), "a refused draft is kept"
    assert begun.repository.changed_paths("results", "keys") == []


def test_a_draft_with_an_edited_interval_is_refused(begun: Workspace, credentials: Credentials) -> None:
    """Only the deep re-score recomputes bootstrap intervals: publish must do it."""
    path = measure(begun, "bm25")
    intervals = json.loads(path.read_bytes())["intervals"]
    assert intervals["ndcg_at_5"]["method"] == "bootstrap"
    intervals["ndcg_at_5"]["low"] = 0.0009765625
    with pytest.raises(IntegrityError, match=r"intervals\.ndcg_at_5"):
        publish.publish(begun, opened(begun), [edit(path, {"intervals": intervals})], credentials, push=False)


def test_a_fixture_changed_after_the_run_is_refused(begun: Workspace, credentials: Credentials) -> None:
    path = measure(begun)
    fixture = begun.fixture_path("small-v1")
    document = json.loads(fixture.read_bytes())
    document["items"][0]["content"] = "changed"
    fixture.write_text(json.dumps(document))
    with pytest.raises(IntegrityError, match="small-v1 changed"):
        publish.publish(begun, opened(begun), [path], credentials, push=False)
    assert path.exists()


def test_a_logged_fixture_never_changes(published: Workspace, credentials: Credentials) -> None:
    fixture = published.fixture_path("small-v1")
    document = json.loads(fixture.read_bytes())
    document["items"][0]["content"] = "changed"
    commit(published, {"fixtures/small-v1/fixture.json": json.dumps(document).encode()})
    with pytest.raises(IntegrityError, match=r"fixture\.json was edited"):
        publish.publish(published, opened(published), [measure(published)], credentials, push=False)


def test_rules_changed_after_the_run_are_refused(begun: Workspace, credentials: Credentials) -> None:
    path = measure(begun)
    rules = begun.root / "methodology/retrieval/1.0.0/text.md"
    rules.write_text(rules.read_text() + "\nOne more sentence.\n")
    with pytest.raises(IntegrityError, match=r"retrieval 1\.0\.0 changed"):
        publish.publish(Workspace(begun.root), opened(Workspace(begun.root)), [path], credentials, push=False)


def test_uncommitted_changes_in_the_record_stop_publish(
    published: Workspace, credentials: Credentials
) -> None:
    item = snapshot(published).published[0]
    (published.root / item.path).write_text("tampered")
    path = measure(published)
    with pytest.raises(PrerequisiteError, match=f"uncommitted .*{item.path}"):
        publish.publish(published, opened(published), [path], credentials, push=False)


def test_where_the_log_was_removed_publish_says_so(begun: Workspace, credentials: Credentials) -> None:
    path = measure(begun)
    files = [
        item.path
        for item in begun.repository.tree("results/log", rev="HEAD")
        if not item.path.endswith(".gitkeep")
    ]
    commit(begun, {}, removes=tuple(files))
    with pytest.raises(IntegrityError, match="results/log is missing"):
        publish.publish(begun, opened(begun), [path], credentials, push=False)


def test_another_key_than_the_one_in_force_is_refused(
    begun: Workspace, secrets: dict[str, PrivateKey]
) -> None:
    path = measure(begun)
    wrong = Credentials.of(**{**secrets, "receipt": PrivateKey.generate()})
    with pytest.raises(PrerequisiteError, match="wrong receipt key"):
        publish.publish(begun, opened(begun), [path], wrong, push=False)
    assert path.exists()


def test_missing_keys_are_named(begun: Workspace) -> None:
    with pytest.raises(PrerequisiteError, match="BENCHSITE_RECEIPT_KEY"):
        publish.publish(begun, opened(begun), [measure(begun)], Credentials(), push=False)


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"[]", b"\xff", b"{" * 100, b'{"a":1,"a":2}', b" " * (8 * 1024 * 1024 + 1)],
    ids=["empty", "no fields", "array", "not utf-8", "deep", "duplicate key", "huge"],
)
def test_malformed_drafts_are_input_errors_and_stay(
    begun: Workspace, credentials: Credentials, content: bytes
) -> None:
    path = begun.root / SCRATCH / "drafts" / "x.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    with pytest.raises(InputError):
        publish.publish(begun, opened(begun), [path], credentials, push=False)
    assert path.read_bytes() == content


def test_one_bad_draft_among_good_ones_publishes_nothing(begun: Workspace, credentials: Credentials) -> None:
    good, bad = measure(begun), measure(begun, "bm25")
    bad.write_bytes(b"{}")
    with pytest.raises(BenchsiteError):
        publish.publish(begun, opened(begun), [good, bad], credentials, push=False)
    log = snapshot(begun).log
    assert log is not None
    assert not log.receipts
    assert good.exists()


def test_superseding_declares_and_logs_the_event(published: Workspace, credentials: Credentials) -> None:
    old = next(
        header.receipt_id
        for header in snapshot(published).history()
        if header.summary is not None and header.summary.subject.name == "bm25"
    )
    path = edit(measure(published, "bm25"), {"supersedes": old})
    publish.publish(published, opened(published), [path], credentials, push=False)
    log = snapshot(published).log
    assert log is not None
    assert isinstance(log.entry(log.size - 1), SupersedeEntry)
    history = snapshot(published).history()
    header = history.get(old)
    assert header is not None
    assert header.verdict is Verdict.SUPERSEDED
    assert header.superseded_by == path.stem
    assert not header.ranked


def test_superseding_another_subject_is_refused(published: Workspace, credentials: Credentials) -> None:
    old = next(
        header.receipt_id
        for header in snapshot(published).history()
        if header.summary is not None and header.summary.subject.name == "random"
    )
    path = edit(measure(published, "bm25"), {"supersedes": old})
    with pytest.raises(IntegrityError, match="another subject"):
        publish.publish(published, opened(published), [path], credentials, push=False)


def test_an_edited_log_head_is_refused(begun: Workspace, credentials: Credentials) -> None:
    path = measure(begun)
    head = json.loads(path.read_bytes())["logHead"]
    with pytest.raises(IntegrityError, match="fail verification"):
        publish.publish(
            begun,
            opened(begun),
            [edit(path, {"logHead": {**head, "root": "A" * 43 + "="}})],
            credentials,
            push=False,
        )


def test_expected_answers_must_be_the_fixtures(begun: Workspace, credentials: Credentials) -> None:
    """A cheat's draft: what was retrieved is declared expected, and every number follows from that."""
    path = measure(begun, "bm25")
    document = json.loads(path.read_bytes())
    for row in document["perQuery"]:
        if row["answerable"] and row["retrieved"]:
            row["expected"] = [{"id": row["retrieved"][0], "grade": 1}]
            row |= {"hit": True, "rank": 1}
    rows = [Query.from_row(row) for row in document["perQuery"]]
    document |= metrics.score(rows, document["config"]["k"]).sections(seed=document["config"]["seed"])
    path.write_bytes(canonical.dumps(document))
    candidates.recheck(opened(begun), draft_files.load(path))
    with pytest.raises(IntegrityError, match=r"q\d: expected .*small-v1"):
        publish.publish(begun, opened(begun), [path], credentials, push=False)


def test_an_inbox_draft_leaves_with_the_commit_and_a_file_elsewhere_stays(
    begun: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    sent, own = measure(begun), measure(begun, "bm25")
    inbox = f"results/inbox/{sent.name}"
    commit(begun, {inbox: sent.read_bytes()})
    sent.unlink()
    elsewhere = own.rename(tmp_path / "mine.json")
    outcome = publish.publish(begun, opened(begun), [begun.root / inbox, elsewhere], credentials, push=False)
    assert len(outcome.receipts) == 2
    assert begun.repository.read(inbox, rev="HEAD") is None
    assert not (begun.root / inbox).exists()
    assert elsewhere.exists()
    assert begun.repository.state(resolve_head(begun.repository))["dirty"] is False


def test_a_temporary_file_left_by_a_crash_does_not_stop_the_next_publish(
    begun: Workspace, credentials: Credentials, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = measure(begun)

    def dies(_self: Path, _target: Path) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(appending, "recover", lambda _instance, _head: False)
        patch.setattr(Path, "replace", dies)
        with pytest.raises(KeyboardInterrupt):
            publish.publish(begun, opened(begun), [path], credentials, push=False)
    outcome = publish.publish(
        Workspace(begun.root), opened(Workspace(begun.root)), [path], credentials, push=False
    )
    assert outcome.receipts == (path.stem,)


def test_a_crash_after_the_commit_point_is_finished_by_the_next_publish(
    begun: Workspace, credentials: Credentials, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = measure(begun)

    def dies(_paths: object, _commit: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(begun.repository, "materialise", dies)
        with pytest.raises(KeyboardInterrupt):
            publish.publish(begun, opened(begun), [path], credentials, push=False)
    assert begun.repository.changed_paths("results") != []
    again = Workspace(begun.root)
    outcome = publish.publish(again, opened(again), [path], credentials, push=False)
    assert outcome.appended.commit is None, "the receipt was logged before the crash: nothing to do"
    assert again.repository.changed_paths("results", "keys") == []
    assert not path.exists()
    log = snapshot(again).log
    assert log is not None
    assert list(log.receipts) == [path.stem]


def test_drafts_are_found_by_prefix(begun: Workspace) -> None:
    path = measure(begun)
    assert candidates.named(begun, opened(begun), [path.stem[:8]]) == [path]
    assert candidates.named(begun, opened(begun), []) == [path]
    with pytest.raises(InputError, match="draft named 'nope'"):
        candidates.named(begun, opened(begun), ["nope"])
    assert parse_draft(path.read_bytes()).receipt_id == path.stem


def test_what_ran_later_is_logged_later(published: Workspace, credentials: Credentials) -> None:
    """A board shows the latest by place in the log."""
    late = edit(measure(published, "bm25"), {"ranAt": "2026-11-20T00:00:02Z"})
    early = edit(measure(published, "recency"), {"ranAt": "2026-11-20T00:00:01Z"})
    outcome = publish.publish(published, opened(published), [late, early], credentials, push=False)
    assert outcome.receipts == (early.stem, late.stem)


def moment(minutes: int) -> str:
    """A moment that lies so far ahead of this machine's clock."""
    return (datetime.now(UTC) + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


def test_a_run_ahead_of_the_clock_takes_no_place_before_it_is_due(
    published: Workspace, credentials: Credentials
) -> None:
    """Ten minutes are allowed for clocks that differ."""
    draft = edit(measure(published), {"ranAt": moment(11)})
    with pytest.raises(IntegrityError, match="ranAt .*future") as caught:
        publish.publish(published, opened(published), [draft], credentials, push=False)
    assert "the machine that ran it" in caught.value.hint
    edit(draft, {"ranAt": moment(9)})
    assert publish.publish(published, opened(published), [draft], credentials, push=False).receipts == (
        draft.stem,
    )
