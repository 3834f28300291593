"""Proofs, events, witnesses and cosigning over a whole instance."""

from __future__ import annotations

import json
import stat
import subprocess
from pathlib import Path

import pytest
from builders import commit
from forgery import by_name
from publishing import attach, edit, git, measure
from snapshots import log_of, opened, snapshot
from watching import NAMES, line, witness, witness_key

from benchsite import environment
from benchsite.environment import Credentials
from benchsite.errors import InputError, IntegrityError, PrerequisiteError, UsageError
from benchsite.history import Verdict
from benchsite.layout import COSIGNATURES_PATH
from benchsite.log import (
    Cosignature,
    FixtureEntry,
    Note,
    Proof,
    WithdrawEvidenceEntry,
    encode_entry,
    leaf_hash,
    open_checkpoint,
    sign_checkpoint,
    verify_inclusion,
)
from benchsite.pipeline import build, publish, verify
from benchsite.pipeline import log as public_log
from benchsite.pipeline.record.new_entries import record_files
from benchsite.pipeline.snapshot import sizes
from benchsite.pipeline.workspace import Workspace
from benchsite.signing import PrivateKey

ONE, TWO, STRANGER = NAMES


def trusting(instance: Workspace, *names: str, lines: tuple[Cosignature, ...] = ()) -> Workspace:
    """The instance again, with these witnesses in its configuration and these lines in a commit."""
    path = instance.root / "mkdocs.yml"
    keys = "".join(f"\n      - {witness(name)}" for name in names)
    text = path.read_text()
    files = {"mkdocs.yml": text.replace("    root_keys:", f"    witnesses:{keys}\n    root_keys:").encode()}
    if lines:
        files[COSIGNATURES_PATH] = "".join(map(str, lines)).encode()
    commit(instance, files)
    return Workspace(instance.root)


def verdicts(instance: Workspace) -> set[Verdict]:
    found = [checked.examination for checked in verify.verify(opened(instance), (), everything=True)]
    return {seen.verdict for seen in found if seen is not None}


def cosigner(name: str = ONE) -> Credentials:
    return Credentials.of(witness=witness_key(name))


@pytest.mark.parametrize("adapter", ["bm25", "random"])
def test_a_proof_convinces_somebody_who_has_only_it_and_the_keys(
    published: Workspace, secrets: dict[str, PrivateKey], adapter: str
) -> None:
    path, document = by_name(published, adapter)
    log = log_of(published)
    found = Proof.parse(str(public_log.proof(opened(published), document["receiptId"])).encode())
    head = open_checkpoint(str(found.checkpoint), origin=log.origin, keys=[secrets["log"].public])
    entry = log.entry_bytes(log.receipts[document["receiptId"]])
    assert path.encode() in entry
    assert verify_inclusion(leaf_hash(entry), found.index, head.size, found.hashes, head.root)
    assert found.extra == entry, "the receipt and the file need nothing else"


def test_a_proof_carries_the_cosignatures_of_its_checkpoint(published: Workspace) -> None:
    log = log_of(published)
    mine = line(log, ONE, log.size, "2026-11-20T00:00:00Z")
    instance = trusting(published, ONE, lines=(mine, line(log, STRANGER, log.size, "2026-11-20T00:00:00Z")))
    _, document = by_name(instance, "bm25")
    found = public_log.proof(opened(instance), document["receiptId"][:8])
    assert [signature.name for signature in found.checkpoint.signatures] == [log.origin, ONE]


def test_there_is_no_proof_for_what_is_not_logged(published: Workspace, tmp_path: Path) -> None:
    draft = measure(published)
    with pytest.raises(PrerequisiteError, match="is a draft"):
        public_log.proof(opened(published), draft.stem)
    _, document = by_name(published, "bm25")
    other = tmp_path / "other.json"
    other.write_text(json.dumps({**document, "benchVersion": "9.9.9"}))
    with pytest.raises(IntegrityError, match="has another hash"):
        public_log.proof(opened(published), str(other))
    stranger = "00000000-0000-4000-8000-000000000000"
    other.write_text(json.dumps({**document, "receiptId": stranger}))
    with pytest.raises(PrerequisiteError, match=f"{stranger} .*among"):
        public_log.proof(opened(published), str(other))


