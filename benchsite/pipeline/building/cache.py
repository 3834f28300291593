"""What a build keeps for the next one: `.benchsite/cache/build.jsonl`, and at its end a digest of all of it.

A `verdict` line holds what verification said of one receipt, a `page` line the SHA-256 of the page made of it, the
`site` line those of everything that the site was made from and of all its files; the pages themselves are in the site.
Every key is a hash of content (specs/log.md, "Caches"): of the receipt's blob, of what log, witnesses, evidence and
methodologies say of it, and of the release that read it. The file grows while the build goes on, and takes its name
when the site is in place: neither build holds it in memory.

A `verdict` line spares checking the signature and scores of bytes that were checked before. Each build checks again the
log and its signatures, that the bytes of each receipt are those that HEAD and the log name, later events, witnesses, and
whether the key that the line names was in force. So no forged line makes an altered, unlogged or retracted receipt valid.

A forged line can claim a wrong signer, date or number for bytes that the log's key has logged. A forged `site` line,
together with the site itself, can keep wrong pages. Only a program of this user can write such lines, and it could write
the theme as well. A commit that contains this folder makes the build verify every receipt, and so do `--full` and CI. A
reader's browser checks receipts itself.

Refused, and then everything is made again: another version, release or user, a link, a part, any other byte. Receipts of
tracks of other packages are never kept: what they are scored and shown with cannot be known.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from importlib.metadata import distributions
from importlib.resources import files
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, Self

from benchsite.errors import BenchsiteError
from benchsite.pipeline.instance import caches
from benchsite.track import Track

VERSION: Final = 1
_FILE: Final = "build.jsonl"
_LARGEST: Final = 2 * 1024 * 1024 * 1024
_LONGEST: Final = 8 * 1024 * 1024


class LogState(NamedTuple):
    """A log, by its size and root in hexadecimal digits."""

    size: int
    root: str


EMPTY: Final = LogState(0, "")


class Judged(NamedTuple):
    """One receipt: `facts` the digest of what its verdict follows from, `line` the verdict as JSON, in parts behind tabs."""

    facts: str
    line: str


class Shown(NamedTuple):
    """A receipt's page: the digest of what it was made from, and its own."""

    key: bytes
    page: bytes


class Written(NamedTuple):
    """A receipt's page: what it was made from and its digest, None where that is not to be kept.

    `badge` is the digest of its badge, and `size` counts the bytes of both. `stands`: nothing was written, because page,
    badge and receipt are in the last build's site.
    """

    shown: Shown | None
    badge: bytes
    size: int
    stands: bool


class Whole(NamedTuple):
    """A site whose receipts were all in good order: the digests of what it was made from and of its files, and its counts."""

    sources: str
    site: str
    pages: int
    receipts: int


class BuildCache:
    """What the last build left, and the `state` of the log that it read; empty where there is nothing, or a doubt."""

    def __init__(self, source: BinaryIO | None = None, state: LogState = EMPTY) -> None:
        self.state = state
        self._source = source
        self._places: dict[str, tuple[int, int]] = {}
        self.pages: dict[str, Shown] = {}
        self.whole: Whole | None = None

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, receipt_id: str) -> bool:
        return receipt_id in self._places

    def judged(self, receipt_id: str) -> Judged:
        """What verification said of a receipt; raises `KeyError` or `ValueError` where that is not kept."""
        offset, size = self._places[receipt_id]
        if self._source is None:
            raise KeyError(receipt_id)
        data = os.pread(self._source.fileno(), size, offset)
        _, facts, line = data.decode().removesuffix("\n").split("\t", 3)[1:]
        return Judged(facts, line)

    def close(self) -> None:
        """Release the file."""
        if self._source is not None:
            self._source.close()

    @classmethod
    def read(cls, root: Path, release: str) -> Self:
        """What a regular file of this user holds; raises `ValueError` where it is another's, or of another release."""
        with ExitStack() as opened:
            source = opened.enter_context(caches.opened(root, _FILE, largest=_LARGEST))
            first = source.readline(_LONGEST)
            head = json.loads(first)
            if head[:2] != [VERSION, release]:
                raise ValueError(first)
            size, log_root = head[2]
            if type(size) is not int or size < 0 or type(log_root) is not str:
                raise ValueError(first)
            kept = cls(source, LogState(size, log_root))
            kept._index(first)
            opened.pop_all()
        return kept

    def _index(self, head: bytes) -> None:
        """Note where each line is; raises `ValueError` where the digest at the end is not that of the lines before."""
        found, offset, last = sha256(head), len(head), b""
        read = self._source.readline if self._source is not None else lambda _: b""
        while line := read(_LONGEST):
            found.update(last)
            offset, last = offset + len(last), line
            # A receipt's id, hexadecimal digits and JSON, separated by tabs: no tab is in any.
            kind, _, rest = line.partition(b"\t")
            if kind == b"verdict":
                self._places[rest[:36].decode("ascii")] = (offset, len(line))
            elif kind == b"page":
                name, key, page = rest.decode("ascii").split()
                self.pages[name] = Shown(bytes.fromhex(key), bytes.fromhex(page))
            elif kind == b"site":
                sources, site, pages, receipts = rest.decode("ascii").split()
                self.whole = Whole(sources, site, int(pages), int(receipts))
        if last.strip() != found.hexdigest().encode():
            raise ValueError(last)


