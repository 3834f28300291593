"""The owner's first real log: measurements of a preview signed by other keys, at another origin; and the preview misused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from builders import commit
from commands import run_in
from publishing import git
from snapshots import opened, snapshot

from benchsite.environment import Credentials
from benchsite.errors import UsageError
from benchsite.history import Verdict
from benchsite.layout import CONFIG
from benchsite.log import RetractEntry
from benchsite.pipeline import copies, init, publish
from benchsite.pipeline.publish import events, keys
from benchsite.pipeline.workspace import Workspace
from benchsite.signing import PrivateKey

ORIGIN = "tests.invalid/real/log"


@pytest.fixture
def real(published: Workspace, tmp_path: Path) -> Iterator[Workspace]:
    """A new instance with the preview's datasets and methodologies, and no log."""
    root = init.init(tmp_path / "real", name="real", origin=ORIGIN).root
    for name in ("fixtures", "methodology"):
        shutil.rmtree(root / name)
        shutil.copytree(published.root / name, root / name)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "data of the preview")
    instance = Workspace(root)
    yield instance
    instance.repository.close()


def begun(instance: Workspace) -> Credentials:
    """Keys of the owner, in force."""
    own = Credentials.of(**{role: PrivateKey.generate() for role in ("root", "receipt", "log")})
    keys.init(instance, own, folder=None)
    instance.refresh()
    return own


def bodies(instance: Workspace) -> dict[str, dict[str, object]]:
    found = snapshot(instance)
    return {header.receipt_id: json.loads(found.read(header.path) or b"") for header in found.history()}


def test_the_same_measurements_enter_the_real_log_under_the_owners_keys(
    published: Workspace, real: Workspace
) -> None:
    own = begun(real)
    made = list(copies.copy(real, opened(real), opened(published)))
    assert [item.reason for item in made] == [""] * 4
    publish.publish(real, opened(real), real.draft_paths(), own, push=False)
    preview, ours = bodies(published), bodies(real)
    assert ours.keys() == preview.keys()
    assert {header.verdict for header in snapshot(real).history()} == {Verdict.LOGGED}
    assert {header.ranked for header in snapshot(real).history()} == {True}
    dropped = {"signature", "logHead"}
    for receipt_id, document in ours.items():
        before = preview[receipt_id]
        assert document["logHead"] is None
        assert before["logHead"] is not None
        assert {key: value for key, value in document.items() if key not in dropped} == {
            key: value for key, value in before.items() if key not in dropped
        }
    there, here = snapshot(published).require_log(), snapshot(real).require_log()
    assert (there.origin, here.origin) == ("tests.invalid/benchsite/log", ORIGIN)
    fingerprints = [{record.fingerprint for record in log.keyring} for log in (there, here)]
    assert fingerprints[0] & fingerprints[1] == set()
    assert next(copies.copy(real, opened(real), opened(published))).reason == "already in this log"


def test_a_retracted_receipt_is_not_copied_and_the_reason_is_said(
    published: Workspace, real: Workspace, credentials: Credentials
) -> None:
    begun(real)
    gone = next(iter(snapshot(published).history())).receipt_id
    events.announce(published, credentials, RetractEntry(receiptId=gone, reason="wrong"), push=False)
    made = {item.receipt_id: item.reason for item in copies.copy(real, opened(real), opened(published))}
    assert made.pop(gone) == "RETRACTED"
    assert set(made.values()) == {""}
    assert {path.stem for path in real.draft_paths()} == made.keys()


def test_a_record_is_not_copied_into_its_own_origin(published: Workspace, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", str(published.root), "clone")
    with (
        closing((clone := Workspace(tmp_path / "clone")).repository),
        pytest.raises(UsageError, match="origin"),
    ):
        list(copies.copy(clone, opened(clone), opened(published)))


def renamed(instance: Workspace, origin: str) -> Workspace:
    text = (
        (instance.root / CONFIG)
        .read_text()
        .replace("origin: tests.invalid/benchsite/log", f"origin: {origin}")
    )
    commit(instance, {CONFIG: text.encode()})
    return Workspace(instance.root)


def test_a_preview_under_another_origin_is_refused_by_every_reader(
    published: Workspace, tmp_path: Path, secrets: dict[str, PrivateKey]
) -> None:
    renamed(published, ORIGIN)
    benchsite = run_in(tmp_path / "home", published.root)
    pem = {f"BENCHSITE_{role.upper()}_KEY": key.to_pem() for role, key in secrets.items()}
    for command in ("verify --all", "audit", "status", "log head", "publish --yes", "check --no-build"):
        ran = benchsite(*command.split(), **pem)
        assert ran.code == 3, f"{command}: {ran.out}{ran.err}"
        assert "tests.invalid/benchsite/log" in ran.out + ran.err, (
            f"{command} names the origin that was signed"
        )


def test_a_preview_record_copied_into_the_real_instance_is_refused(
    published: Workspace, real: Workspace, tmp_path: Path
) -> None:
    """`cp -r preview/results preview/keys .` instead of `drafts copy`."""
    for name in ("results", "keys"):
        shutil.copytree(published.root / name, real.root / name, dirs_exist_ok=True)
    git(real.root, "add", "-A")
    git(real.root, "commit", "-q", "-m", "results of the preview")
    ran = run_in(tmp_path / "home", real.root)("verify", "--all")
    assert ran.code == 3, ran.out + ran.err
    assert "LOGGED" not in ran.out
