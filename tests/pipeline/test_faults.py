"""kill -9 at any point of `publish` and `keys init`: after a restart the record is whole (specs/log.md, threats)."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from functools import cache
from pathlib import Path

import pytest
from examples import some
from publishers import (
    BENCHSITE,
    ORIGIN,
    PUBLISH,
    Scene,
    assert_audit_passes,
    assert_one_head_a_size,
    assert_public,
    assert_whole,
    finished,
    pair,
    publish,
    publish_past_locks,
    start,
    stored_heads,
)
from publishing import git
from snapshots import snapshot

from benchsite.pipeline import init
from benchsite.pipeline.workspace import Workspace

pytestmark = pytest.mark.stories

DRIVER = Path(__file__).with_name("faults.py")
ROLES = ("root", "receipt", "log")
SCENES = ("local", "alone", "behind", "rejected")
LOCKS = ("index.lock", "HEAD.lock", "refs/heads/main.lock", "packed-refs.lock", "config.lock", "shallow.lock")


@pytest.fixture(scope="module")
def two_publishers(begun_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return pair(begun_template, tmp_path_factory.mktemp("pair") / "scene")


@pytest.fixture(scope="module")
def staged(two_publishers: Scene, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Scene]:
    """The state in which `publish` is started and killed, made once for each name in SCENES."""

    @cache
    def of(name: str) -> Scene:
        scene = two_publishers.copy(tmp_path_factory.mktemp("staged") / name)
        if name == "local":
            git(scene.instance, "remote", "remove", "origin")
        if name == "behind":
            git(scene.other, "push", "-q", "origin", "main")
        return scene

    return of


@pytest.fixture
def copies(tmp_path: Path) -> Iterator[Callable[[Scene], Scene]]:
    """Fresh copies of a scene, one at a time."""
    numbers = iter(range(10_000))
    return lambda scene: scene.copy(tmp_path / str(next(numbers)))


def driven(folder: Path, command: Sequence[str], *, roles: Sequence[str], **plan: object) -> tuple[int, str]:
    """A command under the driver; (-9, ...) where it was killed."""
    whole = json.dumps({"root": str(folder), **plan})
    return finished(start(folder, (sys.executable, DRIVER, whole, *command), roles=roles))


def publish_driven(name: str, scene: Scene, **plan: object) -> int:
    race = {"race": str(scene.other)} if name == "rejected" else {}
    return driven(scene.instance, PUBLISH, roles=("receipt", "log"), **race, **plan)[0]


@pytest.fixture(scope="module")
def boundaries(
    staged: Callable[[str], Scene], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], int]:
    """How many boundaries an unharmed publish crosses, which must itself be whole."""

    @cache
    def of(name: str) -> int:
        folder = tmp_path_factory.mktemp("counted")
        scene, file = staged(name).copy(folder / "scene"), folder / "count"
        assert publish_driven(name, scene, count=str(file)) == 0
        assert_recovered(name, scene)
        return int(file.read_text())

    return of


def assert_recovered(name: str, scene: Scene) -> None:
    reached = name in ("behind", "rejected") and theirs_is_public(scene)
    assert_whole(scene.instance, [*scene.mine, *(scene.theirs if reached else ())])
    if name != "local":
        assert_public(scene, scene.instance)
        assert_one_head_a_size(stored_heads(scene.origin))


def theirs_is_public(scene: Scene) -> bool:
    """In the race, the other publisher gets through only if this one lived to its first push."""
    return git(scene.other, "rev-parse", "main") in git(scene.origin, "rev-list", "main").split()


def assert_restart_mends(name: str, scene: Scene) -> None:
    for draft in (scene.instance / ".benchsite" / "drafts").glob("*.json"):
        assert draft.stem in scene.mine
    publish_past_locks(scene.instance)
    assert_recovered(name, scene)


@pytest.mark.parametrize("name", some(SCENES, gate=1))
def test_a_kill_at_a_sampled_boundary_of_publish_loses_and_doubles_nothing(
    name: str,
    staged: Callable[[str], Scene],
    copies: Callable[[Scene], Scene],
    boundaries: Callable[[str], int],
) -> None:
    count = boundaries(name)
    for at in sorted(random.Random(name).sample(range(1, count + 1), 2)):  # noqa: S311 - a sample, not a secret
        scene = copies(staged(name))
        assert publish_driven(name, scene, at=at) == -signal.SIGKILL, f"boundary {at} of {count}"
        assert_restart_mends(name, scene)


@pytest.mark.full
@pytest.mark.parametrize("name", SCENES)
def test_a_kill_at_every_boundary_of_publish_loses_and_doubles_nothing(
    name: str,
    staged: Callable[[str], Scene],
    copies: Callable[[Scene], Scene],
    boundaries: Callable[[str], int],
) -> None:
    count = boundaries(name)
    assert count >= 40, "the boundaries of four scenes are at least 160 kills"
    for at in range(1, count + 1):
        scene = copies(staged(name))
        assert publish_driven(name, scene, at=at) == -signal.SIGKILL, f"boundary {at} of {count}"
        assert_restart_mends(name, scene)


@pytest.mark.parametrize("name", some(SCENES, gate=1))
@pytest.mark.parametrize("kills", [1, pytest.param(20, marks=pytest.mark.full)])
def test_a_git_command_killed_half_way_is_mended(
    name: str,
    kills: int,
    staged: Callable[[str], Scene],
    copies: Callable[[Scene], Scene],
    boundaries: Callable[[str], int],
) -> None:
    """The whole process group dies a few milliseconds after a boundary, while git is at work."""
    count = boundaries(name)
    chance = random.Random(f"{name} {kills}")  # noqa: S311 - a sample, not a secret
    for _ in range(kills):
        scene = copies(staged(name))
        at, linger = chance.randrange(1, count + 1), chance.uniform(0, 0.006)
        assert publish_driven(name, scene, at=at, linger=linger) in (-signal.SIGKILL, 0), f"{at} of {count}"
        for lock in scene.origin.rglob("*.lock"):
            lock.unlink()  # the remote's git died with ours, being on this machine; its locks are not publish's to mend
        assert_restart_mends(name, scene)


@pytest.mark.parametrize("kills", [2, pytest.param(40, marks=pytest.mark.full)])
def test_a_kill_at_any_time_is_mended(
    kills: int, staged: Callable[[str], Scene], copies: Callable[[Scene], Scene]
) -> None:
    began = time.monotonic()
    assert publish(copies(staged("behind")).instance) == (0, "")
    usual = time.monotonic() - began
    chance = random.Random(kills)  # noqa: S311 - a sample, not a secret
    for place in range(kills):
        name = ("local", "alone", "behind")[place % 3]
        scene = copies(staged(name))
        process = start(scene.instance, (*BENCHSITE, *PUBLISH))
        time.sleep(chance.uniform(0, usual))
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        assert finished(process)[0] in (-signal.SIGKILL, 0)
        assert_restart_mends(name, scene)


@pytest.mark.full
@pytest.mark.parametrize("kills", [1, 60])
def test_a_restart_that_is_killed_too_is_mended_by_the_next(
    kills: int,
    staged: Callable[[str], Scene],
    copies: Callable[[Scene], Scene],
    boundaries: Callable[[str], int],
) -> None:
    chance = random.Random(kills)  # noqa: S311 - a sample, not a secret
    for _ in range(kills):
        name = chance.choice(("alone", "behind"))
        scene, count = copies(staged(name)), boundaries(name)
        for at in (chance.randrange(count // 2, count + 1), chance.randrange(1, count)):
            assert publish_driven(name, scene, at=at) in (-signal.SIGKILL, 0), f"{at} of {count}"
        assert_restart_mends(name, scene)


@pytest.mark.parametrize("lock", some(LOCKS, gate=1))
def test_a_lock_that_a_killed_git_left_is_survived_or_named(
    lock: str, staged: Callable[[str], Scene], copies: Callable[[Scene], Scene]
) -> None:
    scene = copies(staged("behind"))
    left = scene.instance / ".git" / lock
    left.touch()
    publish_past_locks(scene.instance)
    left.unlink(missing_ok=True)
    assert_recovered("behind", scene)


@pytest.mark.full
def test_a_move_to_the_remotes_head_killed_half_way_is_mended(
    staged: Callable[[str], Scene], copies: Callable[[Scene], Scene]
) -> None:
    """The other publisher's files are on disk, a page outside the record too; the index does not know them yet."""
    scene = copies(staged("behind"))
    assert publish_driven("behind", scene, before=["read-tree", "-u"]) == -signal.SIGKILL
    theirs = git(scene.instance, "diff-tree", "-r", "--name-only", "HEAD", "origin/main").split()
    assert "news.md" in theirs
    assert "results/log/checkpoint" in theirs
    git(scene.instance, "archive", "-o", "theirs.tar", "origin/main", *theirs)
    subprocess.run(["tar", "-xf", "theirs.tar"], cwd=scene.instance, check=True)
    (scene.instance / "theirs.tar").unlink()
    (scene.instance / ".git" / "index.lock").touch()
    publish_past_locks(scene.instance)
    assert_recovered("behind", scene)


