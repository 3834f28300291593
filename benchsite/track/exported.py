"""The part of a track for files of other programs, as a protocol that its module `exports` keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, Protocol

from benchsite.receipt import Document

__all__ = ["EvidenceFormat", "Exports"]


class EvidenceFormat(NamedTuple):
    """A format of one piece of a receipt's evidence.

    Attributes:
        evidence: name of the piece, as receipts list it.
        write: yields files by relative path, from a receipt's document and the bytes of the piece; raises `InputError`. Pieces of one
            file have the same path, and follow one another.
        is_folder: whether there are several files; else the path is empty.
    """

    evidence: str
    write: Callable[[Document, bytes], Iterator[tuple[str, bytes]]]
    is_folder: bool = False


class Exports(Protocol):
    """The part of a track that writes evidence for other programs, its module `exports`.

    `formats` gives the text of a file from a receipt's document, empty where the receipt lacks what it needs. `evidence_formats` are
    those of evidence that receipts pin and do not hold; a module without them has none.
    """

    formats: Mapping[str, Callable[[Document], str]]
    evidence_formats: Mapping[str, EvidenceFormat]
