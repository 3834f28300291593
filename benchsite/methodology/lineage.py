"""Lines of descent among the versions of a track: `basedOn` names the version that a document was copied from.

Numbers order versions, but 1.4.0 may be a copy of 1.3.0 made after 2.0.0. Changes are listed along the line of descent.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchsite.methodology import Methodology

__all__ = ["ancestry", "descendants", "predecessor"]


def predecessor(document: Methodology, documents: Sequence[Methodology]) -> Methodology | None:
    """Return the version that a document was copied from; None for the first of its line, or if the version is absent."""
    named = (document.data.track, document.data.based_on)
    return next((item for item in documents if (item.data.track, item.data.version) == named), None)


def ancestry(document: Methodology, documents: Sequence[Methodology]) -> list[Methodology]:
    """Return a document and every version it descends from, oldest first; a circle ends where it closes."""
    line = [document]
    before = predecessor(document, documents)
    while before is not None and before not in line:
        line.insert(0, before)
        before = predecessor(before, documents)
    return line


def descendants(document: Methodology, documents: Sequence[Methodology]) -> list[Methodology]:
    """Return the versions that descend from a document, in the order given."""
    return [item for item in documents if item != document and document in ancestry(item, documents)]
