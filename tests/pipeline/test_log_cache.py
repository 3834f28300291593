"""The cache of a long log in a repository: what it spares, and that no command says anything else because of it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import commit, pack

from benchsite.environment import Credentials
from benchsite.errors import BenchsiteError, IntegrityError
from benchsite.layout import CACHE, CHECKPOINT_PATH, ENTRIES_FOLDER, LOG_CACHE, receipt_path, segment_path
from benchsite.log import Log, ReceiptEntry
from benchsite.pipeline import audit, build, log, verify
from benchsite.pipeline.instance import Instance, caches
from benchsite.pipeline.publish import events
from benchsite.pipeline.record import Record, log_cache, require_log
from benchsite.pipeline.record.new_entries import NewEntries
from benchsite.signing import PrivateKey

FULL = 17


def entry(number: int) -> ReceiptEntry:
    name = f"{number:08x}-0000-4000-8000-{number:012x}"
    return ReceiptEntry(path=receipt_path(name), sha256=f"{number:064x}", size=1)


def grow(instance: Instance, secrets: dict[str, PrivateKey], size: int) -> None:
    """More receipts in the log, whose files are not read here."""
    log = require_log(instance)
    new = NewEntries(log)
    new.append(*map(entry, range(log.size, size)))
    commit(instance, new.writes(secrets["log"], None))


@pytest.fixture(scope="session")
def long_template(
    begun_template: Path, tmp_path_factory: pytest.TempPathFactory, secrets: dict[str, PrivateKey]
) -> Path:
    root = tmp_path_factory.mktemp("long") / "instance"
    shutil.copytree(begun_template, root, symlinks=True)
    instance = Instance(root)
    grow(instance, secrets, FULL * 256 + 100)
    instance.repository.close()
    pack(root)
    shutil.rmtree(root / CACHE, ignore_errors=True)
    return root


@pytest.fixture
def long(long_template: Path, tmp_path: Path) -> Iterator[Instance]:
    """17 full segments and a short one; nothing is kept of it yet."""
    root = tmp_path / "instance"
    shutil.copytree(long_template, root, symlinks=True)
    instance = Instance(root)
    yield instance
    instance.repository.close()


class Opened:
    """What one command finds: the log or the error, and how many segments were read to open it."""

    def __init__(self, instance: Instance, *, whole: bool = False) -> None:
        command = Instance(instance.root)
        command.reads_whole |= whole
        record, blob = Record.at(command), command.repository.blob
        segments = {item.blob_id for item in record.files if item.path.startswith(ENTRIES_FOLDER)}
        asked: list[str] = []

        def counted(blob_id: str) -> bytes:
            asked.append(blob_id)
            return blob(blob_id)

        command.repository.blob = counted  # type: ignore[method-assign]
        self.log: Log | None = None
        self.error: tuple[Any, ...] = ()
        try:
            self.log = record.log
            self.read = len(segments.intersection(asked))
            Record.current(command)
        except BenchsiteError as error:
            self.error = (type(error), error.message, error.hint)
        self.answers = _answers(self.log) if self.log is not None else ()
        command.repository.close()


def _answers(log: Log) -> tuple[Any, ...]:
    return log.checkpoint(), dict(log.receipts), list(log.keyring), log.segments(), list(log.tiles([300]))


def check_same(instance: Instance) -> Opened:
    """What is said with the cache at hand is what is said without."""
    with_cache = Opened(instance)
    whole = Opened(instance, whole=True)
    assert (with_cache.error, with_cache.answers) == (whole.error, whole.answers)
    return with_cache


def kept(instance: Instance) -> Path:
    return instance.root / LOG_CACHE


def test_nothing_changed_reads_the_last_segment_alone(long: Instance) -> None:
    assert Opened(long).read == FULL + 1
    assert check_same(long).read == 1


def test_a_short_log_is_not_kept(begun: Instance) -> None:
    Opened(begun)
    assert not kept(begun).exists()


def test_what_was_logged_since_is_read(long: Instance, secrets: dict[str, PrivateKey]) -> None:
    Opened(long)
    before = kept(long).read_bytes()
    grow(long, secrets, (FULL + 2) * 256 + 7)
    assert check_same(long).read == 3
    assert kept(long).read_bytes() == before, "two more segments are not worth a new file"
    grow(long, secrets, (FULL + log_cache._WORTH) * 256 + 7)
    assert check_same(long).read == FULL + log_cache._WORTH + 1
    assert check_same(long).read == 1


def test_a_retraction_since_is_known(long: Instance, secrets: dict[str, PrivateKey]) -> None:
    Opened(long)
    name = next(iter(require_log(long).receipts))
    new = NewEntries(require_log(long))
    new.append(events.retraction(name, "wrong tokenizer"))
    commit(long, new.writes(secrets["log"], None))
    opened = check_same(long)
    assert opened.read == 1
    assert opened.log is not None
    assert len(opened.log.events_about(name)) == 1


def test_a_shorter_log_after_a_force_push(long: Instance, secrets: dict[str, PrivateKey]) -> None:
    shorter = long.repository.head()
    grow(long, secrets, (FULL + 2) * 256 + 7)
    Opened(long)
    assert shorter is not None
    subprocess.run(["git", "-C", str(long.root), "reset", "-q", "--hard", shorter], check=True)
    assert check_same(long).read == 1


@pytest.mark.parametrize("number", [0, 5, FULL])
def test_an_altered_segment_is_refused_as_without_a_cache(long: Instance, number: int) -> None:
    Opened(long)
    path = segment_path(number)
    data = long.repository.read(path)
    assert data is not None
    commit(long, {path: data.replace(b'"size":1,', b'"size":2,', 1)})
    assert "the root hash is not that of" in check_same(long).error[1]


def test_other_files_of_the_log_are_refused_as_without_a_cache(long: Instance) -> None:
    Opened(long)
    head = long.repository.head()
    note, first = long.repository.read(CHECKPOINT_PATH), long.repository.read(segment_path(3))
    assert note is not None
    assert first is not None
    for writes, removes in (
        ({CHECKPOINT_PATH: note.replace(b"4452", b"4451")}, ()),
        ({CHECKPOINT_PATH: b"no note"}, ()),
        ({segment_path(3): first[:-1]}, ()),
        ({segment_path(3): first.partition(b"\n")[2]}, ()),
        ({segment_path(4): first}, ()),
        ({}, (segment_path(FULL),)),
        ({}, (segment_path(6),)),
        ({}, (CHECKPOINT_PATH,)),
    ):
        commit(long, writes, removes=removes)
        assert check_same(long).error
        subprocess.run(["git", "-C", str(long.root), "reset", "-q", "--hard", str(head)], check=True)
    assert check_same(long).read == 1


def test_another_root_key_in_the_configuration_is_said_as_without_a_cache(long: Instance) -> None:
    Opened(long)
    config = long.root / "mkdocs.yml"
    key = long.config.benchsite.root_keys[0]
    config.write_text(config.read_text().replace(key, f"sha256:{'0' * 64}"))
    assert "is not one of the configured root keys" in check_same(long).error[1]


SPOILS = ["link", "folder link", "folder", "fifo", "cut", "digest", "version", "empty", "huge", "unreadable"]


@pytest.mark.parametrize("spoil", SPOILS)
@pytest.mark.stories
def test_a_cache_that_cannot_be_used_costs_time_only(long: Instance, spoil: str, tmp_path: Path) -> None:
    Opened(long)
    path, elsewhere = kept(long), tmp_path / "elsewhere"
    data = path.read_bytes()
    if spoil == "link":
        path.rename(elsewhere)
        path.symlink_to(elsewhere)
    elif spoil == "folder link":
        (long.root / CACHE).rename(elsewhere)
        (long.root / CACHE).symlink_to(elsewhere)
    elif spoil in ("folder", "fifo"):
        path.unlink()
        path.mkdir() if spoil == "folder" else os.mkfifo(path)
    elif spoil == "huge":
        os.truncate(path, log_cache._LARGEST + 1)
    elif spoil == "unreadable":
        path.write_bytes(bytes(range(256)) * 100)
    else:
        bad = {
            "cut": data[:-1],
            "digest": data.replace(b"0", b"1", 9),
            "version": data.replace(b"log 1", b"log 2"),
            "empty": b"",
        }
        path.write_bytes(bad[spoil])
    assert check_same(long).read == FULL + 1
    if spoil == "folder link":
        assert [item.name for item in elsewhere.iterdir()] == ["log.txt"], "nothing is written through a link"
    elif spoil != "folder":
        assert (path.is_symlink(), path.read_bytes()) == (False, data), "the next command finds a good one"
        assert check_same(long).read == 1


def test_a_cache_of_another_user_is_not_read(long: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    Opened(long)
    monkeypatch.setattr(caches.os, "geteuid", lambda: os.getuid() + 1)
    assert check_same(long).read == FULL + 1


def test_a_cache_is_neither_read_nor_written_in_ci(long: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    assert Opened(long).read == FULL + 1
    assert not kept(long).exists()
    monkeypatch.delenv("CI")
    Opened(long)
    monkeypatch.setenv("CI", "true")
    assert check_same(long).read == FULL + 1


def test_a_cache_that_a_commit_brings_is_not_read(long: Instance) -> None:
    Opened(long)
    commit(long, {LOG_CACHE: kept(long).read_bytes()})
    assert check_same(long).read == FULL + 1


def test_a_full_disk_or_a_folder_that_cannot_be_written_fails_nothing(
    long: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    (long.root / CACHE).mkdir(parents=True)
    opened = os.open

    def full(path: object, flags: int, *mode: int) -> int:
        return opened("/dev/full" if str(path).endswith(".tmp") else path, flags & ~os.O_EXCL, *mode)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(caches.os, "open", full)
        assert check_same(long).read == FULL + 1
    (long.root / CACHE).rmdir()
    (long.root / CACHE).write_bytes(b"a file in its place")
    assert check_same(long).read == FULL + 1


def test_what_a_killed_command_left_is_removed(long: Instance) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    (long.root / CACHE).mkdir(parents=True)
    (long.root / CACHE / f".log.txt.{ended.pid}.tmp").write_bytes(b"a part")
    Opened(long)
    assert [path.name for path in (long.root / CACHE).iterdir()] == ["log.txt"]


def test_an_audit_reads_the_whole_log(long: Instance) -> None:
    Opened(long)
    kept(long).write_bytes(b"not read")
    audit.audit(long)
    assert kept(long).read_bytes() == b"not read", "nor is it replaced"


def test_verification_and_a_witness_read_the_whole_log(long: Instance) -> None:
    """Either would pass over what a forged cache leaves out: the retraction of a receipt, a key that was reported."""
    Opened(long)
    kept(long).write_bytes(b"not read")
    data = (long.root / "mkdocs.yml").read_bytes()
    verify.examined(Instance(long.root), data)
    list(verify.verify(Instance(long.root), [str(long.root / "mkdocs.yml")]))
    witness = Credentials.of(witness=PrivateKey.generate())
    log.cosign(Instance(long.root), witness, "witness.invalid/one", state=long.root.parent / "state")
    assert kept(long).read_bytes() == b"not read"


def test_what_appends_to_the_log_reads_it_whole(long: Instance, credentials: Credentials) -> None:
    name = next(iter(require_log(long).receipts))
    with pytest.raises(IntegrityError):  # the receipts of this log have no files: the record is not whole
        events.announce(long, credentials, events.retraction(name, "wrong tokenizer"), push=False)
    kept(long).write_bytes(b"not read")
    assert require_log(long).events_about(name) == ()
    assert kept(long).read_bytes() == b"not read"


def test_a_full_build_reads_the_whole_log(
    long: Instance, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Opened(long)
    kept(long).write_bytes(b"not read")

    def ended(_record: Record, _log: Log) -> None:
        raise InterruptedError  # the log is open: what follows takes seconds

    monkeypatch.setattr(build, "Whole", ended)
    with pytest.raises(InterruptedError):
        build.build(long, tmp_path / "site", full=True)
    assert kept(long).read_bytes() == b"not read"
