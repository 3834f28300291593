"""audit and check agree about every commit: what one finds in the history, the other refuses before the merge."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from altering import SEGMENT, grow, head, intent
from branches import Work
from builders import FIXTURE
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from publishing import git
from snapshots import snapshot

from benchsite.pipeline.audit import audit
from benchsite.pipeline.workspace import Workspace

DEEDS = ("append", "edit", "cut", "remove", "link", "mode", "restore")
STEPS = {"configuration", "record", "methodologies", "fixtures"}
NEW = (
    "results/published/ab/ab000000-0000-4000-8000-000000000000.json",
    "results/notes.md",
    f"results/evidence/ab/{'ab' * 32}",
    f"keys/{'ab' * 32}.pub",
    "results/log/entries/000001.jsonl",
    "results/inbox/.gitkeep",
)


@pytest.fixture(scope="module")
def record(published_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    root = tmp_path_factory.mktemp("agree") / "instance"
    shutil.copytree(published_template, root, symlinks=True)
    instance = Workspace(root)
    yield instance
    instance.repository.close()


def protected(instance: Workspace) -> list[str]:
    folders = ("results", "keys", "methodology/retrieval", f"fixtures/{FIXTURE}")
    return [item.path for item in instance.repository.tree(*folders, rev="HEAD")]


def act(instance: Workspace, path: str, deed: str) -> None:
    """One commit, or two that leave the files as they were."""
    place = instance.root / path
    data = place.read_bytes() if place.exists() else b""
    place.parent.mkdir(parents=True, exist_ok=True)
    if deed in ("remove", "link", "restore"):
        place.unlink(missing_ok=True)
    if deed == "link":
        place.symlink_to("elsewhere")
    elif deed == "mode":
        place.write_bytes(data)
        place.chmod(0o755)
    elif deed in ("append", "edit", "cut"):
        place.write_bytes(
            {"append": data + b"{}\n", "edit": b"!" + data[1:], "cut": data[: len(data) // 2]}[deed]
        )
    by_hand(instance.root)
    if deed == "restore" and data:
        place.write_bytes(data)
        by_hand(instance.root)


def by_hand(root: Path) -> None:
    git(root, "add", "-A", "--force", "results", "keys", "methodology", "fixtures")
    git(root, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "--allow-empty", "-m", "by hand")


def refused(instance: Workspace, base: str) -> bool:
    """Whether check refuses the branch for something that an audit would find."""
    work = Work(Workspace(instance.root))
    work.base = base
    steps = [step for step in work.checked().steps if step.name in STEPS]
    # A methodology that is malformed and not published is refused too: no audit asks about it.
    return any(
        item.code == 3 or (step.name == "record" and item.code) for step in steps for item in step.items
    )


@pytest.mark.stories
@settings(
    max_examples=examples(25, full=120),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(which=st.integers(0, 10**6), deed=st.sampled_from(DEEDS), new=st.booleans())
def test_audit_and_check_agree_about_a_commit(record: Workspace, which: int, deed: str, new: bool) -> None:  # noqa: FBT001
    base = head(record)
    paths = NEW if new else protected(record)
    path = paths[which % len(paths)]
    try:
        act(record, path, deed)
        found = audit(snapshot(Workspace(record.root))).findings
        assert refused(record, base) == bool(found), (path, deed, found)
    finally:
        git(record.root, "reset", "-q", "--hard", base)
        git(record.root, "clean", "-qfd")


def test_a_merge_that_takes_back_what_was_published_is_refused_by_both(
    published: Workspace, secrets: dict
) -> None:
    """The older side of a merge is one of its parents' version, so that no single side looks edited."""
    root = published.root
    base = head(published)
    git(root, "switch", "-q", "-c", "side")
    git(root, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "--allow-empty", "-m", "side")
    git(root, "switch", "-q", "main")
    grow(published, secrets["log"], intent(1))
    genuine = (root / SEGMENT).read_bytes()
    identity = ("-c", "user.name=t", "-c", "user.email=t@t")
    git(root, *identity, "merge", "-q", "--no-ff", "--no-commit", "side")
    git(root, "checkout", "side", "--", SEGMENT)
    git(root, *identity, "commit", "-qm", "merge")
    (root / SEGMENT).write_bytes(genuine)
    by_hand(root)
    assert audit(snapshot(Workspace(root))).findings
    assert refused(Workspace(root), base)
