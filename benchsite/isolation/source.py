"""The digest of what runs: a measured program's code, distributions and assets, read without running any of it.

Owns `subjectSha256` of a receipt: SHA-256 of the JCS of the entry, its local modules by hash, the versions of the
distributions that it imports or declares, its assets by hash, and for an interpreter of its own also that and its environment's
packages. Holds no folder of an argument: equal files give equal digests on every machine, unless an argument has an absolute
path inside other text. Refuses to ask the program about its own source.
"""

from __future__ import annotations

import importlib
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.isolation.imports import Module, find, local_modules
from benchsite.isolation.interpreter import (
    Interpreter,
    file_sha256,
    main_of,
    of_command,
    of_python,
    this_interpreter,
    version_of,
)
from benchsite.isolation.javascript import local_files

__all__ = ["Asset", "Source", "assets", "file_argument", "of_program", "of_reference"]

MAX_FILES: Final = 2_000
MAX_BYTES: Final = 16 * 2**30


class Asset(NamedTuple):
    """A file that a program's results depend on, besides its code: weights, or a mapping."""

    name: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Source:
    """What a program is, as far as it can be read before it runs.

    Attributes:
        entry: `module:name` of a hosted object; empty for a command.
        parts: of a command: the hash of every part that is a file or folder, the text of every other.
        modules: SHA-256 of each local module: of Python by its dotted name, of JavaScript by its path from the script.
        distributions: versions of the distributions that the modules import.
        interpreter: what runs it; None for a program of its own.
    """

    entry: str
    parts: tuple[Mapping[str, str | None], ...]
    modules: Mapping[str, str]
    distributions: Mapping[str, str]
    interpreter: Interpreter | None

    def versions(self, declared: Sequence[str]) -> dict[str, str]:
        """Return the versions of declared distributions.

        Raises:
            InputError: one is not installed for the program's interpreter.
        """
        found = {name: version_of(self.interpreter, name) for name in declared}
        for name, version in found.items():
            if version is None:
                raise InputError(
                    f"distribution {name}: not installed{f' for {self.interpreter.name}' if self.interpreter else ''}",
                    hint="install it in the environment that the subject runs in, or declare its name as pip lists it",
                )
        return {name: version for name, version in found.items() if version is not None}

    def sha256(self, declared: Sequence[str] = (), files: Sequence[Asset] = ()) -> str:
        """Return the digest, with the distributions and assets that the program declares."""
        document: dict[str, canonical.Json] = {
            "entry": self.entry,
            "modules": dict(self.modules),
            "distributions": {**self.distributions, **self.versions(declared)},
            "assets": {item.name: item.sha256 for item in files},
        }
        found = self.interpreter
        if not self.entry:
            document["parts"] = [dict(part) for part in self.parts]
        if not self.entry or (found is not None and found.sha256 is not None):
            document["interpreter"] = (
                {"name": found.name, "version": found.version, "sha256": found.sha256} if found else None
            )
            document["packages"] = found.packages_sha256 if found else None
        return canonical.digest(document)


def of_reference(reference: str, search_path: Sequence[str], python: str = "") -> Source | None:
    """Return the source of `module:name`; None if no file defines the module.

    Args:
        reference: the entry point's value.
        search_path: where this interpreter looks for modules.
        python: the program's interpreter; empty for this one.

    Raises:
        InputError: it has too many local modules.
    """
    importlib.invalidate_caches()
    interpreter = of_python(Path(python)) if python else this_interpreter(search_path)
    module = find(reference.partition(":")[0], interpreter.search) if interpreter.search else None
    if module is None:
        return None
    modules, distributions = _closure([module], interpreter)
    return Source(reference, (), modules, distributions, interpreter)


