from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path

import pytest
from builders import commit
from snapshots import snapshot

from benchsite import signing
from benchsite.environment import ROLES, Credentials
from benchsite.errors import InputError, PrerequisiteError
from benchsite.log import KeyAdd, open_checkpoint
from benchsite.pipeline import init
from benchsite.pipeline.publish import keys
from benchsite.pipeline.workspace import Workspace
from benchsite.repo.head import resolve_head
from benchsite.signing import PrivateKey


@pytest.fixture
def fresh(tmp_path: Path) -> Workspace:
    made = init.init(tmp_path / "instance", name="tests", origin="tests.invalid/log")
    return Workspace(made.root)


def test_init_makes_a_clean_repository_with_rules_and_data(fresh: Workspace) -> None:
    assert fresh.repository.state(resolve_head(fresh.repository))["dirty"] is False
    assert {item.data.version for item in fresh.methodologies.every() if item.data.track == "retrieval"} == {
        "0.0.1",
        "1.0.0",
    }
    assert [path.parent.name for path in fresh.fixture_paths()] == [
        *("arithmetic-tools", "code-repair", "kb-lookup", "lifeboat-logbook-v1", "limit-small"),
        *("table-ops", "three-notebooks-v1"),
    ]
    assert (fresh.root / ".gitattributes").read_text().startswith("results/** -text\n")
    assert snapshot(fresh).log is None


def test_the_first_entries_are_the_keys_and_the_root_signs_itself(
    fresh: Workspace, secrets: dict[str, PrivateKey]
) -> None:
    keys.init(fresh, Credentials.of(**secrets), folder=None)
    again = Workspace(fresh.root)
    log = snapshot(again).log
    assert log is not None
    entries = [log.entry(index) for index in range(log.size)]
    assert all(isinstance(entry, KeyAdd) for entry in entries)
    assert [entry.role for entry in entries if isinstance(entry, KeyAdd)] == list(ROLES)
    assert again.config.benchsite.root_keys == (secrets["root"].fingerprint,)
    note = (again.root / "results/log/checkpoint").read_bytes()
    opened = open_checkpoint(note, origin="tests.invalid/log", keys=[secrets["log"].public])
    assert opened.size == 3


def test_the_public_halves_are_in_git_and_nothing_private_is(
    fresh: Workspace, secrets: dict[str, PrivateKey]
) -> None:
    keys.init(fresh, Credentials.of(**secrets), folder=None)
    held = {item.path: fresh.repository.blob(item.blob_id) for item in fresh.repository.tree(".", rev="HEAD")}
    for role in ROLES:
        name = f"keys/{secrets[role].fingerprint.removeprefix('sha256:')}.pub"
        assert signing.load_public_pem(held[name].decode()) == secrets[role].public
    assert signing.load_public_pem(held["keys/receipt-signing.pub"].decode()) == secrets["receipt"].public
    manifest = json.loads(held["keys/manifest.json"])
    assert [(row["role"], row["state"], row["fromIndex"]) for row in manifest] == [
        ("root", "active", 0),
        ("receipt", "active", 1),
        ("log", "active", 2),
    ]
    for path, data in held.items():
        assert b"PRIVATE KEY" not in data or path.endswith(".md"), path
        for secret in secrets.values():
            assert secret.to_pem().encode() not in data


def test_a_second_root_in_the_configuration_is_not_overwritten(fresh: Workspace) -> None:
    text = (fresh.root / "mkdocs.yml").read_text()
    other = PrivateKey.generate().fingerprint
    commit(fresh, {"mkdocs.yml": text.replace("root_keys: []", f'root_keys: ["{other}"]').encode()})
    with pytest.raises(InputError, match="names another key"):
        keys.init(Workspace(fresh.root), Credentials(), folder=fresh.root.parent / "keys")
    assert not (fresh.root.parent / "keys").exists(), "no private key is left behind by a refusal"


def test_a_configuration_without_the_line_is_not_guessed_at(fresh: Workspace) -> None:
    text = (fresh.root / "mkdocs.yml").read_text()
    commit(fresh, {"mkdocs.yml": text.replace("    root_keys: []\n", "").encode()})
    with pytest.raises(InputError, match="line `root_keys"):
        keys.init(Workspace(fresh.root), Credentials(), folder=fresh.root.parent / "keys")


def test_some_keys_but_not_all(fresh: Workspace, secrets: dict[str, PrivateKey]) -> None:
    with pytest.raises(PrerequisiteError, match="environment: receipt, log"):
        keys.init(fresh, Credentials.of(root=secrets["root"]), folder=None)


def test_existing_key_files_are_never_overwritten(fresh: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    (folder / "log.pem").write_text("mine")
    with pytest.raises(InputError, match=r"log\.pem exists already"):
        keys.init(fresh, Credentials(), folder=folder)
    assert sorted(path.name for path in folder.iterdir()) == ["log.pem"]
    assert (folder / "log.pem").read_text() == "mine"


def test_uncommitted_configuration_stops_it(fresh: Workspace) -> None:
    (fresh.root / "mkdocs.yml").write_text((fresh.root / "mkdocs.yml").read_text() + "# edited\n")
    with pytest.raises(PrerequisiteError, match=r"mkdocs\.yml has uncommitted"):
        keys.init(Workspace(fresh.root), Credentials(), folder=fresh.root.parent / "keys")


def test_a_folder_with_files_is_not_made_an_instance(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("y")
    with pytest.raises(InputError, match="empty folder"):
        init.init(tmp_path, name="x", origin="x.invalid/log")


def test_a_hostile_name_cannot_break_the_configuration(tmp_path: Path) -> None:
    made = init.init(tmp_path / "i", name='quote " and \\ and: {x}', origin="x.invalid/log")
    assert Workspace(made.root).config.site.site_name == 'quote " and \\ and: {x}'
    shutil.rmtree(made.root)
    with pytest.raises(InputError, match="one printable line"):
        init.init(tmp_path / "i", name="two\nlines", origin="x.invalid/log")


def test_a_hostile_origin_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="origin"):
        init.init(tmp_path / "i", name="x", origin="https://x.invalid/ log")
    assert not (tmp_path / "i" / "mkdocs.yml").exists()


def test_a_full_disk_leaves_no_half_written_key(
    fresh: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_number: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    folder = tmp_path / "made"
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(InputError, match="keys .*No space"):
            keys.init(fresh, Credentials(), folder=folder)
    assert list(folder.iterdir()) == []
    keys.init(Workspace(fresh.root), Credentials(), folder=folder)
    assert len(list(folder.iterdir())) == 3
