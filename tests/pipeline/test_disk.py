"""A full disk, a file-size limit, a read-only folder: a clear error, and nothing half-written (specs/log.md)."""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from examples import some
from publishers import (
    BENCHSITE,
    PUBLISH,
    Scene,
    assert_public,
    assert_whole,
    finished,
    pair,
    publish,
    publish_past_locks,
    start,
)
from rebuilding import new_prose, tree

from benchsite.errors import InputError, PrerequisiteError
from benchsite.pipeline.workspace import Workspace

pytestmark = pytest.mark.stories

SAID = (InputError.exit_code, PrerequisiteError.exit_code)
PAGE = 4096
DOCS = Path(__file__).parents[2] / "content/docs"
# git names the file and no cause where a ref's lock does not fit, and the remote keeps its cause to itself.
FULL = re.compile("No space left|Out of diskspace|couldn't write '.*main.lock|cannot push to origin")
# Where git cannot make the folder of a ref, it names the place and no cause.
FORBIDDEN = re.compile("[Pp]ermission|cannot push to origin|unable to create directory for .git/refs/")
READ_ONLY = (
    *("results/log", ".benchsite/drafts", ".git/objects", "../origin.git/refs"),
    *("results/published", "results", ".benchsite", ".git/refs", ".git", "../origin.git/objects"),
)


@pytest.fixture(scope="module")
def two_drafts(begun_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return pair(begun_template, tmp_path_factory.mktemp("pair") / "scene")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 8 MiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={8 << 20}", "tmpfs", str(disk)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"this user may not mount: {mounted.stderr.decode().strip()}")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


def fill(disk: Path, *, spare: int) -> Path:
    """Leave `spare` bytes free."""
    ballast = disk / "ballast"
    found = os.statvfs(disk)
    with ballast.open("wb") as out:
        os.posix_fallocate(out.fileno(), 0, found.f_bavail * found.f_frsize - spare)
    assert os.statvfs(disk).f_bavail * found.f_frsize == spare
    return ballast


def assert_mended(scene: Scene) -> None:
    publish_past_locks(scene.instance)
    assert_whole(scene.instance, scene.mine)
    assert_public(scene, scene.instance)


def assert_full_disk_is_survived(scene: Scene, disk: Path, pages: int, **variables: str) -> bool:
    """Publish with so many free pages, then with all of them; whether the disk was too small for the first."""
    there = scene.copy(disk / "scene")
    ballast = fill(disk, spare=pages * PAGE)
    code, said = publish(there.instance, variables=variables)
    ballast.unlink()
    assert code in (0, *SAID), f"{pages} pages: {said}"
    if code:
        assert FULL.search(said), f"{pages} pages: {said}"
    assert_mended(there)
    shutil.rmtree(there.folder)
    return code != 0


@pytest.mark.parametrize("temporaries", some(["elsewhere", "on it too"], gate=1))
def test_a_disk_that_fills_up_stops_publish_with_a_sentence_and_loses_nothing(
    temporaries: str, two_drafts: Scene, small_disk: Path
) -> None:
    variables = {"TMPDIR": str(small_disk)} if temporaries == "on it too" else {}
    assert assert_full_disk_is_survived(two_drafts, small_disk, 0, **variables)
    assert assert_full_disk_is_survived(two_drafts, small_disk, 5, **variables)
    assert_full_disk_is_survived(two_drafts, small_disk, 40, **variables)


@pytest.mark.full
@pytest.mark.parametrize("temporaries", ["elsewhere", "on it too"])
def test_a_disk_that_fills_up_at_any_page_loses_nothing(
    temporaries: str, two_drafts: Scene, small_disk: Path
) -> None:
    variables = {"TMPDIR": str(small_disk)} if temporaries == "on it too" else {}
    pages, succeeded = 0, 0
    while succeeded < 3:
        too_small = assert_full_disk_is_survived(two_drafts, small_disk, pages, **variables)
        pages, succeeded = pages + 1, 0 if too_small else succeeded + 1
    assert pages > 20, (
        "two receipts, two segments, a checkpoint, a tree of each: the disk was full at many points"
    )


def limit_files(size: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize("size", some([0, 700, 150, 2_500, 6_000], gate=1))
def test_files_that_may_not_grow_stop_publish_with_a_sentence_and_lose_nothing(
    size: int, two_drafts: Scene, tmp_path: Path
) -> None:
    """Where nobody may mount a small disk, `ulimit -f` fails the same writes, with another error."""
    scene = two_drafts.copy(tmp_path / "scene")
    code, said = publish(scene.instance, preexec_fn=partial(limit_files, size))
    assert code in SAID, said
    assert_mended(scene)


@pytest.mark.full
def test_files_that_may_not_grow_stop_a_build_with_a_sentence_and_leave_the_old_site(
    small: Workspace,
) -> None:
    """At a picture that mkdocs copies, and at the largest file, which is written after it."""
    command, site = (*BENCHSITE, "build", "--output", "../site"), small.root.parent / "site"
    assert finished(start(small.root, command))[0] == 0
    before = tree(site)
    new_prose(small, {})
    prose = max(path.stat().st_size for path in DOCS.glob("*.md"))
    for size in (prose + 1, max(map(len, before.values())) - 1):
        code, said = finished(start(small.root, command, preexec_fn=partial(limit_files, size)))
        assert code == InputError.exit_code, said
        assert f"error: cannot write {site}: File too large\n  hint: free disk space" in said
        assert tree(site) == before
        assert not [path for path in site.parent.iterdir() if path.name.startswith(".site")]
    assert finished(start(small.root, command))[0] == 0
    assert tree(site).keys() > before.keys()


@pytest.fixture
def bound_by_modes() -> tuple[str, ...]:
    """A prefix for commands whom modes bind: root may write everywhere."""
    if os.geteuid():
        return ()
    if shutil.which("setpriv") is None:
        pytest.skip("modes do not bind root, and setpriv is not installed")
    return ("setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner")


def set_writable(folder: Path, *, writable: bool) -> None:
    for path in (folder, *(item for item in folder.rglob("*") if item.is_dir())):
        path.chmod(0o755 if writable else 0o555)


@pytest.mark.parametrize("folder", some(READ_ONLY, gate=2))
def test_a_read_only_folder_stops_publish_with_a_sentence_and_loses_nothing(
    folder: str, bound_by_modes: tuple[str, ...], two_drafts: Scene, tmp_path: Path
) -> None:
    scene = two_drafts.copy(tmp_path / "scene")
    place = (scene.instance / folder).resolve()
    set_writable(place, writable=False)
    code, said = finished(start(scene.instance, (*bound_by_modes, *BENCHSITE, *PUBLISH)))
    set_writable(place, writable=True)
    assert code in SAID, said
    assert FORBIDDEN.search(said), said
    assert_mended(scene)
