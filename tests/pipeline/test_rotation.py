"""keys rotate and keys compromise, on a real record: what each key is worth afterwards, and what stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import run_in
from publishing import measure
from snapshots import log_of, opened, snapshot

from benchsite.environment import Credentials
from benchsite.errors import IntegrityError, PrerequisiteError, UsageError
from benchsite.history import Verdict
from benchsite.log import KeyAdd, KeyCompromise, KeyRetire, key_status, open_checkpoint
from benchsite.log.replay import KeyStatus
from benchsite.pipeline import publish
from benchsite.pipeline.publish import rotation
from benchsite.pipeline.workspace import Workspace
from benchsite.repo.head import resolve_head
from benchsite.signing import PrivateKey

Secrets = dict[str, PrivateKey]


def key_of(done: rotation.Rotated) -> PrivateKey:
    assert done.file is not None
    return PrivateKey.from_text(done.file.read_text(), "the new key")


def verdicts(instance: Workspace) -> list[Verdict]:
    return [header.verdict for header in snapshot(instance).history()]


def test_a_rotated_receipt_key_signs_what_follows_and_the_old_one_keeps_what_was(
    published: Workspace, secrets: Secrets, tmp_path: Path
) -> None:
    credentials = Credentials.of(**secrets)
    size = log_of(published).size
    done = rotation.rotate(
        published, opened(published), "receipt", credentials, folder=tmp_path / "new", push=False
    )
    log = log_of(published)
    assert [type(log.entry(at)) for at in range(size, log.size)] == [KeyAdd, KeyRetire]
    assert done.old == secrets["receipt"].fingerprint
    assert done.file is not None
    assert done.file.stat().st_mode & 0o777 == 0o600
    old = log.keyring.get(done.old)
    assert old is not None
    assert (old.state, old.to_index) == ("retired", size + 1)
    with pytest.raises(PrerequisiteError, match="key in service"):
        publish.publish(published, opened(published), [measure(published)], credentials, push=False)
    renewed = Credentials.of(**{**secrets, "receipt": key_of(done)})
    publish.publish(published, opened(published), published.draft_paths(), renewed, push=False)
    assert verdicts(published) == [Verdict.LOGGED] * 5
    named = f"keys/{done.new.removeprefix('sha256:')}.pub"
    assert published.repository.read(named, rev="HEAD") == published.repository.read(
        "keys/receipt-signing.pub", rev="HEAD"
    )
    assert published.repository.read(f"keys/{done.old.removeprefix('sha256:')}.pub", rev="HEAD") is not None


def test_a_rotated_log_key_signs_the_commit_that_announces_it(
    published: Workspace, secrets: Secrets, tmp_path: Path
) -> None:
    root_only = Credentials.of(root=secrets["root"])
    done = rotation.rotate(
        published, opened(published), "log", root_only, folder=tmp_path / "new", push=False
    )
    log = log_of(published)
    note = published.repository.read("results/log/checkpoint", rev="HEAD")
    assert note is not None
    assert open_checkpoint(note, origin=log.origin, keys=[key_of(done).public]).size == log.size
    assert verdicts(published) == [Verdict.LOGGED] * 4


def test_a_second_root_key_can_retire_the_first(
    published: Workspace, secrets: Secrets, tmp_path: Path
) -> None:
    credentials = Credentials.of(**secrets)
    first = secrets["root"].fingerprint
    second = rotation.rotate(
        published, opened(published), "root", credentials, keep=True, folder=tmp_path / "a", push=False
    )
    assert second.old == ""
    with pytest.raises(UsageError, match="'root' .*2 keys"):
        rotation.rotate(published, opened(published), "root", credentials, folder=tmp_path / "b", push=False)
    theirs = Credentials.of(root=key_of(second), log=secrets["log"])
    third = rotation.rotate(published, opened(published), first, theirs, folder=tmp_path / "b", push=False)
    assert third.old == first
    states = {record.fingerprint: record.state for record in log_of(published).keyring}
    assert states[first] == "retired"
    with pytest.raises(PrerequisiteError, match="a root key"):
        rotation.rotate(
            published, opened(published), "receipt", credentials, folder=tmp_path / "c", push=False
        )


def test_a_leaked_receipt_key_makes_later_receipts_suspect_and_leaves_earlier_ones(
    published: Workspace, secrets: Secrets, tmp_path: Path
) -> None:
    """Receipts lie at four indices; the limit is set at the third's, so two stay LOGGED and two become SUSPECT."""
    credentials = Credentials.of(**secrets)
    indices = list(log_of(published).receipts.values())
    done = rotation.compromise(
        published,
        opened(published),
        "receipt",
        credentials,
        below=indices[2],
        reason="laptop stolen",
        folder=tmp_path / "new",
        push=False,
    )
    assert verdicts(published) == [Verdict.LOGGED, Verdict.LOGGED, Verdict.SUSPECT, Verdict.SUSPECT]
    log = log_of(published)
    event = log.entry(log.size - 1)
    assert isinstance(event, KeyCompromise)
    assert (event.trusted_below_index, event.reason) == (indices[2], "laptop stolen")
    ran = run_in(tmp_path, published.root)("verify", "--all")
    assert ran.out.splitlines()[-1] == "4 receipts verified: 2 LOGGED, 2 SUSPECT; 0 problems"
    renewed = Credentials.of(**{**secrets, "receipt": key_of(done)})
    publish.publish(published, opened(published), [measure(published)], renewed, push=False)
    assert verdicts(published)[-1] is Verdict.LOGGED


