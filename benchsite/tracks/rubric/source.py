"""Files of an evaluation: the sheets, and the evidence beside them.

A sheet may name only text files inside its own folder, links followed; whatever else it names (a file elsewhere, a
folder, a device, a picture, something huge) is refused with the line that names it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Final, NamedTuple

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.track import IN_GIT, Evidence
from benchsite.tracks.rubric.sheet_words import Path as Place
from benchsite.unseen import is_blank
from benchsite.yaml_document import MAX_BYTES, YamlDocument

_MEDIA_TYPES: Final = {
    ".md": "text/markdown",
    ".json": "application/json",
    ".jsonl": "application/x-ndjson",
}
_BESIDE: Final = "put evidence files beside the sheet, or in a folder beside it"


class SheetFile(NamedTuple):
    """A sheet as submitted."""

    path: Path
    data: bytes


def read_sheet(path: Path) -> SheetFile:
    """A sheet's bytes.

    Raises:
        InputError: there is no such file, or it is larger than any sheet; it is not read whole then.
    """
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"sheet {path} is not a regular file", hint="name the YAML file itself")
        with path.open("rb") as source:
            data = source.read(MAX_BYTES + 1)
    except OSError as error:
        reason = (error.strerror or "unreadable").lower()
        raise InputError(
            f"cannot read sheet {path}: {reason}",
            hint="`benchsite methodology new-sheet` writes one to fill in",
        ) from None
    if len(data) > MAX_BYTES:
        raise InputError(
            f"sheet {path} is larger than {MAX_BYTES:,} bytes",
            hint="a sheet has scores and notes; put transcripts into separate evidence files",
        )
    return SheetFile(path, data)


class Exhibits:
    """The evidence of several sheets: each document once, whoever names it, in the order of first mention."""

    def __init__(self) -> None:
        self._found: dict[str, Evidence] = {}
        self._read: dict[Path, tuple[str, str]] = {}

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """What was pinned so far."""
        return tuple(self._found.values())

    def pin(self, sheet: YamlDocument, place: Place, source: Mapping[str, Any]) -> Mapping[str, Any]:
        """A receipt's entry for a piece of evidence.

        Raises:
            InputError: the file is not one that may be named, or does not hold the excerpt.
        """
        name, excerpt = source.get("file"), source.get("excerpt")
        if name is None:
            words = excerpt or ""
            return {"sha256": canonical.sha256_hex(words.encode()), "excerpt": words}
        where = (*place, "file")
        path = self._path(sheet, where, name)
        if path not in self._read:
            self._read[path] = self._text(sheet, where, name, path)
        sha256, text = self._read[path]
        if excerpt is not None and _plain(excerpt) not in text:
            raise sheet.error(
                (*place, "excerpt"),
                f"the excerpt is not in {name}: quote it letter by letter",
                hint="copy it from the file, under `excerpt: |` if it has several lines",
            )
        return {"sha256": sha256, "excerpt": excerpt}

    @staticmethod
    def _path(sheet: YamlDocument, where: Place, name: str) -> Path:
        """The file of that name, inside the sheet's folder."""
        folder = Path(sheet.where).parent
        if PurePosixPath(name).is_absolute():
            raise sheet.error(where, f"{name} is an absolute path", hint=_BESIDE)
        try:
            base, path = folder.resolve(), (folder / name).resolve()
        except (OSError, RuntimeError):
            raise sheet.error(where, f"path cannot be resolved: {name}", hint=_BESIDE) from None
        if not path.is_relative_to(base):
            raise sheet.error(where, f"path escapes the sheet's folder: {name}", hint=_BESIDE)
        return path

    def _text(self, sheet: YamlDocument, where: Place, name: str, path: Path) -> tuple[str, str]:
        """(sha256, text without its line endings' kinds) of a file, which joins the evidence."""
        data = _bytes(sheet, where, name, path)
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            text = "\0"
        if "\0" in text:
            raise sheet.error(
                where,
                f"{name} is not a text file in UTF-8",
                hint="export it as text, so that readers can check it permanently",
            )
        if is_blank(text):
            raise sheet.error(where, f"{name} is empty", hint="name the transcript of the session")
        sha256 = canonical.sha256_hex(data)
        beside = path.relative_to(Path(sheet.where).parent.resolve()).as_posix()
        shown = beside if ".." in PurePosixPath(name).parts else PurePosixPath(name).as_posix()
        media_type = _MEDIA_TYPES.get(path.suffix.lower(), "text/plain")
        self._found.setdefault(sha256, Evidence(shown, media_type, data))
        return sha256, _plain(text)


def _bytes(sheet: YamlDocument, where: Place, name: str, path: Path) -> bytes:
    try:
        if path.is_dir():
            raise sheet.error(where, f"{name} is a folder", hint="name the file in it")
        if path.exists() and not path.is_file():
            raise sheet.error(where, f"{name} is not a regular file", hint="name a text file")
        with path.open("rb") as source:
            data = source.read(IN_GIT + 1)
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        said = (
            f"there is no {name} beside the sheet" if missing else f"{name}: {(error.strerror or '').lower()}"
        )
        raise sheet.error(where, said, hint=f"put it there or correct the name: {_BESIDE}") from None
    if len(data) > IN_GIT:
        raise sheet.error(
            where,
            f"{name} has more than {IN_GIT:,} bytes",
            hint="keep the part that shows what was scored",
        )
    return data


def _plain(text: str) -> str:
    """Text as excerpts are looked for in it: whatever ends its lines, and however many end it."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