@pytest.mark.parametrize("length", some([0, 3], gate=1))
def test_a_page_that_git_died_over_is_mended(
    staged: Callable[[str], Scene], copies: Callable[[Scene], Scene], length: int
) -> None:
    """Git makes a file, and then writes it: in between it is empty, or holds the beginning."""
    scene = copies(staged("behind"))
    assert publish_driven("behind", scene, before=["read-tree", "-u"]) == -signal.SIGKILL
    whole = git(scene.instance, "show", "origin/main:news.md").encode()
    assert len(whole) > length
    (scene.instance / "news.md").write_bytes(whole[:length])
    publish_past_locks(scene.instance)
    assert_recovered("behind", scene)


@pytest.mark.full
def test_a_page_of_ones_own_survives_such_a_kill(
    staged: Callable[[str], Scene], copies: Callable[[Scene], Scene]
) -> None:
    scene = copies(staged("behind"))
    assert publish_driven("behind", scene, before=["read-tree", "-u"]) == -signal.SIGKILL
    page = scene.instance / "news.md"
    page.write_text("my own words")
    code, said = publish(scene.instance)
    assert (code, "news.md" in said) == (5, True)
    assert page.read_text() == "my own words"
    page.unlink()
    publish_past_locks(scene.instance)
    assert_recovered("behind", scene)


