"""Names that a file system may take for one another, and what no commit may hold: `.benchsite/`.

Where case does not count, or letters are stored in another normal form, `Keys/manifest.json` is the record's own
manifest. So a path of the record, or a folder that benchsite reads, is spelled as `layout` spells it, and no two
paths of one commit differ only in case or Unicode normal form.

Scratch files are refused in every commit of the branch: a clone of any of them would hold what looks like a draft, a
queue or a journal of the machine it is on (specs/log.md, "Threats").
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

from benchsite.errors import IntegrityError
from benchsite.layout import CONFIG, FIXTURES, METHODOLOGY, RECORD, in_scratch
from benchsite.pipeline.check.case import Case
from benchsite.pipeline.report import (
    Item,
    Step,
    altered,
    commit_named,
    failure,
    judged,
    shown_path,
    suspect,
)
from benchsite.pipeline.workspace.scratch import require_uncommitted

__all__ = ["check"]

NAME: Final = "names"
_OURS: Final = (*RECORD, METHODOLOGY, FIXTURES, CONFIG, "content", "theme")
_RENAME: Final = "rename it: git mv"


def check(case: Case) -> Step:
    """Every path that the branch brings."""
    items = [*_scratch(case), *_collisions(case)]
    return judged(NAME, items, "no two names can be confused")


def _scratch(case: Case) -> Iterator[Item]:
    """Each path under `.benchsite` once, by the first commit that brings it; else what HEAD holds of it."""
    base = case.branch.base[:12] if case.branch.base else "--root"
    seen = set()
    for change in (*reversed(case.changes), *case.difference):
        if in_scratch(change.path) and not change.removed and change.path not in seen:
            seen.add(change.path)
            yield altered(
                shown_path(change.path),
                f"was added{commit_named(change)}: scratch files must not be committed",
                f"remove that commit from the branch (git rebase -i {base}): a later removal leaves it in "
                "the history",
            )
    if not seen:
        try:
            require_uncommitted(case.repository, case.branch.head)
        except IntegrityError as error:
            yield failure(case.branch.onto, error)


def _collisions(case: Case) -> Iterator[Item]:
    spelled: dict[str, set[str]] = {}
    for prefix in _prefixes(file.path for file in case.snapshot.tree()):
        spelled.setdefault(_folded(prefix), set()).add(prefix)
    ours = {_folded(name): name for name in _OURS}
    changed = (change.path for change in case.difference if not change.removed)
    brought = {path for path in changed if not in_scratch(path)}
    for path in sorted(_prefixes(brought)):
        folded = _folded(path)
        top = path.split("/", maxsplit=1)[0]
        own = ours.get(_folded(top))
        others = sorted(spelled.get(folded, set()) - {path})
        if own is not None and own != top:
            if top == path:
                said = f"is {own} in another spelling: some file systems treat both as one file"
                yield altered(shown_path(path), said, _RENAME)
        elif others and top in RECORD:
            said = f"differs from {shown_path(others[0])} only in case or Unicode normal form"
            yield altered(shown_path(path), said, _RENAME)
        elif others:
            said = f"differs from {shown_path(others[0])} only in case or Unicode normal form: a clone can hold only one of them"
            yield suspect(shown_path(path), said, _RENAME)


def _prefixes(paths: Iterable[str]) -> set[str]:
    """Every path, and every folder above one."""
    found: set[str] = set()
    for path in paths:
        rest = path
        while rest and rest not in found:
            found.add(rest)
            rest = rest.rpartition("/")[0]
    return found


def _folded(path: str) -> str:
    """A path as a file system may compare it."""
    return unicodedata.normalize("NFC", path).casefold()