def of_program(command: tuple[str, ...]) -> Source:
    """Return the source of a command, whose first part is the path of a program.

    Raises:
        InputError: it has too many local modules.
    """
    importlib.invalidate_caches()
    interpreter, place = of_command(command)
    parts = tuple(_part(part) for part in command)
    modules: dict[str, str] = {}
    distributions: dict[str, str] = {}
    if interpreter is not None and interpreter.search is not None:
        modules, distributions = _closure(list(_entries(command, place, interpreter)), interpreter)
    elif interpreter is not None:
        files = local_files(Path(command[place]))
        modules = {name: canonical.sha256_hex(data) for name, data in files}
    return Source("", parts, modules, distributions, interpreter)


def assets(declared: Mapping[str, str]) -> tuple[Asset, ...]:
    """Return declared assets with their hashes; of a folder, every file in it, in order.

    Args:
        declared: the path of each, by the name it is recorded under.

    Raises:
        InputError: one is no file and no folder, or they are too many or too large.
    """
    found: list[Asset] = []
    size = 0
    for name, path in declared.items():
        for label, file in _files(name, Path(path)):
            found.append(_asset(label, file))
            size += found[-1].size
            if len(found) > MAX_FILES or size > MAX_BYTES:
                raise InputError(
                    f"asset {name}: more than {MAX_FILES:,} files or {MAX_BYTES // 2**30} GiB",
                    hint="declare the files that results depend on",
                )
    return tuple(sorted(found))


def _asset(name: str, path: Path) -> Asset:
    sha256 = file_sha256(path)
    if sha256 is None:
        raise InputError(
            f"asset {name}: not a file that can be read", hint="declare the path of a file or folder"
        )
    return Asset(name, sha256, path.stat().st_size)


def _files(name: str, path: Path) -> Iterator[tuple[str, Path]]:
    if not path.is_dir():
        yield name, path
        return
    for folder, folders, files in os.walk(path):
        folders.sort()
        for file in sorted(files):
            one = Path(folder, file)
            yield f"{name}/{one.relative_to(path).as_posix()}", one


def _part(part: str) -> dict[str, str | None]:
    """Return a part of a command by its hash if it names a file or a folder, else by its text."""
    name, path = file_argument(part)
    if path is None:
        option, equals, value = part.rpartition("=")
        last = Path(value).name if value.startswith("/") else ""
        return {"text": f"{option}{equals}{last}" if last else part}
    text = {"text": name} if name else {}
    if path.is_dir():
        return {**text, "folder": canonical.digest([list(item) for item in assets({"": str(path)})])}
    return {**text, "file": file_sha256(path)}


def file_argument(part: str) -> tuple[str, Path | None]:
    """Return the path that an argument names, with `--name=`, `name=` or `-n` in front of it; None if it names none.

    A folder is one only if it is written with a slash: `memory` is a word, `./memory` is a folder.
    """
    ends = [0, *(place for place, letter in enumerate(part, 1) if letter == "=")]
    if part.startswith("-") and part[2:3] == "/":
        ends.append(2)
    return next(((part[:end], Path(part[end:])) for end in ends if _names_path(part[end:])), ("", None))


def _names_path(text: str) -> bool:
    try:
        mode = os.stat(text).st_mode  # noqa: PTH116 - a part too long for a name is an OSError too
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(mode) or (stat.S_ISDIR(mode) and os.sep in text)


def _entries(command: tuple[str, ...], place: int, interpreter: Interpreter) -> Iterator[Module]:
    """The script, or the module after `-m`."""
    part = Path(command[place])
    if place or part.resolve().name != interpreter.name:
        try:
            yield Module("__main__", "", part, part.resolve().parent, part.read_bytes())
        except OSError:
            return
    elif (name := main_of(command)[0]) and interpreter.search is not None:
        found = find(f"{name}.__main__", interpreter.search) or find(name, interpreter.search)
        if found is not None:
            yield found


def _closure(entries: Sequence[Module], interpreter: Interpreter) -> tuple[dict[str, str], dict[str, str]]:
    """Return the hashes of the local modules, and the versions of the distributions that they import."""
    if interpreter.search is None or not entries:
        return {}, {}
    distributions: dict[str, str] = {}
    modules = {
        module.name: canonical.sha256_hex(module.data)
        for module in local_modules(entries, interpreter.search, distributions)
    }
    return modules, distributions