def test_a_leaked_log_key_counts_up_to_its_frozen_size_only(
    published: Workspace, secrets: Secrets, tmp_path: Path
) -> None:
    before = log_of(published)
    frozen = before.size - 2
    done = rotation.compromise(
        published,
        opened(published),
        "log",
        Credentials.of(root=secrets["root"]),
        below=frozen,
        reason="CI log showed it",
        folder=tmp_path / "new",
        push=False,
    )
    log = log_of(published)
    event = log.entry(log.size - 1)
    assert isinstance(event, KeyCompromise)
    assert event.frozen_size == frozen
    old = log.keyring.get(done.old)
    assert old is not None
    # A checkpoint of size s stands at index s - 1 (benchsite/log/replay.py).
    assert key_status(old, frozen - 1) is KeyStatus.TRUSTED
    assert key_status(old, frozen) is KeyStatus.SUSPECT
    assert log.origin == before.origin
    assert verdicts(published) == [Verdict.LOGGED] * 4, "the new key vouches for every entry"


def test_a_limit_is_needed_and_must_lie_in_the_log(
    published: Workspace, secrets: Secrets, tmp_path: Path
) -> None:
    credentials = Credentials.of(**secrets)

    def report(name: str, below: int | None) -> None:
        rotation.compromise(
            published,
            opened(published),
            name,
            credentials,
            below=below,
            reason="x",
            folder=tmp_path / "new",
            push=False,
        )

    head = resolve_head(published.repository)
    for name, below, words in (
        ("receipt", None, "--trusted-below is missing"),
        ("root", 3, "does not apply to a root key"),
        ("log", 10_000, "exceeds the log"),
        ("receipt", 0, "entered service at entry 1: nothing below was its own"),
    ):
        with pytest.raises((UsageError, IntegrityError), match=words):
            report(name, below)
    with pytest.raises(IntegrityError, match="another root must"):
        report("root", None)
    assert resolve_head(published.repository) == head
    assert not list((tmp_path / "new").glob("*")), "a key that never entered service is not left behind"


def test_unknown_and_ambiguous_names(published: Workspace, secrets: Secrets) -> None:
    credentials = Credentials.of(**secrets)
    for name in ("", "sha256:", "nobody", "0" * 64):
        with pytest.raises(UsageError, match="names no key"):
            rotation.rotate(published, opened(published), name, credentials, push=False)


def test_a_key_that_is_disowned_already(published: Workspace, secrets: Secrets, tmp_path: Path) -> None:
    credentials = Credentials.of(**secrets)
    second = rotation.rotate(
        published, opened(published), "root", credentials, keep=True, folder=tmp_path / "a", push=False
    )
    theirs = Credentials.of(root=key_of(second), log=secrets["log"])
    for words in ("", "is compromised already"):
        try:
            rotation.compromise(
                published,
                opened(published),
                secrets["root"].fingerprint,
                theirs,
                below=None,
                reason="x",
                push=False,
            )
        except IntegrityError as error:
            assert words
            assert error.message.endswith(words)
            assert "line" not in error.message, "no entry stands there yet"
        else:
            assert not words
