"""What a build keeps for the next one: `.benchsite/cache/build.jsonl`, and at its end a digest of all of it.

A `verdict` line holds what verification said of one receipt, a `page` line the SHA-256 of the page made of it; the page
itself is in the site. Every key is a hash of content (specs/log.md, "Caches"): of the receipt's blob, of what log,
witnesses, evidence and methodologies say of it, and of the release that read it. The file grows while the build goes on,
and takes its name when the site stands: neither build holds it in memory.

Nothing here is trusted for integrity. The log is opened and its signatures are checked at every build; the bytes of every
receipt are hashed at every build, and must have the blob id that HEAD names and the digest of the log's entry; standing
of the signer's key, later events and witnesses decide the verdict again. Whoever forges a line (any program of this user
could) thus makes no altered, unlogged, retracted or badly signed-for receipt valid: what a line can claim is only that
bytes which the log's own key holder logged were re-scored, and what a page quotes from them. The same program could write
the theme, or the site after the build. `--full` and CI read no cache, and a reader's browser checks receipts itself.

Refused, and then everything is made again: another version, release or user, a link, a part, any other byte.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, Self

from benchsite.errors import BenchsiteError
from benchsite.layout import CACHE
from benchsite.pipeline.instance.scratch import require_folder
from benchsite.track import Track

VERSION: Final = 1
_FILE: Final = "build.jsonl"
_LARGEST: Final = 2 * 1024 * 1024 * 1024
_LONGEST: Final = 8 * 1024 * 1024
_READ_BY: Final = ("jinja2", "markupsafe", "pydantic", "cryptography", "rfc8785", "markdown")
"""What a verdict or a page is made with besides the code of benchsite and of its tracks."""


class State(NamedTuple):
    """A log, by its size and root in hexadecimal digits."""

    size: int
    root: str


EMPTY: Final = State(0, "")


class Judged(NamedTuple):
    """One receipt: `facts` the digest of what its verdict follows from, `line` the verdict as JSON."""

    facts: str
    line: str


class Shown(NamedTuple):
    """A receipt's page: the digest of what it was made from, and its own."""

    key: bytes
    page: bytes


class Kept:
    """What the last build left, and the `state` of the log that it read; empty where there is nothing, or a doubt."""

    def __init__(self, source: BinaryIO | None = None, state: State = EMPTY) -> None:
        self.state = state
        self._source = source
        self._places: dict[str, tuple[int, int]] = {}
        self.pages: dict[str, Shown] = {}

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, receipt_id: str) -> bool:
        return receipt_id in self._places

    def judged(self, receipt_id: str) -> Judged | None:
        """What verification said of a receipt; None where that is not kept."""
        place = self._places.get(receipt_id)
        if place is None or self._source is None:
            return None
        offset, size = place
        data = os.pread(self._source.fileno(), size, offset)
        _, facts, line = data.decode().removesuffix("\n").split("\t", 3)[1:]
        return Judged(facts, line)

    def close(self) -> None:
        """Release the file."""
        if self._source is not None:
            self._source.close()

    @classmethod
    def read(cls, path: Path, release: str) -> Self:
        """What a regular file of this user holds; raises `ValueError` where it is another's, or of another release."""
        with ExitStack() as opened:
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            source = opened.enter_context(os.fdopen(handle, "rb"))
            about = os.fstat(handle)
            if not stat.S_ISREG(about.st_mode) or about.st_uid != os.geteuid() or about.st_size > _LARGEST:
                raise ValueError(path)
            first = source.readline(_LONGEST)
            head = json.loads(first)
            if head[:2] != [VERSION, release]:
                raise ValueError(path)
            kept = cls(source, State(*head[2]))
            kept._index(first)
            opened.pop_all()
        return kept

    def _index(self, head: bytes) -> None:
        """Note where each line is; raises `ValueError` where the digest at the end is not that of the lines before."""
        found, offset, last = sha256(head), len(head), b""
        for line in self._source or ():
            found.update(last)
            offset, last = offset + len(last), line
            # Hexadecimal digits, a receipt's id and JSON: no tab is in any.
            kind, _, rest = line.partition(b"\t")
            if kind == b"verdict":
                self._places[rest[:36].decode("ascii")] = (offset, len(line))
            elif kind == b"page":
                name, key, page = rest.decode("ascii").split()
                self.pages[name] = Shown(bytes.fromhex(key), bytes.fromhex(page))
        if last.strip() != found.hexdigest().encode():
            raise ValueError(last)