@pytest.fixture(scope="module")
def no_log(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    scene = Scene(tmp_path_factory.mktemp("no-log") / "scene")
    init.init(scene.instance, name="tests", origin=ORIGIN)
    return scene


def keys_init(scene: Scene, *, given: bool) -> tuple[str, ...]:
    return ("keys", "init") if given else ("keys", "init", "--out", str(scene.folder / "private"))


def assert_keys_init_kill_is_mended(scene: Scene, at: int, *, given: bool) -> None:
    """The restart begins the log, or says that the killed one had begun it; the keys made for it are still there."""
    roles = ROLES if given else ()
    command = keys_init(scene, given=given)
    assert driven(scene.instance, command, roles=roles, at=at)[0] == -signal.SIGKILL
    code, said = finished(start(scene.instance, (*BENCHSITE, *command), roles=roles))
    if code == 4:
        assert "exists already" in said, "keys of a log that never began stand in the way, and are named"
        assert git(scene.instance, "ls-tree", "-r", "--name-only", "HEAD", "keys") == "keys/ROTATION.md"
        fresh = ("keys", "init", "--out", str(scene.folder / "second"))
        code, said = finished(start(scene.instance, (*BENCHSITE, *fresh), roles=roles))
    assert code == 0 or (code == 5 and "already has a log" in said)
    assert git(scene.instance, "status", "--porcelain") == ""
    instance = Workspace(scene.instance)
    with closing(instance.repository):
        assert_audit_passes(instance)
        log = snapshot(instance).log
        assert log is not None
        assert log.size == 3
    if not given:
        assert private_halves(scene) >= {record.fingerprint for record in log.keyring}


def private_halves(scene: Scene) -> set[str]:
    """Fingerprints of the private keys on disk: SHA-256 of the SPKI DER, by openssl."""
    found = set()
    for path in scene.folder.glob("*/*.pem"):
        der = subprocess.run(
            ["openssl", "pkey", "-in", path, "-pubout", "-outform", "DER"], capture_output=True, check=False
        )
        digest = subprocess.run(
            ["openssl", "dgst", "-sha256", "-r"], input=der.stdout, capture_output=True, check=True
        )
        found.add(f"sha256:{digest.stdout.split()[0].decode()}")
    return found


@pytest.mark.parametrize("keys", some(["given", "made"], gate=1))
@pytest.mark.parametrize("kills", [2, pytest.param(1_000, marks=pytest.mark.full)], ids=["sampled", "every"])
def test_a_kill_of_keys_init_leaves_a_log_that_began_or_none(
    keys: str, kills: int, no_log: Scene, copies: Callable[[Scene], Scene], tmp_path: Path
) -> None:
    counted, file, given = copies(no_log), tmp_path / "count", keys == "given"
    roles = ROLES if given else ()
    assert driven(counted.instance, keys_init(counted, given=given), roles=roles, count=str(file))[0] == 0
    count = int(file.read_text())
    every = range(1, count + 1)
    chance = random.Random(keys)  # noqa: S311 - a sample, not a secret
    for at in every if kills >= count else sorted(chance.sample(every, kills)):
        assert_keys_init_kill_is_mended(copies(no_log), at, given=given)
