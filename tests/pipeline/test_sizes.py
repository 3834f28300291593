"""`results/log/sizes`: every publish continues it, an older record gets it, audit and `whole` hold it, a site serves it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from altering import found, grow, head, intent, kinds
from builders import commit
from commands import run_in
from examples import some
from publishing import git, measure
from snapshots import log_of, opened, snapshot

from benchsite.environment import Credentials
from benchsite.errors import IntegrityError
from benchsite.layout import SIZES_PATH
from benchsite.log import TileReader
from benchsite.pipeline import build, publish
from benchsite.pipeline.audit import Kind, audit
from benchsite.pipeline.snapshot import sizes
from benchsite.pipeline.snapshot.integrity import faults, refusal, require_whole
from benchsite.pipeline.workspace import Workspace


@pytest.fixture
def grown(begun: Workspace, secrets: dict) -> Workspace:
    """Three keys, then one, two and one more entry: checkpoints of 3, 4, 6 and 7."""
    for entries in ([0], [1, 2], [3]):
        grow(begun, secrets["log"], *map(intent, entries))
    return begun


@pytest.fixture
def without(grown: Workspace, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """The same record as an earlier benchsite left it: no commit has the file."""
    monkeypatch.setenv("FILTER_BRANCH_SQUELCH_WARNING", "1")  # git waits ten seconds after it
    script = f"git rm -q --cached --ignore-unmatch {SIZES_PATH}"
    git(grown.root, "filter-branch", "-f", "--index-filter", script, "HEAD")
    git(grown.root, "reset", "-q", "--hard")
    instance = Workspace(grown.root)
    with closing(instance.repository):
        yield instance


def held(instance: Workspace) -> str:
    return git(instance.root, "show", f"HEAD:{SIZES_PATH}")


def test_every_publish_adds_its_size_in_the_commit_of_its_checkpoint(
    begun: Workspace, credentials: Credentials
) -> None:
    assert held(begun) == "3", "the three keys"
    publish.publish(begun, opened(begun), [measure(begun)], credentials, push=False)
    # The documents a receipt uses first, and the receipt.
    assert held(begun).split() == ["3", "6"]
    assert {"results/log/checkpoint", SIZES_PATH} <= set(
        git(begun.root, "show", "--name-only", "--format=", "HEAD").split()
    )
    assert (begun.root / SIZES_PATH).read_bytes() == b"3\n6\n"
    assert audit(snapshot(begun)).ok


def test_an_older_record_gets_it_from_its_history(without: Workspace, credentials: Credentials) -> None:
    assert audit(snapshot(without)).ok
    assert [item for item in faults(snapshot(without)) if item.kind is Kind.SIZES] == []
    publish.publish(without, opened(without), [measure(without)], credentials, push=False)
    assert held(without).split() == ["3", "4", "6", "7", "10"]
    assert audit(snapshot(without)).ok


def test_in_a_shallow_clone_it_waits_for_a_whole_one(
    without: Workspace, secrets: dict, tmp_path: Path
) -> None:
    """A list that only grows cannot be completed later, so none is begun; what is there is continued."""
    shallow = tmp_path / "shallow"
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{without.root}", str(shallow)], check=True)
    clone = Workspace(shallow)
    with closing(clone.repository):
        assert sizes.before(snapshot(clone)) is None
        grow(clone, secrets["log"], intent(8))
        assert clone.repository.read(SIZES_PATH, rev="HEAD") is None
        git(shallow, "fetch", "-q", "--unshallow")
        grow(Workspace(shallow), secrets["log"], intent(9))
        assert held(clone).split() == ["3", "4", "6", "7", "8", "9"]
        assert audit(snapshot(Workspace(shallow))).ok


@pytest.mark.full
@pytest.mark.stories
def test_a_shallow_clone_continues_the_list_and_serves_it(
    grown: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    shallow = tmp_path / "shallow"
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{grown.root}", str(shallow)], check=True)
    clone = Workspace(shallow)
    with closing(clone.repository):
        publish.publish(clone, opened(clone), [measure(clone)], credentials, push=False)
        assert held(clone).split() == ["3", "4", "6", "7", "10"]
        site = build.build(clone, opened(clone), tmp_path / "site").site / "log/tile"
    for folder in (site / "0/000.p", site / "entries/000.p"):
        assert sorted(int(path.name) for path in folder.iterdir()) == [3, 4, 6, 7, 10]
    log = log_of(clone)
    for size in (3, 4, 6, 7, 10):
        reader = TileReader(size, lambda path: (site.parent / path).read_bytes())
        assert reader.root() == log.root(size)


TAMPERED = {
    "a line removed": b"3\n6\n7\n",
    "a line added": b"3\n4\n5\n6\n7\n",
    "another order": b"3\n6\n4\n7\n",
    "the last line removed": b"3\n4\n6\n",
    "a line changed": b"3\n5\n6\n7\n",
    "a size that is yet to come": b"3\n4\n6\n7\n9\n",
    "no newline at its end": b"3\n4\n6\n7",
    "empty": b"",
    "no numbers": b"\xff\x00\n",
}


@pytest.mark.parametrize("data", some(TAMPERED.values(), gate=3), ids=TAMPERED.keys())
def test_tampering_is_found_by_audit_and_at_head(grown: Workspace, data: bytes) -> None:
    commit(grown, {SIZES_PATH: data})
    assert {(kind, path) for kind, path, _ in found(grown)} == {(Kind.SIZES, SIZES_PATH)}
    with pytest.raises(IntegrityError, match=SIZES_PATH):
        require_whole(snapshot(Workspace(grown.root)))


def test_a_list_that_was_wrong_from_the_first_is_compared_with_the_checkpoints(without: Workspace) -> None:
    commit(without, {SIZES_PATH: b"3\n5\n6\n7\n"})
    (finding,) = audit(snapshot(without)).findings
    assert finding.kind is Kind.SIZES
    assert finding.detail == (
        "it lacks sizes that had a checkpoint: 4; it lists sizes that never had a checkpoint: 5"
    )
    assert kinds(without, since="HEAD~1") == set(), "what was audited before is taken as looked at"


def test_tampering_that_was_put_back_is_found(grown: Workspace) -> None:
    good = (grown.root / SIZES_PATH).read_bytes()
    commit(grown, {SIZES_PATH: b"3\n5\n6\n7\n"})
    evil = head(grown)
    commit(grown, {SIZES_PATH: good})
    assert (Kind.SIZES, SIZES_PATH, evil) in found(grown)
    require_whole(snapshot(Workspace(grown.root)))


def test_a_list_that_is_gone_is_found_and_no_publish_hides_it(
    grown: Workspace, credentials: Credentials
) -> None:
    commit(grown, {}, removes=(SIZES_PATH,))
    assert (Kind.DELETED, SIZES_PATH, head(grown)) in found(grown)
    with pytest.raises(IntegrityError, match=f"{SIZES_PATH}: missing"):
        publish.publish(
            Workspace(grown.root), opened(Workspace(grown.root)), [measure(grown)], credentials, push=False
        )


def test_a_link_in_its_place_is_found(grown: Workspace, credentials: Credentials) -> None:
    path = grown.root / SIZES_PATH
    path.unlink()
    path.symlink_to("checkpoint")
    git(grown.root, "add", SIZES_PATH)
    git(grown.root, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "a link")
    assert kinds(grown) >= {Kind.SYMLINK, Kind.TYPE_CHANGED}
    with pytest.raises(IntegrityError, match=SIZES_PATH):
        publish.publish(
            Workspace(grown.root), opened(Workspace(grown.root)), [measure(grown)], credentials, push=False
        )


def test_a_build_reads_a_malformed_list_as_none(grown: Workspace) -> None:
    commit(grown, {SIZES_PATH: b"x"})
    record = snapshot(Workspace(grown.root))
    assert sizes.served(record) == ()
    assert [refusal(item).message for item in faults(record)] == [
        f"{SIZES_PATH}: line 1: cut short (no newline at its end)"
    ]


@pytest.mark.full
def test_a_build_of_a_record_whose_list_is_damaged_ends_with_3(grown: Workspace, tmp_path: Path) -> None:
    """The site would lack tiles that were promised; the pages are written all the same."""
    first, _, *others = held(grown).splitlines()
    commit(grown, {SIZES_PATH: "".join(f"{line}\n" for line in (first, *others)).encode()})
    built = run_in(tmp_path / "home", grown.root)("build", "--output", tmp_path / "made")
    assert built.code == 3
    assert f"{SIZES_PATH}: its first sizes differ from those in commit" in built.err
    assert (tmp_path / "made/index.html").is_file()