def load(root: Path, release: str) -> BuildCache:
    """What the last build of this release left in a repository; nothing where there is a doubt."""
    with suppress(OSError, ValueError, TypeError, KeyError, RecursionError, BenchsiteError):
        return BuildCache.read(root, release)
    return BuildCache()


class Keeping:
    """What this build leaves to the next one. Where it cannot be written nothing is kept: the site is what matters."""

    def __init__(self, out: BinaryIO | None, release: str, state: LogState) -> None:
        self._out = out
        self._found = sha256()
        self._write(json.dumps([VERSION, release, state]).encode() + b"\n")

    def verdict(self, receipt_id: str, judged: Judged) -> None:
        """Keep what was said of a receipt."""
        self._write(f"verdict\t{receipt_id}\t{judged.facts}\t{judged.line}\n".encode())

    def page(self, receipt_id: str, shown: Shown) -> None:
        """Keep what its page was made from."""
        self._write(f"page\t{receipt_id}\t{shown.key.hex()}\t{shown.page.hex()}\n".encode())

    def site(self, whole: Whole) -> None:
        """Keep what the site was made from."""
        self._write("\t".join(("site", *map(str, whole))).encode() + b"\n")

    def _write(self, line: bytes) -> None:
        if self._out is not None:
            try:
                self._out.write(line)
                self._found.update(line)
            except OSError:
                self._out = None

    def end(self) -> bool:
        """Write the digest; False where something could not be written."""
        self._write(self._found.hexdigest().encode() + b"\n")
        with suppress(OSError):
            if self._out is not None:
                self._out.flush()
                return True
        return False


@contextmanager
def keeping(root: Path, release: str, state: LogState) -> Iterator[Keeping]:
    """A new file for the next build, which takes the place of the last one if all goes well."""
    with caches.replacing(root, _FILE) as new:
        kept = Keeping(new.out, release, state)
        yield kept
        if kept.end():
            new.take_place()


def release_of(tracks: Mapping[str, Track], failures: Mapping[str, Any]) -> str:
    """What reads receipts and makes pages here: every file of benchsite, Python, and every package installed beside it."""
    found = sha256()
    for name, data in _files(files("benchsite")):
        found.update(f"{name} {sha256(data).hexdigest()}\n".encode())
    packages = sorted({f"{one.name} {one.version}" for one in distributions()})
    found.update(repr((packages, sys.version, sorted(tracks), sorted(failures))).encode())
    return found.hexdigest()


def _files(folder: Any, prefix: str = "") -> Iterator[tuple[str, bytes]]:
    """Every file below a folder, in the order of names."""
    for item in sorted(folder.iterdir(), key=lambda item: str(item.name)):
        if item.is_dir() and item.name != "__pycache__":
            yield from _files(item, f"{prefix}{item.name}/")
        elif item.is_file():
            yield f"{prefix}{item.name}", item.read_bytes()
