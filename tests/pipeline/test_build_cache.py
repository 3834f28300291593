"""What the cache of builds spares, what it can never make true, and what becomes of a build that it cannot serve."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from builders import commit
from rebuilding import kept, measured, new_prose, published, rewritten, tree

from benchsite import history
from benchsite.environment import Credentials
from benchsite.errors import BenchsiteError
from benchsite.history import Header
from benchsite.layout import CACHE
from benchsite.pipeline import build
from benchsite.pipeline.building import cache, headers, receipts
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.publish import events
from benchsite.pipeline.record import Record
from benchsite.signing import PrivateKey
from benchsite.track import Track

Secrets = dict[str, PrivateKey]
SMALL = """
import os, sys
from pathlib import Path
from benchsite import resources
from benchsite.pipeline import build
from benchsite.pipeline.instance import Instance
packaged = resources.folder
prose = Path(sys.argv[1]).with_name("packaged")
resources.folder = lambda name: prose if name == "content" else packaged(name)
"""
"""The one page of prose that the fixture `small` gives its own process."""
BUILD = "build.build(Instance(Path(sys.argv[1])), Path(sys.argv[2]))\n"
TWO = SMALL + BUILD
DYING = f"""{SMALL}
left, rename = int(sys.argv[3]), Path.rename
def renamed(path, target):
    global left
    if path.name != "build.jsonl" and left < 0:
        os._exit(9)
    left -= 1
    return rename(path, target)
Path.rename = renamed
{BUILD}"""


@pytest.fixture
def site(small: Instance) -> Path:
    return build.build(small, small.root.parent / "site").site


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of receipts' pages, each time one is rendered."""
    found: list[str] = []
    page = receipts._page

    def counted(shared: object, header: object, data: object) -> object:
        found.append(header.receipt_id)  # type: ignore[attr-defined]
        return page(shared, header, data)  # type: ignore[arg-type]

    monkeypatch.setattr(receipts, "_page", counted)
    return found


def looked_at(instance: Instance) -> None:
    """Let the next build go through every receipt, as if the site were not known to stand."""
    rewritten(instance, bytes)