def test_events_are_every_entry_but_receipts(published: Workspace) -> None:
    kinds = [entry.type for _, entry in public_log.events(opened(published))]
    assert kinds == ["key-add", "key-add", "key-add", "methodology", "fixture"]
    _, document = by_name(published, "bm25")
    assert list(public_log.events(opened(published), document["receiptId"])) == []


def test_events_of_a_receipt_are_those_about_it_and_its_evidence(
    published: Workspace, credentials: Credentials, secrets: dict[str, PrivateKey]
) -> None:
    _, old = by_name(published, "bm25")
    pinned = attach(published, b"a trace with a name in it")
    draft = edit(measure(published, "bm25"), {"supersedes": old["receiptId"], "evidence": [pinned]})
    publish.publish(published, opened(published), [draft], credentials, push=False)
    log = log_of(published)
    gone = [WithdrawEvidenceEntry(sha256=digest, reason="a name") for digest in (pinned["sha256"], "ef" * 32)]
    grown = log.extended(map(encode_entry, gone))
    commit(
        published,
        record_files(
            grown, secrets["log"], since=log.size, keys=False, sizes=sizes.before(snapshot(published))
        ),
    )
    assert [entry.type for _, entry in public_log.events(opened(published), old["receiptId"])] == [
        "supersede"
    ]
    assert list(public_log.events(opened(published), draft.stem)) == [(log.size, gone[0])]


@pytest.mark.stories
def test_witnesses_reach_every_verdict_and_the_site(published: Workspace, tmp_path: Path) -> None:
    log = log_of(published)
    head = line(log, ONE, log.size, "2026-11-30T00:00:00Z")
    instance = trusting(published, ONE, TWO, lines=(head, line(log, STRANGER, 3, "2030-01-01T00:00:00Z")))
    assert verdicts(instance) == {Verdict.WITNESSED}
    site = build.build(instance, opened(instance), tmp_path / "site").site
    index = json.loads((site / "api/v1/index.json").read_bytes())
    assert set(index["columns"]["verdict"]) == {"WITNESSED"}
    assert "Witnesses: 1 of 2 cosigned" in (site / "log/index.html").read_text()
    stored = instance.repository.read("results/log/checkpoint", rev="HEAD") or b""
    assert (site / "log/checkpoint").read_bytes() == stored + str(head.line).encode()
    assert (site / "log/cosignatures").read_bytes() == instance.repository.read(COSIGNATURES_PATH, rev="HEAD")
    assert b"<feed" in (site / "log/feed.xml").read_bytes()
    again = build.build(instance, opened(instance), tmp_path / "again").site
    for name in ("log/index.html", "log/feed.xml", "log/checkpoint"):
        assert (again / name).read_bytes() == (site / name).read_bytes()


def test_a_forged_line_of_a_trusted_witness_fails_every_reader(published: Workspace, tmp_path: Path) -> None:
    log = log_of(published)
    good = line(log, ONE, log.size, "2026-11-30T00:00:00Z")
    instance = trusting(published, ONE, lines=(good, Cosignature(3, good.line)))
    says = f"{COSIGNATURES_PATH} line 2: the cosignature of {ONE} does not verify for 3 entries"
    with pytest.raises(IntegrityError, match=says):
        list(verify.verify(opened(instance), (), everything=True))
    with pytest.raises(IntegrityError, match=says):
        build.build(instance, opened(instance), tmp_path / "site")


def test_a_back_dated_receipt_is_suspect(published: Workspace, credentials: Credentials) -> None:
    """Threat "back-dated receipt": the draft is composed on a head that a witness has dated."""
    draft = edit(measure(published), {"ranAt": "2026-11-01T00:00:00Z"})
    log = log_of(published)
    # Published before anybody knew of the cosignature, so nothing refused it.
    publish.publish(published, opened(published), [draft], credentials, push=False)
    dated = line(log, ONE, log.size - 1, "2026-11-20T00:00:00Z")
    instance = trusting(published, ONE, lines=(dated,))
    (checked,) = verify.verify(opened(instance), (draft.stem,))
    assert checked.examination is not None
    assert checked.examination.verdict is Verdict.SUSPECT


