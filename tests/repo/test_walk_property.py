"""Whatever a history is, the walk shows what the `git log` of the specification shows, in its order."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from examples import examples
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from publishing import git
from reference_walk import SPECIFIED

from benchsite.repo import Past, Revision

PROTECTED: Final = ("a", "b", "c.yml")
PATHS: Final = ("a/x", "a/y", "a/d", "a/d/z", "b", "b/x", "c.yml", "out", "ab/x", "a.txt", "c.yml.old/x")
"""Below the protected paths, beside them, and named so that they begin as one of them; files that become folders."""
MODES: Final = ("100644", "100755", "120000", "160000")
CONTENTS: Final = 3
TIPS: Final = 4

Files = dict[str, tuple[str, int]]
"""Path to mode and content."""


class Made(NamedTuple):
    """A commit to make: its parents as numbers of earlier ones, the tree it starts from, and what it changes."""

    parents: tuple[int, ...]
    start: int
    changes: tuple[tuple[str, tuple[str, int] | None], ...]
    age: int


changes = st.lists(
    st.tuples(st.sampled_from(PATHS), st.none() | st.sampled_from([*product(MODES, range(CONTENTS))])),
    max_size=3,
).map(tuple)


@st.composite
def histories(draw: st.DrawFn) -> list[Made]:
    """Commits, oldest first; the last one is HEAD. A merge may take the tree of any parent, or one of its own."""
    made: list[Made] = []
    for number in range(draw(st.integers(2, 14))):
        recent = range(max(0, number - TIPS), number)
        root = not number or draw(st.integers(0, 7)) == 7
        parents = [] if root else draw(st.lists(st.sampled_from(recent), min_size=1, max_size=3, unique=True))
        start = draw(st.integers(0, max(0, len(parents) - 1)))
        made.append(Made(tuple(parents), start, draw(changes), draw(st.integers(0, 3))))
    unmerged = {*range(len(made))} - {parent for one in made for parent in one.parents}
    made.append(Made(tuple(sorted(unmerged)), 0, draw(changes), 0))
    return made


def applied(files: Files, one: Made) -> Files:
    """The files after a commit; a file takes the place of a folder, and the other way round."""
    found = dict(files)
    for path, what in one.changes:
        found.pop(path, None)
        if what is not None:
            clash = [
                other
                for other in found
                if f"{other}/".startswith(f"{path}/") or f"{path}/".startswith(f"{other}/")
            ]
            for other in clash:
                del found[other]
            found[path] = what
    return found


def imported(history: list[Made]) -> Iterator[bytes]:
    """The history as `git fast-import` reads it, each commit with its whole tree."""
    trees: list[Files] = []
    for content in range(CONTENTS):
        yield b"blob\nmark :%d\ndata 1\n%d\n" % (content + 1, content)
    for number, one in enumerate(history):
        before = trees[one.parents[one.start]] if one.parents else {}
        trees.append(applied(before, one))
        # Equal and reversed dates, as clocks of several people give them.
        stamp = b"t <t@t> %d +0000" % (1_700_000_000 + 60 * (number - one.age))
        yield b"reset refs/heads/made\n" if not one.parents else b""
        yield b"commit refs/heads/made\nmark :%d\ncommitter %s\ndata 1\nx\n" % (100 + number, stamp)
        for at, parent in enumerate(one.parents):
            yield b"%s :%d\n" % (b"merge" if at else b"from", 100 + parent)
        yield b"deleteall\n"
        for path, (mode, content) in sorted(trees[-1].items()):
            what = b"%040d" % (content + 1) if mode == "160000" else b":%d" % (content + 1)
            yield b"M %s %s %s\n" % (mode.encode(), what, path.encode())
        yield b"\n"
    yield b"reset refs/heads/main\nfrom :%d\n" % (100 + len(history) - 1)


def specified(root: Path, *span: str) -> list[Revision]:
    """The changes that the command of the specification prints."""
    out = subprocess.run(
        ["git", *SPECIFIED, *span, "--", *PROTECTED], cwd=root, capture_output=True, check=True
    ).stdout
    found, tokens = [], iter(out.decode().split("\0"))
    commit, day, parents = "", "", ()
    for token in map(str.strip, tokens):
        if token.startswith(":"):
            was, now, old, new, status = token[1:].split()
            found.append(Revision(commit, day, parents, next(tokens), status, was, now, old, new))
        elif token:
            commit, day, *rest = token.split()
            parents = tuple(rest)
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("histories")
    git(root, "init", "-q", "-b", "main")
    return root


@settings(
    max_examples=examples(40, full=1_500),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(history=histories(), data=st.data())
def test_the_walk_shows_what_the_specified_command_shows(
    folder: Path, history: list[Made], data: st.DataObject
) -> None:
    subprocess.run(
        ["git", "fast-import", "--quiet", "--force"],
        cwd=folder,
        input=b"".join(imported(history)),
        check=True,
    )
    past = Past(folder)
    with past.walk(PROTECTED, head="HEAD") as revisions:
        shown = list(revisions)
    assert revisions.commits == past.count(None, head="HEAD")
    assert shown == specified(folder, "HEAD")
    merges = {item.commit for item in shown if len(item.parents) > 1}
    event(f"merges that differ from a parent: {min(len(merges), 3)}")
    since = data.draw(st.sampled_from(git(folder, "rev-list", "HEAD").split()), label="since")
    with past.walk(PROTECTED, head="HEAD", since=since) as revisions:
        assert list(revisions) == specified(folder, "HEAD", f"^{since}")
