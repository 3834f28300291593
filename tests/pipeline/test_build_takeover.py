"""Receipt pages taken over from the previous site: which are rendered, and what is never believed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from builders import commit
from examples import some
from rebuilding import cut_short, digests, measured, new_prose, published, retracting, tampering, tree
from snapshots import opened

from benchsite import history
from benchsite.environment import Credentials
from benchsite.history import Header
from benchsite.layout import PAGE_DIGESTS
from benchsite.pipeline import build
from benchsite.pipeline.building import receipts
from benchsite.pipeline.building.takeover import ReceiptFiles, Takeover
from benchsite.pipeline.publish import events
from benchsite.pipeline.workspace import Workspace
from benchsite.signing import PrivateKey
from benchsite.track import Track

Secrets = dict[str, PrivateKey]
SMALL = """
import os, sys
from pathlib import Path
from benchsite import resources
from benchsite.pipeline import build
from benchsite.pipeline.workspace import Workspace
packaged = resources.folder
prose = Path(sys.argv[1]).with_name("packaged")
resources.folder = lambda name: prose if name == "content" else packaged(name)
"""
"""The one page of prose that the fixture `small` gives its own process."""
BUILD = "from benchsite.pipeline import head\ninstance = Workspace(Path(sys.argv[1]))\nbuild.build(instance, head.snapshot(instance), Path(sys.argv[2]))\n"
TWO = SMALL + BUILD
DYING = f"""{SMALL}
left, rename = int(sys.argv[3]), Path.rename
def renamed(path, target):
    global left
    if left == 0:
        os._exit(9)
    left -= 1
    return rename(path, target)
Path.rename = renamed
{BUILD}"""


@pytest.fixture
def site(small: Workspace) -> Path:
    return build.build(small, opened(small), small.root.parent / "site").site


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of receipts, each time a page of one is rendered."""
    found: list[str] = []
    page = receipts._page

    def counted(shared: object, header: Header, data: object) -> object:
        found.append(header.receipt_id)
        return page(shared, header, data)  # type: ignore[arg-type]

    monkeypatch.setattr(receipts, "_page", counted)
    return found


def full(instance: Workspace) -> dict[str, bytes]:
    """The files of a full build of a copy, whose digests the next build does not read."""
    copy = shutil.copytree(instance.root, instance.root.with_name("full") / "instance", symlinks=True)
    found = tree(
        build.build(Workspace(copy), opened(Workspace(copy)), copy.with_name("site"), full=True).site
    )
    shutil.rmtree(copy.parent)
    return found