def test_a_back_dated_draft_is_not_published(published: Workspace, credentials: Credentials) -> None:
    log = log_of(published)
    dated = line(log, ONE, log.size - 1, "2026-11-20T00:00:00Z")
    instance = trusting(published, ONE, lines=(dated,))
    draft = edit(measure(instance), {"ranAt": "2026-11-01T00:00:00Z"})
    with pytest.raises(IntegrityError, match="SUSPECT: dated 2026-11-01"):
        publish.publish(instance, opened(instance), [draft], credentials, push=False)
    assert draft.exists()


def test_a_log_key_is_no_witness(published: Workspace, secrets: dict[str, PrivateKey]) -> None:
    log = log_of(published)
    with pytest.raises(InputError, match="the log key"):
        public_log.cosign(published, opened(published), Credentials.of(witness=secrets["log"]), ONE)
    assert log_of(published).root() == log.root()


def state_of(instance: Workspace) -> Path:
    (path,) = (instance.root / ".benchsite" / "witness").iterdir()
    return path


def test_cosigning_gives_a_line_that_the_instance_accepts(
    published: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "now", lambda: "2026-11-30T00:00:00Z")
    log = log_of(published)
    done = public_log.cosign(published, opened(published), cosigner(), ONE)
    assert (done.previous, done.known, done.witness) == (None, False, witness(ONE))
    assert done.cosignature == line(log, ONE, log.size, "2026-11-30T00:00:00Z")
    value = json.loads(state_of(published).read_bytes())
    assert (value["origin"], value["size"]) == (log.origin, log.size)
    instance = trusting(published, ONE, lines=(done.cosignature,))
    assert verdicts(instance) == {Verdict.WITNESSED}
    again = public_log.cosign(instance, opened(instance), cosigner(), ONE)
    assert (again.previous, again.known) == (log.size, True)


def test_cosigning_a_grown_log_moves_the_state(published: Workspace, credentials: Credentials) -> None:
    before = public_log.cosign(published, opened(published), cosigner(), ONE).cosignature.size
    publish.publish(published, opened(published), [measure(published)], credentials, push=False)
    done = public_log.cosign(published, opened(published), cosigner(), ONE)
    assert (done.previous, done.cosignature.size) == (before, before + 1)
    assert json.loads(state_of(published).read_bytes())["size"] == before + 1


def grown_with(instance: Workspace, secrets: dict[str, PrivateKey], name: str) -> None:
    """One more entry, whose name decides the root."""
    log = log_of(instance)
    grown = log.extended([encode_entry(FixtureEntry(id=name, sha256="ab" * 32))])
    commit(
        instance,
        record_files(
            grown, secrets["log"], since=log.size, keys=False, sizes=sizes.before(snapshot(instance))
        ),
    )


@pytest.mark.parametrize("further", [0, 1], ids=["same size", "larger"])
def test_cosigning_refuses_a_fork(begun: Workspace, secrets: dict[str, PrivateKey], further: int) -> None:
    """Threat "two signed heads that are not consistent": both verify alone, and the witness has seen the other."""
    start = git(begun.root, "rev-parse", "HEAD")
    grown_with(begun, secrets, "mine")
    public_log.cosign(begun, opened(begun), cosigner(), ONE)
    kept = state_of(begun).read_bytes()
    git(begun.root, "reset", "-q", "--hard", start)
    for name in ("theirs", "more")[: 1 + further]:
        grown_with(begun, secrets, name)
    with pytest.raises(IntegrityError, match="forked: .*4 entries"):
        public_log.cosign(begun, opened(begun), cosigner(), ONE)
    assert state_of(begun).read_bytes() == kept


def test_cosigning_refuses_a_shorter_log(begun: Workspace, secrets: dict[str, PrivateKey]) -> None:
    start = git(begun.root, "rev-parse", "HEAD")
    grown_with(begun, secrets, "mine")
    public_log.cosign(begun, opened(begun), cosigner(), ONE)
    kept = state_of(begun).read_bytes()
    git(begun.root, "reset", "-q", "--hard", start)
    with pytest.raises(IntegrityError, match="log truncated: 3"):
        public_log.cosign(begun, opened(begun), cosigner(), ONE)
    assert state_of(begun).read_bytes() == kept