def test_nothing_changed_verifies_and_renders_nothing(
    small: Instance, site: Path, rendered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the prose alone changed too; where not even that has, the site is left as it is."""
    monkeypatch.setattr(headers, "encoded", lambda _header: pytest.fail("a receipt was verified"))
    new_prose(small, {})
    assert not build.build(small, site).was_current
    assert rendered == []
    monkeypatch.setattr(build, "_ready", lambda *_: pytest.fail("a page was made"))
    assert build.build(small, site).was_current


def test_one_receipt_added_renders_its_page_alone(
    small: Instance, site: Path, secrets: Secrets, rendered: list[str]
) -> None:
    added = measured(small, secrets)
    build.build(small, site)
    assert rendered == [added]


def test_a_retraction_renders_the_page_of_that_receipt_alone(
    small: Instance, site: Path, secrets: Secrets, rendered: list[str]
) -> None:
    gone = published(small)[0]
    entry = events.retraction(gone, "wrong tokenizer")
    events.announce(small, Credentials.of(**secrets), entry, push=False)
    build.build(small, site)
    assert rendered == [gone]


def test_full_takes_nothing_over(small: Instance, site: Path, rendered: list[str]) -> None:
    build.build(small, site, full=True)
    assert sorted(rendered) == sorted(published(small))


def test_ci_takes_nothing_over(
    small: Instance, site: Path, rendered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    build.build(Instance(small.root), site)
    assert sorted(rendered) == sorted(published(small))


_opened = os.open


def read_only(path: object, flags: int, *mode: int, **more: int) -> int:
    """`os.open` where the folder of caches is read-only for every user: modes do not bind root."""
    if flags & os.O_CREAT and Path(str(path)).parent.name == Path(CACHE).name:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)
    return _opened(path, flags, *mode, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("spoil", ["link", "folder link", "folder", "fifo", "types", "read-only"])
@pytest.mark.stories
def test_a_cache_that_cannot_be_used_costs_time_only(
    small: Instance, site: Path, spoil: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, path = tree(site), kept(small)
    elsewhere = small.root.parent / "elsewhere"
    if spoil == "link":
        path.rename(elsewhere)
        path.symlink_to(elsewhere)
    elif spoil == "folder link":
        (small.root / CACHE).rename(elsewhere)
        (small.root / CACHE).symlink_to(elsewhere)
    elif spoil == "folder":
        path.unlink()
        path.mkdir()
    elif spoil == "fifo":
        path.unlink()
        os.mkfifo(path)
    elif spoil == "types":
        rewritten(small, lambda body: body.replace(b'"LOGGED"', b"[7]"))
    else:
        path.unlink()
        monkeypatch.setattr(cache.os, "open", read_only)
    assert tree(build.build(small, site).site) == before
    if spoil == "read-only":
        assert list(path.parent.iterdir()) == []
    if spoil == "folder link":
        assert [item.name for item in elsewhere.iterdir()] == ["build.jsonl"], (
            "nothing is written through a link"
        )


def receipt_lines(body: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """The body with each line of a verdict changed."""
    lines = body.splitlines(keepends=True)
    return b"".join([change(line) if line.startswith(b"verdict") else line for line in lines])


@pytest.mark.parametrize(
    "change",
    [
        lambda body: b"[" * 100_000 + b"\n" + body.partition(b"\n")[2],
        lambda body: re.sub(rb", \[\d+, ", b', ["x", ', body, count=1),
        lambda body: re.sub(rb", \[\d+, ", b", [-3, ", body, count=1),
        lambda body: receipt_lines(body, lambda line: b"\t".join(line.split(b"\t")[:2]) + b"\n"),
        lambda body: receipt_lines(body, lambda line: line[:-2] + b", 1]\n"),
        lambda body: receipt_lines(body, lambda line: re.sub(rb", \d+, \d+, ", b', "9", "x", ', line, count=1)),
        lambda body: receipt_lines(body, lambda line: b"\t".join(line.split(b"\t")[:3]) + b"\t" + b"[" * 99_999 + b"\n"),
    ],
    ids=["head", "size of the log", "size below zero", "cut lines", "a member too many", "types", "nested"],
)  # fmt: skip
@pytest.mark.stories
def test_a_cache_with_a_good_digest_and_wrong_lines_costs_time_only(
    small: Instance, site: Path, rendered: list[str], change: Callable[[bytes], bytes]
) -> None:
    before = kept(small).read_bytes()
    rewritten(small, change)
    assert kept(small).read_bytes() != before
    build.build(small, site)
    assert sorted(rendered) == sorted(published(small))
    assert kept(small).read_bytes() == before


def test_a_cache_that_a_commit_brings_is_not_read(small: Instance, site: Path, rendered: list[str]) -> None:
    commit(small, {f"{CACHE}/build.jsonl": kept(small).read_bytes()})
    build.build(small, site)
    assert sorted(rendered) == sorted(published(small))


def test_receipts_of_another_package_s_track_are_verified_and_shown_each_time(
    small: Instance, site: Path, rendered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Track, "is_own", False)
    build.build(small, site)
    assert sorted(rendered) == sorted(published(small))


def test_what_other_receipts_say_of_one_is_in_the_key_of_its_page(
    small: Instance, site: Path, rendered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = published(small)[1]
    joined = history.linked

    def linked(headers: list[Header]) -> tuple[Header, ...]:
        return tuple(
            replace(item, unranked=("another one reports its run",)) if item.receipt_id == told else item
            for item in joined(headers)
        )

    looked_at(small)
    monkeypatch.setattr(history, "linked", linked)
    build.build(small, site)
    assert rendered == [told]


def test_prose_in_the_folder_of_a_receipt_stands_beside_it(small: Instance, site: Path) -> None:
    page = f"receipts/{published(small)[0][:2]}/note"
    commit(small, {f"content/{page}.md": b"# Note\n\nWords.\n"})
    again = tree(build.build(small, site).site)
    assert f"{page}/index.html" in again
    assert again == tree(build.build(small, small.root.parent / "full", full=True).site)


def test_what_killed_builds_left_in_the_cache_is_removed(small: Instance, site: Path) -> None:
    looked_at(small)
    ended = subprocess.Popen(["true"])
    ended.wait()
    kept(small).with_name(f".build.jsonl.{ended.pid}.tmp").write_bytes(b"a part")
    build.build(small, site)
    assert [path.name for path in kept(small).parent.iterdir()] == ["build.jsonl"]


def test_a_cache_of_another_user_is_not_read(
    small: Instance, site: Path, rendered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache.os, "geteuid", lambda: os.getuid() + 1)
    build.build(small, site)
    assert sorted(rendered) == sorted(published(small))


@pytest.mark.stories
def test_a_full_disk_for_the_cache_does_not_fail_the_build(
    small: Instance, site: Path, secrets: Secrets, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = kept(small).read_bytes()

    opened = os.open

    def full(path: object, flags: int, *mode: int) -> int:
        return opened("/dev/full" if str(path).endswith(".tmp") else path, flags & ~os.O_EXCL, *mode)  # type: ignore[arg-type]

    measured(small, secrets)
    monkeypatch.setattr(cache.os, "open", full)
    build.build(small, site)
    monkeypatch.undo()
    assert kept(small).read_bytes() == before
    assert [path.name for path in kept(small).parent.iterdir()] == ["build.jsonl"]


@pytest.mark.stories
def test_two_builds_of_one_site_at_once_wait_for_each_other(small: Instance, site: Path) -> None:
    before = tree(site)
    looked_at(small)
    command = [sys.executable, "-c", TWO, str(small.root), str(site)]
    both = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(2)]
    assert [(process.communicate()[1], process.returncode) for process in both] == [(b"", 0)] * 2
    assert tree(site) == before
    assert not [path for path in site.parent.iterdir() if path.name.startswith(".site")]


@pytest.mark.stories
def test_after_a_build_was_killed_the_next_one_is_right(small: Instance, site: Path) -> None:
    before = tree(site)
    looked_at(small)
    staging = site.with_name(".site.staging")
    process = subprocess.Popen([sys.executable, "-c", TWO, str(small.root), str(site)])
    while not staging.exists() and process.poll() is None:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert tree(site) == before, "the old site stands"
    assert tree(build.build(small, site).site) == before
    assert not staging.exists()


@pytest.mark.parametrize("after", range(5))
@pytest.mark.stories
def test_a_build_killed_while_it_swaps_the_sites_leaves_all_of_the_old_one(
    small: Instance, site: Path, rendered: list[str], after: int
) -> None:
    """The program ends at the renaming after so many: nothing that Python does at the end of a block happens."""
    before = tree(site)
    looked_at(small)
    process = subprocess.run(
        [sys.executable, "-c", DYING, str(small.root), str(site), str(after)],
        check=False,
        capture_output=True,
    )
    assert (process.returncode, process.stderr) == (9, b"")
    assert not site.exists()
    assert tree(build.build(small, site).site) == before
    assert rendered == [], "the receipts' pages were put back and taken over"
    assert not [path for path in site.parent.iterdir() if path.name.startswith(".site")]


@pytest.mark.parametrize("name", ["link/kept", "receipts/ab", "../kept"])
def test_an_unfinished_swap_that_a_commit_brings_moves_nothing_from_elsewhere(
    small: Instance, tmp_path: Path, name: str
) -> None:
    """A folder of the user's own behind a link, listed as if it were on its way between two sites."""
    site, own = tmp_path / "site", tmp_path / "own"
    for folder in ("kept", "ab"):
        (own / folder).mkdir(parents=True)
        (own / folder / "letter").write_text("mine")
    old, staging = tmp_path / ".site.old", tmp_path / ".site.staging"
    for folder in (old / "receipts", old / "link", staging):
        folder.mkdir(parents=True)
    (old / ".benchsite-moved").write_text(name)
    (staging / "link").symlink_to(own)
    (staging / "receipts").symlink_to(own)
    before = tree(own)
    with suppress(BenchsiteError):
        build.build(small, site)
    assert tree(own) == before


def test_a_site_that_stands_is_moved_by_the_folder(small: Instance, site: Path) -> None:
    item = Record.at(small).published[0]
    before = (site / item.path).stat().st_ino
    looked_at(small)
    again = build.build(small, site)
    assert (again.site / item.path).stat().st_ino == before
