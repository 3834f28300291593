"""Any history of legal commits passes, and one byte changed anywhere in its past is found."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from altering import grow, head, intent
from builders import commit
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from publishing import git
from snapshots import snapshot

from benchsite.layout import CHECKPOINT_PATH
from benchsite.pipeline.audit import audit
from benchsite.pipeline.workspace import Workspace

pytestmark = pytest.mark.stories

STEPS = ("one entry", "three entries", "prose", "inbox", "pull request")
FREE = ("results/inbox/", "keys/ROTATION.md", ".gitkeep")
_numbers = count(1)


@pytest.fixture(scope="module")
def template(published_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    root = tmp_path_factory.mktemp("history") / "instance"
    shutil.copytree(published_template, root, symlinks=True)
    instance = Workspace(root)
    yield instance
    instance.repository.close()


def step(instance: Workspace, name: str, secrets: dict) -> None:
    """One legal commit, or a merge."""
    number = next(_numbers)
    if name == "one entry":
        grow(instance, secrets["log"], intent(number))
    elif name == "three entries":
        grow(instance, secrets["log"], *(intent(1000 * number + more) for more in range(3)))
    elif name == "prose":
        commit(instance, {"keys/ROTATION.md": b"%d\n" % number, "content/x.md": b"%d\n" % number})
    elif name == "inbox":
        commit(instance, {"results/inbox/x.json": b"%d\n" % number})
    else:
        merge_docs(instance, number, secrets)


def merge_docs(instance: Workspace, number: int, secrets: dict) -> None:
    """A branch of prose, merged into a log that grew meanwhile."""
    base = head(instance)
    commit(instance, {f"content/{number}.md": b"x\n"})
    side = head(instance)
    git(instance.root, "reset", "-q", "--hard", base)
    grow(instance, secrets["log"], intent(number))
    identity = ("-c", "user.name=t", "-c", "user.email=t@t")
    git(instance.root, *identity, "merge", "-q", "--no-ff", "-m", "merge", side)


def protected(instance: Workspace, rev: str) -> list[str]:
    """Files that a single changed byte in this commit must not escape in: the fixture and rules are named by then."""
    folders = ("results", "keys", "methodology/retrieval/1.0.0", "fixtures")
    files = [item.path for folder in folders for item in instance.repository.tree(folder, rev=rev)]
    return [path for path in files if not any(free in path for free in FREE)]


def changed(data: bytes, path: str, place: int) -> bytes:
    """One bit of one byte; of a checkpoint only the signed text, for what a head that agrees says is true."""
    reach = data.index(b"\n\n") if path == CHECKPOINT_PATH else len(data)
    at = place % reach
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def edited(instance: Workspace, first: str, path: str, place: int) -> str:
    """The same history with one byte changed in one commit and as it was again in the next."""
    after = git(instance.root, "rev-list", "--first-parent", "--reverse", f"{first}..HEAD").split()
    data = instance.repository.read(path, rev=first)
    assert data is not None
    evil = instance.repository.build_commit({path: changed(data, path, place)}, parent=first, message="edit")
    tip = evil
    identity = ("-c", "user.name=t", "-c", "user.email=t@t")
    for made in after or [first]:
        tip = git(instance.root, *identity, "commit-tree", f"{made}^{{tree}}", "-p", tip, "-m", "as it was")
    git(instance.root, "update-ref", "HEAD", tip)
    return evil


@settings(
    max_examples=examples(12, full=60),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    steps=st.lists(st.sampled_from(STEPS), min_size=1, max_size=5),
    where=st.integers(0, 10**6),
    which=st.integers(0, 10**6),
    place=st.integers(0, 10**6),
)
def test_legal_histories_pass_and_one_changed_byte_is_found(
    template: Workspace, secrets: dict, steps: list[str], where: int, which: int, place: int
) -> None:
    start = head(template)
    try:
        for name in steps:
            step(template, name, secrets)
        clean = audit(snapshot(template))
        assert clean.ok, (steps, clean.findings)
        commits = git(template.root, "rev-list", "--first-parent", f"{start}^..HEAD").split()
        first = commits[where % len(commits)]
        paths = protected(template, first)
        path = paths[which % len(paths)]
        evil = edited(template, first, path, place)
        result = audit(snapshot(template))
        assert any(item.commit == evil and item.path == path for item in result.findings), (
            path,
            result.findings,
        )
    finally:
        git(template.root, "reset", "-q", "--hard", start)