def test_cosigning_without_a_state_still_refuses_what_its_own_lines_contradict(
    begun: Workspace, secrets: dict[str, PrivateKey]
) -> None:
    """The memory was lost, and the record still holds what the witness signed."""
    start = git(begun.root, "rev-parse", "HEAD")
    grown_with(begun, secrets, "mine")
    done = public_log.cosign(begun, opened(begun), cosigner(), ONE)
    state_of(begun).unlink()
    git(begun.root, "reset", "-q", "--hard", start)
    grown_with(begun, secrets, "theirs")
    commit(begun, {COSIGNATURES_PATH: str(done.cosignature).encode()})
    with pytest.raises(IntegrityError, match=f"{COSIGNATURES_PATH} line 1: .*{ONE}"):
        public_log.cosign(begun, opened(begun), cosigner(), ONE)
    public_log.cosign(begun, opened(begun), cosigner(TWO), TWO)


def test_cosigning_refuses_a_log_that_does_not_verify(
    begun: Workspace, secrets: dict[str, PrivateKey]
) -> None:
    log = log_of(begun)
    forged = sign_checkpoint(log.checkpoint(), witness_key(STRANGER)).encode()
    commit(begun, {"results/log/checkpoint": forged})
    with pytest.raises(IntegrityError, match="accepted key"):
        public_log.cosign(begun, opened(begun), cosigner(), ONE)
    assert not (begun.root / ".benchsite" / "witness").exists()


def test_a_state_that_cannot_be_written_means_no_signature(begun: Workspace) -> None:
    """Or a crash could lead to two signed roots at one size."""
    blocked = begun.root / ".benchsite" / "witness"
    blocked.parent.mkdir(exist_ok=True)
    blocked.write_text("a file where the folder belongs")
    with pytest.raises(InputError, match="cannot make"):
        public_log.cosign(begun, opened(begun), cosigner(), ONE)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "byte 0"),
        ("{}", "not {origin, size, root}"),
        ('{"origin":"a.example/log","size":-1,"root":""}', "not {origin, size, root}"),
    ],
)
def test_a_malformed_state_is_refused_and_kept(
    begun: Workspace, tmp_path: Path, text: str, says: str
) -> None:
    path = tmp_path / "state.json"
    path.write_text(text)
    with pytest.raises(InputError, match=says) as caught:
        public_log.cosign(begun, opened(begun), cosigner(), ONE, state=path)
    assert str(path) in caught.value.message
    assert path.read_text() == text


def test_the_state_of_another_log_is_refused(begun: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.write_text(json.dumps({"origin": "other.example/log", "size": 3, "root": "A" * 43 + "="}))
    with pytest.raises(IntegrityError, match=r"last cosigned other\.example/log"):
        public_log.cosign(begun, opened(begun), cosigner(), ONE, state=path)


def test_names_that_differ_only_where_files_cannot_keep_states_of_their_own(begun: Workspace) -> None:
    for name in ("a.example/w", "a.example_w", "é" * 300):
        public_log.cosign(begun, opened(begun), cosigner(), name)
    assert len(list((begun.root / ".benchsite" / "witness").iterdir())) == 3
    with pytest.raises(UsageError, match="has a space"):
        public_log.cosign(begun, opened(begun), cosigner(), "a witness")


def test_a_new_witness_key_is_private_and_outside(begun: Workspace, tmp_path: Path) -> None:
    made, path = public_log.witness_key(begun, opened(begun), ONE, folder=tmp_path / "keys")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    key = PrivateKey.from_text(path.read_text(), "file")
    assert (made.name, made.public_key) == (ONE, key.public)
    with pytest.raises(InputError, match="exists already"):
        public_log.witness_key(begun, opened(begun), ONE, folder=tmp_path / "keys")
    with pytest.raises(PrerequisiteError, match="inside the repository"):
        public_log.witness_key(begun, opened(begun), ONE, folder=begun.root / "keys")


def test_a_link_in_the_place_of_the_file_is_no_list_of_cosignatures(published: Workspace) -> None:
    folder = published.root / "results" / "log"
    (folder / "cosignatures").symlink_to("checkpoint")
    subprocess.run(["git", "-C", str(published.root), "add", "-A"], check=True)
    git(published.root, "-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-qm", "link")
    with pytest.raises(IntegrityError, match="cosignatures .*mode 120000"):
        snapshot(published).witnessing


def test_the_stored_checkpoint_stays_as_it_was(published: Workspace) -> None:
    log = log_of(published)
    stored = published.repository.read("results/log/checkpoint", rev="HEAD") or b""
    assert public_log.served_checkpoint(opened(published), log) == stored
    assert len(Note.parse(stored).signatures) == 1
