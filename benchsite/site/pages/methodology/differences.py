"""Comparison pages: one for every two versions of a track, in either direction.

Each lists the parts that were added, removed or changed, with a word diff, and the changelogs along the versions' lines
of descent. The number of pages grows with the square of the versions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from benchsite.addresses import difference_path, methodology_path
from benchsite.methodology import Methodology, version_key
from benchsite.methodology.difference import compare
from benchsite.methodology.lineage import ancestry
from benchsite.track import Library, Page


def differences(documents: Sequence[Methodology], library: Library) -> Iterator[Page]:
    """Comparisons among the versions of one track, given oldest first."""
    for old, new in permutations(documents, 2):
        yield _page(old, new, documents, library)


def _page(old: Methodology, new: Methodology, documents: Sequence[Methodology], library: Library) -> Page:
    track, was, now = old.data.track, old.data.version, new.data.version
    forward = version_key(was) < version_key(now)
    title = f"{track.capitalize()} methodology: {was} → {now}"
    return Page(
        path=difference_path(track, was, now),
        title=title,
        description=f"Methodology diff of {track} {was} and {track} {now}.",
        template="site/methodology_difference.html.j2",
        context={
            "old": old,
            "new": new,
            "forward": forward,
            "difference": compare(old, new),
            "stated": _only_in(new, old, documents),
            "undone": _only_in(old, new, documents),
            "standings": {version: library.standing(track, version) for version in (was, now)},
            "paths": {version: methodology_path(track, version) for version in (was, now)},
            "back": difference_path(track, now, was),
        },
    )


def _only_in(one: Methodology, other: Methodology, documents: Sequence[Methodology]) -> list[Methodology]:
    """The versions that one descends from and the other doesn't, oldest first: their changelogs tell the two apart."""
    shared = ancestry(other, documents)
    return [item for item in ancestry(one, documents) if item not in shared]
