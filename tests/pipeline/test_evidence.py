"""Evidence beside the receipts: kept by a run, published with its receipt, served, watched over, withdrawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from altering import found, grow
from branches import Work, failing
from builders import commit
from examples import some
from hypothesis import given
from hypothesis import strategies as st
from publishing import attach, edit, measure, remote_pair
from snapshots import opened, snapshot

from benchsite import canonical
from benchsite.environment import Credentials
from benchsite.errors import InputError, IntegrityError
from benchsite.layout import receipt_path
from benchsite.log import ReceiptEntry
from benchsite.pipeline import build, publish, verify
from benchsite.pipeline.audit import Kind, audit
from benchsite.pipeline.building import pages
from benchsite.pipeline.check import record
from benchsite.pipeline.publish import events
from benchsite.pipeline.record import evidence
from benchsite.pipeline.snapshot import integrity
from benchsite.pipeline.workspace import Workspace
from benchsite.repo import Past, Repository
from benchsite.repo.head import resolve_head
from benchsite.signing import PrivateKey
from benchsite.track import Evidence, Library

TRANSCRIPT = "What is asked.\nWhat is answered: \u201cno\u201d.\n".encode()
SHA256 = canonical.sha256_hex(TRANSCRIPT)
PATH = f"results/evidence/{SHA256[:2]}/{SHA256}"


def with_evidence(instance: Workspace, data: bytes = TRANSCRIPT) -> Path:
    return edit(measure(instance), {"evidence": [attach(instance, data)]})


def test_it_is_published_with_its_receipt_and_served_as_text(
    published: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    before = resolve_head(published.repository)
    publish.publish(published, opened(published), [with_evidence(published)], credentials, push=False)
    assert published.repository.read(PATH, rev="HEAD") == TRANSCRIPT
    assert published.repository.read(PATH, rev=before or "") is None
    assert found(published) == set()
    site = build.build(published, opened(published), tmp_path / "site").site
    assert (site / f"{PATH}.txt").read_bytes() == TRANSCRIPT


@pytest.mark.parametrize("change", ["gone", "edited"])
def test_verifying_everything_misses_a_pinned_document_until_it_is_withdrawn(
    published: Workspace, credentials: Credentials, change: str
) -> None:
    publish.publish(published, opened(published), [with_evidence(published)], credentials, push=False)
    assert {item.exit_code for item in verify.verify(opened(published), (), everything=True)} == {0}
    if change == "gone":
        commit(published, {}, removes=(PATH,))
    else:
        commit(published, {PATH: TRANSCRIPT + b"more"})
    (faulty,) = [item for item in verify.verify(opened(published), (), everything=True) if item.exit_code]
    assert (faulty.path, faulty.exit_code) == (PATH, 3)
    assert faulty.error is not None
    said = {"gone": "pins it, but the file is missing", "edited": "records another size"}
    assert said[change] in faulty.error.message
    entry = events.withdrawal(SHA256, "personal data")
    events.announce(Workspace(published.root), credentials, entry, push=False)
    again = verify.verify(opened(Workspace(published.root)), (), everything=True)
    assert {item.exit_code for item in again} == {0}


def test_two_receipts_may_pin_one_document(published: Workspace, credentials: Credentials) -> None:
    publish.publish(published, opened(published), [with_evidence(published)], credentials, push=False)
    publish.publish(published, opened(published), [with_evidence(published)], credentials, push=False)
    assert found(published) == set()


@given(
    st.dictionaries(
        st.sampled_from(["evidence", "evidenced", "body", "z"]),
        st.sampled_from(
            [[], [{}], "evidence", '"evidence":[]', {"evidence": []}, {"evidence": [{}]}, "\\", "\n"]
        ),
    ),
    st.integers(0, len("evidence")),
)
def test_a_receipt_that_pins_anything_is_always_decoded(document: dict, escaped: int) -> None:
    data = canonical.dumps(document)
    if escaped:  # as a writer that is not canonical may spell the name
        letter = f"\\u{ord('evidence'[escaped - 1]):04x}"
        spelt = f'"{"evidence"[: escaped - 1]}{letter}{"evidence"[escaped:]}"'
        data = data.replace(b'"evidence":', f"{spelt}:".encode())
    if integrity.listed_evidence(data) and "evidence" in document:
        assert integrity._may_pin(data)


def test_a_receipt_that_pins_nothing_is_not_decoded() -> None:
    for said in (
        {"evidence": []},
        {"body": "\\ \n", "evidence": []},
        {"body": {"evidence": []}, "evidence": []},
    ):
        assert not integrity._may_pin(canonical.dumps(said))


@pytest.mark.parametrize("change", ["gone", "edited"])
def test_a_receipt_is_not_published_without_it(
    published: Workspace, credentials: Credentials, change: str
) -> None:
    draft = with_evidence(published)
    kept = published.root / ".benchsite/attachments" / SHA256
    if change == "gone":
        kept.unlink()
    else:
        kept.write_bytes(TRANSCRIPT + b"more")
    head = resolve_head(published.repository)
    said = "is missing" if change == "gone" else "has another hash"
    with pytest.raises(IntegrityError, match=rf"transcript\.txt {said}"):
        publish.publish(published, opened(published), [draft], credentials, push=False)
    assert resolve_head(published.repository) == head
    assert draft.exists()


def test_what_is_too_large_for_git_is_refused(published: Workspace) -> None:
    with pytest.raises(InputError, match="5,000,001 bytes"):
        evidence.keep(published, Evidence("t.txt", "text/plain", b"x" * 5_000_001))


def test_audit_misses_what_is_pinned_and_was_never_there(
    published: Workspace, credentials: Credentials, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = with_evidence(published)
    monkeypatch.setattr(evidence, "to_publish", lambda *_: {})  # a publisher of somebody else's making
    publish.publish(published, opened(published), [draft], credentials, push=False)
    assert found(published) == {(Kind.EVIDENCE, PATH, "")}


def test_a_branch_may_bring_evidence_only_with_the_receipt_that_pins_it(
    published: Workspace, credentials: Credentials
) -> None:
    work = Work(published)
    publish.publish(published, opened(published), [with_evidence(published)], credentials, push=False)
    assert work.checked().ok
    stray = canonical.sha256_hex(b"something else")
    path = f"results/evidence/{stray[:2]}/{stray}"
    commit(published, {path: b"something else"})
    assert (path, 3) in failing(work.checked())["record"]


def kept(instance: Workspace) -> list[str]:
    return sorted(path.name for path in (instance.root / ".benchsite/attachments").iterdir())


@pytest.mark.parametrize(
    "listed",
    some(
        [
            b"[{}]",
            b" [{}]",
            b'[],"\\u0065vidence":[{}]',
            b'[{"sha256":1}]',
            b'[{"sha256":"../secret"}]',
            b"[7]",
            b'{"sha256":"x"}',
            b'"all of it"',
        ],
        gate=3,
    ),
)
def test_audit_survives_a_logged_file_that_says_nonsense_of_its_evidence(
    published: Workspace, secrets: dict[str, PrivateKey], listed: bytes
) -> None:
    """Whoever holds the keys may log any bytes: the audit names them, and goes on."""
    path = receipt_path("11111111-1111-4111-8111-111111111111")
    data = b'{"evidence":' + listed + b"}"
    commit(published, {path: data})
    entry = ReceiptEntry(path=path, sha256=canonical.sha256_hex(data), size=len(data))
    grow(published, secrets["log"], entry)
    assert (Kind.EVIDENCE, path) in {(kind, where) for kind, where, _ in found(published)}


def test_its_size_is_what_it_is_though_it_is_published_already(
    published: Workspace, credentials: Credentials, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish.publish(published, opened(published), [with_evidence(published)], credentials, push=False)
    draft = edit(measure(published), {"evidence": [{**attach(published, TRANSCRIPT), "size": 999_999}]})
    with pytest.raises(IntegrityError, match=r"transcript\.txt .*hash"):
        publish.publish(published, opened(published), [draft], credentials, push=False)
    monkeypatch.setattr(evidence, "to_publish", lambda *_: {})  # a publisher of somebody else's making
    publish.publish(published, opened(published), [draft], credentials, push=False)
    (item,) = audit(snapshot(published)).findings
    assert (item.kind, item.path) == (Kind.EVIDENCE, PATH)
    assert f"size mismatch: {len(TRANSCRIPT)} bytes" in item.detail


def test_it_is_not_kept_here_once_it_is_public(
    published: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    here, _ = remote_pair(published, tmp_path)
    draft = with_evidence(here)
    other = attach(here, b"of a draft that still waits")
    publish.publish(here, opened(here), [draft], credentials, push=False)
    assert SHA256 in kept(here), "the commit may still be discarded for another"
    publish.publish(here, opened(here), [draft], credentials)
    assert kept(here) == [other["sha256"]]


def test_what_is_withdrawn_is_not_kept_here_either(published: Workspace, credentials: Credentials) -> None:
    publish.publish(published, opened(published), [with_evidence(published)], credentials, push=False)
    attach(published, TRANSCRIPT)  # the same sheets were run again
    events.announce(published, credentials, events.withdrawal(SHA256, "a private address"), push=False)
    assert kept(published) == []


def test_a_file_in_place_of_the_folder_is_refused(published: Workspace) -> None:
    (published.root / ".benchsite/attachments").write_text("")
    with pytest.raises(InputError, match=r"\.benchsite/attachments .*a folder"):
        attach(published, TRANSCRIPT)


def test_no_link_is_followed(published: Workspace, credentials: Credentials, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    draft = with_evidence(published)
    folder = published.root / ".benchsite/attachments"
    folder.rename(tmp_path / "real")
    folder.symlink_to(elsewhere)
    with pytest.raises(InputError, match=r"\.benchsite/attachments .*symbolic link"):
        attach(published, TRANSCRIPT)
    with pytest.raises(InputError, match="symbolic link"):
        publish.publish(published, opened(published), [draft], credentials, push=False)
    assert list(elsewhere.iterdir()) == []
    folder.unlink()
    folder.mkdir()
    (folder / SHA256).symlink_to(tmp_path / "real" / SHA256)
    with pytest.raises(IntegrityError, match="is missing"):
        publish.publish(published, opened(published), [draft], credentials, push=False)


def test_no_link_is_followed_above_the_folder_either(
    published: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    draft = with_evidence(published)
    private, elsewhere = published.root / ".benchsite", tmp_path / "elsewhere"
    private.rename(elsewhere)
    private.symlink_to(elsewhere)
    with pytest.raises(InputError, match=r"\.benchsite is .*symbolic"):
        evidence.keep(published, Evidence("t.txt", "text/plain", b"other"))
    with pytest.raises(InputError, match=r"\.benchsite is .*symbolic"):
        publish.publish(published, opened(published), [draft], credentials, push=False)
    evidence.forget(published, [SHA256])
    assert [path.name for path in (elsewhere / "attachments").iterdir()] == [SHA256]


def test_audit_reads_each_document_once(
    published: Workspace, credentials: Credentials, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three receipts pin it: its size is that of the bytes that were hashed."""
    for _ in range(3):
        publish.publish(published, opened(published), [with_evidence(published)], credentials, push=False)
    (blob_id,) = snapshot(published).evidence.present().values()
    read: list[str] = []
    one, many = Repository.blob, Past.blobs

    def counted_one(self: Repository, wanted: str) -> bytes:
        read.append(wanted)
        return one(self, wanted)

    def counted_many(self: Past, wanted: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        listed = list(wanted)
        read.extend(listed)
        return many(self, listed)

    monkeypatch.setattr(Repository, "blob", counted_one)
    monkeypatch.setattr(Past, "blobs", counted_many)
    assert found(published) == set()
    assert read.count(blob_id) == 1


@pytest.mark.stories
def test_pages_are_told_which_documents_are_there(
    published: Workspace, credentials: Credentials, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told: list[Library] = []
    monkeypatch.setattr(pages, "Library", lambda *given: told.append(Library(*given)) or told[0])
    publish.publish(published, opened(published), [with_evidence(published)], credentials, push=False)
    stray = f"results/evidence/ab/ab{'0' * 62}"
    commit(published, {stray: b"under a name that is not its hash"})
    assert set(snapshot(published).evidence.present()) == {SHA256}
    build.build(published, opened(published), tmp_path / "site")
    assert told[0].evidence == {SHA256}
    assert (told[0].document(SHA256), told[0].document("0" * 64)) == (TRANSCRIPT, None)
    commit(published, {}, removes=(PATH,))
    assert snapshot(published).evidence.present() == {}


def test_a_branch_s_receipts_are_read_once_however_much_evidence_it_brings(
    published: Workspace, credentials: Credentials, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = Work(published)
    three = [attach(published, text) for text in (b"one", b"two", b"three")]
    publish.publish(
        published, opened(published), [edit(measure(published), {"evidence": three})], credentials, push=False
    )
    asked: list[str] = []
    monkeypatch.setattr(record, "receipt_path", lambda name: asked.append(name) or receipt_path(name))
    assert work.checked().ok
    # Four receipts of the template and the new one.
    assert len(asked) == 5