def load(root: Path, release: str) -> Kept:
    """What the last build of this release left in a repository; nothing where there is a doubt."""
    with suppress(OSError, ValueError, TypeError, KeyError, BenchsiteError):
        return Kept.read(require_folder(root, CACHE, make=False) / _FILE, release)
    return Kept()


class Keeping:
    """What this build leaves to the next one. Where it cannot be written nothing is kept: the site is what matters."""

    def __init__(self, out: BinaryIO | None, release: str, state: State) -> None:
        self._out = out
        self._found = sha256()
        self._write(json.dumps([VERSION, release, state]).encode() + b"\n")

    def verdict(self, receipt_id: str, judged: Judged) -> None:
        """Keep what was said of a receipt, in the order in which it is asked for."""
        self._write(f"verdict\t{receipt_id}\t{judged.facts}\t{judged.line}\n".encode())

    def page(self, receipt_id: str, shown: Shown) -> None:
        """Keep what its page was made from."""
        self._write(f"page\t{receipt_id}\t{shown.key.hex()}\t{shown.page.hex()}\n".encode())

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
def keeping(root: Path, release: str, state: State) -> Iterator[Keeping]:
    """A new file for the next build, which takes the place of the last one if all goes well."""
    with ExitStack() as opened:
        out = temporary = None
        with suppress(OSError, BenchsiteError):
            temporary = require_folder(root, CACHE) / f".{_FILE}.{os.getpid()}.tmp"
            temporary.unlink(missing_ok=True)
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
            opened.callback(_forgotten, temporary)
            out = os.fdopen(handle, "wb")
            opened.callback(_closed, out)
        kept = Keeping(out, release, state)
        yield kept
        if kept.end() and temporary is not None:
            with suppress(OSError):
                temporary.replace(temporary.with_name(_FILE))


def _closed(out: BinaryIO) -> None:
    with suppress(OSError):  # what a full disk did not take is written once more
        out.close()


def _forgotten(path: Path) -> None:
    with suppress(OSError):
        path.unlink(missing_ok=True)


def release_of(tracks: Mapping[str, Track], failures: Mapping[str, Any]) -> str:
    """What reads receipts and makes pages here: every file of benchsite and of its tracks, Python, the packages used."""
    found = sha256()
    for package in sorted({"benchsite", *(track.package for track in tracks.values())}):
        for name, data in _sources(files(package)):
            found.update(f"{package} {name} {sha256(data).hexdigest()}\n".encode())
    for name in _READ_BY:
        with suppress(PackageNotFoundError):
            found.update(f"{name} {version(name)}\n".encode())
    found.update(f"{sys.version} {sorted(tracks)} {sorted(failures)}".encode())
    return found.hexdigest()


def _sources(folder: Any, prefix: str = "") -> list[tuple[str, bytes]]:
    """Every source and template below a folder, in the order of names."""
    found = []
    for item in sorted(folder.iterdir(), key=lambda item: str(item.name)):
        if item.is_dir() and item.name not in ("__pycache__", "_data"):
            found += _sources(item, f"{prefix}{item.name}/")
        elif item.name.endswith((".py", ".j2", ".json", ".js", ".css", ".html", ".so")):
            found.append((f"{prefix}{item.name}", item.read_bytes()))
    return found