def test_nothing_changed_renders_no_receipt_page_and_verifies_every_receipt(
    small: Workspace, site: Path, rendered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    verified: list[str] = []
    examine = history.examine

    def counted(*arguments: object, path: str, **named: object) -> object:
        verified.append(Path(path).stem)
        return examine(*arguments, path=path, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(history, "examine", counted)
    before = tree(site)
    assert tree(build.build(small, opened(small), site).site) == before
    assert rendered == []
    assert sorted(verified) == sorted(published(small))


def test_one_receipt_added_renders_its_page_alone(
    small: Workspace, site: Path, secrets: Secrets, rendered: list[str]
) -> None:
    added = measured(small, secrets)
    build.build(small, opened(small), site)
    assert rendered == [added]


def ranked(instance: Workspace) -> str:
    """The one ranked receipt: no page of another one depends on it, as on the baseline."""
    history = opened(instance).history()
    return next(
        one.receipt_id for one in history if one.summary and one.summary.subject.name == "sqlite-fts5"
    )


def test_a_retraction_renders_the_page_of_that_receipt_alone(
    small: Workspace, site: Path, secrets: Secrets, rendered: list[str]
) -> None:
    gone = ranked(small)
    entry = events.retraction(gone, "wrong tokenizer")
    events.announce(small, Credentials.of(**secrets), entry, push=False)
    build.build(small, opened(small), site)
    assert rendered == [gone]


def test_full_takes_nothing_over(small: Workspace, site: Path, rendered: list[str]) -> None:
    build.build(small, opened(small), site, full=True)
    assert sorted(rendered) == sorted(published(small))


def test_ci_takes_nothing_over(
    small: Workspace, site: Path, rendered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    build.build(Workspace(small.root), opened(Workspace(small.root)), site)
    assert sorted(rendered) == sorted(published(small))


def test_an_edited_page_of_the_previous_site_is_rendered(
    small: Workspace, site: Path, rendered: list[str]
) -> None:
    before, name = tree(site), published(small)[0]
    page = site / f"receipts/{name[:2]}/{name}/index.html"
    page.write_bytes(page.read_bytes().replace(b"0.", b"9."))
    assert tree(site) != before
    assert tree(build.build(small, opened(small), site).site) == before
    assert rendered == [name]


def test_forged_digests_change_no_page(small: Workspace, site: Path, rendered: list[str]) -> None:
    """Digests of the edited pages and badges, but of no key: who forges them does not run the build."""
    before = tree(site)
    forged = {}
    for page in site.glob("receipts/*/*/index.html"):
        page.write_bytes(page.read_bytes().replace(b"0.", b"9."))
        badge = page.with_name("badge.json").read_bytes()
        forged[page.parent.name] = ReceiptFiles(page.read_bytes(), badge).digest(b"")
    digests(small).write_text(json.dumps(forged))
    assert tree(build.build(small, opened(small), site).site) == before
    assert sorted(rendered) == sorted(published(small))


@pytest.mark.full
def test_pages_that_are_forged_whole_change_no_verdict_rank_or_other_page(
    small: Workspace, site: Path, secrets: Secrets, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that computes keys too keeps the page it wrote, as if it had edited the new site; nothing else."""
    retracting(small, secrets)
    keys: dict[str, bytes] = {}
    key = Takeover.key

    def noting(takeover: Takeover, header: Header) -> bytes:
        keys[header.receipt_id] = key(takeover, header)
        return keys[header.receipt_id]

    monkeypatch.setattr(Takeover, "key", noting)
    build.build(small, opened(small), site)
    forged = {}
    for name, known in keys.items():
        page = site / f"receipts/{name[:2]}/{name}/index.html"
        page.write_bytes(b"<p>0.999")
        forged[name] = ReceiptFiles(b"<p>0.999", page.with_name("badge.json").read_bytes()).digest(known)
    digests(small).write_text(json.dumps(forged))
    made, right = tree(build.build(small, opened(small), site).site), full(small)
    differing = {path for path in made.keys() | right.keys() if made.get(path) != right.get(path)}
    assert differing == {f"receipts/{name[:2]}/{name}/index.html" for name in keys}
    tampering(small, secrets)
    assert len(build.build(small, opened(small), site).broken) == 1


@pytest.mark.parametrize(
    "damage",
    some(
        [cut_short, lambda _: b"[" * 100_000, lambda _: b"[]", lambda _: b"\xff", lambda _: b'{"a": {}}'],
        gate=2,
    ),
    ids=["cut", "nested", "another type", "no text", "others"],
)
def test_damaged_digests_cost_time_only(
    small: Workspace, site: Path, rendered: list[str], damage: Callable[[bytes], bytes]
) -> None:
    before, noted = tree(site), digests(small).read_bytes()
    digests(small).write_bytes(damage(noted))
    assert tree(build.build(small, opened(small), site).site) == before
    assert sorted(rendered) == sorted(published(small))
    assert digests(small).read_bytes() == noted


@pytest.mark.parametrize("spoil", some(["folder link", "folder", "fifo"], gate=1))
def test_a_place_that_cannot_be_used_costs_time_only(small: Workspace, site: Path, spoil: str) -> None:
    before, path = tree(site), digests(small)
    path.unlink()
    elsewhere = small.root.parent / "elsewhere"
    if spoil == "folder link":
        path.parent.rename(elsewhere)
        path.parent.symlink_to(elsewhere)
    elif spoil == "folder":
        path.mkdir()
    else:
        os.mkfifo(path)
    assert tree(build.build(small, opened(small), site).site) == before
    if spoil == "folder link":
        assert not (elsewhere / path.name).exists(), "nothing is written through a link"


def test_digests_that_a_commit_brings_are_not_read(small: Workspace, site: Path, rendered: list[str]) -> None:
    commit(small, {PAGE_DIGESTS: digests(small).read_bytes()})
    build.build(small, opened(small), site)
    assert sorted(rendered) == sorted(published(small))


@pytest.mark.full
def test_receipts_of_another_package_s_track_are_rendered_each_time(
    small: Workspace, site: Path, rendered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Track, "is_own", False)
    build.build(small, opened(small), site)
    assert sorted(rendered) == sorted(published(small))


def test_what_other_receipts_say_of_one_is_in_the_key_of_its_page(
    small: Workspace, site: Path, rendered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    about = ranked(small)
    joined = history.linked

    def linked(headers: list[Header]) -> tuple[Header, ...]:
        return tuple(
            replace(item, unranked=("another one reports its run",)) if item.receipt_id == about else item
            for item in joined(headers)
        )

    monkeypatch.setattr(history, "linked", linked)
    build.build(small, opened(small), site)
    assert rendered == [about]


@pytest.mark.full
def test_prose_in_the_folder_of_a_receipt_stays_beside_it(small: Workspace, site: Path) -> None:
    page = f"receipts/{published(small)[0][:2]}/note"
    commit(small, {f"content/{page}.md": b"# Note\n\nWords.\n"})
    again = tree(build.build(small, opened(small), site).site)
    assert f"{page}/index.html" in again
    assert again == full(small)


@pytest.mark.full
@pytest.mark.stories
def test_two_builds_of_one_site_at_once_wait_for_each_other(small: Workspace, site: Path) -> None:
    before = tree(site)
    command = [sys.executable, "-c", TWO, str(small.root), str(site)]
    both = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(2)]
    assert [(process.communicate()[1], process.returncode) for process in both] == [(b"", 0)] * 2
    assert tree(site) == before
    assert not [path for path in site.parent.iterdir() if path.name.startswith(".site")]


@pytest.mark.stories
def test_after_a_build_was_killed_the_next_one_is_right(small: Workspace, site: Path) -> None:
    before = tree(site)
    staging = site.with_name(".site.staging")
    process = subprocess.Popen([sys.executable, "-c", TWO, str(small.root), str(site)])
    while not staging.exists() and process.poll() is None:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert tree(site) == before, "the old site is whole"
    assert tree(build.build(small, opened(small), site).site) == before
    assert not staging.exists()


@pytest.mark.stories
def test_a_build_killed_while_it_swaps_the_sites_leaves_all_of_the_old_one(
    small: Workspace, site: Path, rendered: list[str]
) -> None:
    """The program ends between the two renames: nothing that Python does at the end of a block happens."""
    before = tree(site)
    process = subprocess.run(
        [sys.executable, "-c", DYING, str(small.root), str(site), "1"], check=False, capture_output=True
    )
    assert (process.returncode, process.stderr) == (9, b"")
    assert not site.exists()
    new_prose(small, {})
    build.build(small, opened(small), site)
    assert before.keys() < tree(site).keys()
    assert rendered == [], "the pages of the old site were taken over"
    assert not [path for path in site.parent.iterdir() if path.name.startswith(".site")]
