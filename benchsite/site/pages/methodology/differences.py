"""What became of one version in another, a page for every two versions of a track and for either direction.

Every part that came, went or changed, its words marked; and what the versions between say of themselves. The pages
grow with the square of the versions, and each is bounded by the documents it compares.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from benchsite.addresses import difference_path, methodology_path
from benchsite.methodology import Methodology, version_key
from benchsite.methodology.difference import compare
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
            "stated": _stated(old, new, documents),
            "standings": {version: library.standing(track, version) for version in (was, now)},
            "paths": {version: methodology_path(track, version) for version in (was, now)},
            "back": difference_path(track, now, was),
        },
    )


def _stated(old: Methodology, new: Methodology, documents: Sequence[Methodology]) -> list[Methodology]:
    """The versions whose changelogs lie between the two, oldest first."""
    first, last = sorted((old.data.version, new.data.version), key=version_key)
    return [
        item for item in documents if version_key(first) < version_key(item.data.version) <= version_key(last)
    ]
