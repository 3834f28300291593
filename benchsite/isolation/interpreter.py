"""The interpreter of a measured program and the packages of its environment, read without running either.

For Python: the folders that it looks for modules in, by its place and `pyvenv.cfg`. For Node.js: the nearest `node_modules`.
An environment is pinned by the SHA-256 of the JCS of its sorted `name==version`, as `environment.packages` of a receipt.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Final

from benchsite import canonical
from benchsite.isolation.imports import Search

__all__ = [
    "Interpreter",
    "file_sha256",
    "main_of",
    "of_command",
    "of_python",
    "this_interpreter",
    "version_of",
]

_SHEBANG_BYTES: Final = 256
_ASK_TIMEOUT_S: Final = 20
_CHUNK: Final = 2**20
_PYTHON: Final = re.compile(r"(python|pypy)(\d+)?(\.\d+)?")
_NODE: Final = re.compile(r"node(js)?")
_CONFIGURED: Final = re.compile(r"^version(?:_info)?\s*=\s*([0-9.]+)", re.MULTILINE)
_SYSTEM_TOO: Final = re.compile(r"^include-system-site-packages\s*=\s*true", re.MULTILINE | re.IGNORECASE)
_FLAGS: Final = re.compile(r"-[a-zA-Z]*?([mcWX])")
_TAKE_A_VALUE: Final = ("-W", "-X", "--check-hash-based-pycs")
_MOST_PACKAGES: Final = 20_000


@dataclass(frozen=True, slots=True)
class Interpreter:
    """What a program runs in.

    Attributes:
        name: `python3.11` or `node`; the file name, never its folder.
        version: of Python, as far as it can be read without running it; None elsewhere.
        sha256: of its file; None for the interpreter that runs benchsite.
        packages: `name==version` of everything installed in its environment, by normalized name.
        search: where it looks for Python modules; None for other languages.
    """

    name: str
    version: str | None
    sha256: str | None
    packages: Mapping[str, str]
    search: Search | None

    @property
    def packages_sha256(self) -> str:
        """Digest of the environment's packages."""
        return canonical.digest(sorted(f"{name}=={version}" for name, version in self.packages.items()))


def this_interpreter(search_path: Iterable[str]) -> Interpreter:
    """Return the interpreter that runs benchsite, with the modules that a child process of it finds."""
    path = tuple(search_path)
    stdlib = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
    stdlib |= {os.path.join(folder, "lib-dynload") for folder in stdlib}  # noqa: PTH118 - compared as text
    version = ".".join(map(str, sys.version_info[:3]))
    name = sys.implementation.name
    return Interpreter(
        name, version, None, _distributions(path), Search(path, frozenset(stdlib), is_this=True)
    )


def of_command(command: tuple[str, ...]) -> tuple[Interpreter | None, int]:
    """Return what runs a command, and the position of the program or script among its parts.

    None for a program that is run by no interpreter we know: it is its own file.
    """
    program = Path(command[0])
    words = _shebang(program)
    if words:
        found = shutil.which(words[0])
        return (_interpreter(Path(found), program), 0) if found else (None, 0)
    kind = _kind(program)
    if kind is None:
        return None, 0
    script = next((place for place, part in enumerate(command[1:], 1) if os.path.isfile(part)), 0)  # noqa: PTH113
    if kind == "python":
        script = main_of(command)[1]
    return _interpreter(program, Path(command[script]) if script else program), script


def of_python(program: Path) -> Interpreter:
    """Return the Python of an environment that a class of benchsite runs in: the package is found behind its own modules."""
    found = _interpreter(program, program)
    package = Path(__file__).parents[2]
    search = found.search or Search((), frozenset(), is_this=False)
    own = str(program.resolve().parent)
    path = (*(folder for folder in search.path if folder != own), str(package))
    return replace(found, search=search._replace(path=path))


def main_of(command: tuple[str, ...]) -> tuple[str, int]:
    """Return the module that a Python command runs by `-m`, or the position of its script; ("", 0) if neither."""
    place = 1
    while place < len(command):
        part = command[place]
        if not part.startswith("-") or part == "-":
            return "", place if Path(part).is_file() else 0
        flags = _FLAGS.match(part)
        if flags and flags[1] == "m":
            return part[flags.end() :] or "".join(command[place + 1 : place + 2]), 0
        if flags and flags[1] == "c":
            return "", 0
        place += 2 if part in _TAKE_A_VALUE else 1
    return "", 0


def _shebang(program: Path) -> list[str]:
    """Return the interpreter that the first line of a script names, with its arguments; empty for other files."""
    try:
        with program.open("rb") as file:
            line = file.read(_SHEBANG_BYTES).split(b"\n")[0]
    except OSError:
        return []
    if not line.startswith(b"#!"):
        return []
    words = line[2:].decode("utf-8", "replace").split()
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return words


def _kind(program: Path) -> str | None:
    for name in (program.name, program.resolve().name):
        if _PYTHON.match(name):
            return "python"
        if _NODE.fullmatch(name):
            return "node"
    return None


def _interpreter(program: Path, script: Path) -> Interpreter:
    program = _behind_shim(program)
    real = program.resolve()
    if _kind(program) == "python":
        version, folders, stdlib = _python(program, real)
        own = str(script.resolve().parent)
        search = Search((own, *stdlib, *folders, *_linked(folders)), frozenset(stdlib), is_this=False)
        return Interpreter(real.name, version, file_sha256(real), _distributions(folders), search)
    packages = dict(_node_packages(script)) if _kind(program) == "node" else {}
    return Interpreter(real.name, None, file_sha256(real), packages, None)


def _behind_shim(program: Path) -> Path:
    """Return the Python that a script of the person's own PATH chooses (pyenv); any other program is itself."""
    if _kind(program) != "python" or not _shebang(program) or shutil.which(program.name) != str(program):
        return program
    with tempfile.TemporaryDirectory(prefix="benchsite-python-") as home:
        surroundings = {"PATH": os.environ.get("PATH", os.defpath), "HOME": home}
        ask = [str(program), "-I", "-S", "-c", "import sys; print(sys.executable)"]
        try:
            done = subprocess.run(
                ask, env=surroundings, cwd=home, capture_output=True, timeout=_ASK_TIMEOUT_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return program
    path = Path(done.stdout.decode("utf-8", "replace").strip() or program)
    return path if path.is_absolute() and path.is_file() else program


def _python(program: Path, real: Path) -> tuple[str | None, tuple[str, ...], tuple[str, ...]]:
    """Return the version of a Python, its folders of packages, and those of its standard library."""
    found = re.search(r"(\d+\.\d+)", real.name)
    short = found[1] if found else ""
    version: str | None = short or None
    home = _virtual_environment(program)
    text = (home / "pyvenv.cfg").read_text("utf-8", "replace") if home else ""
    if configured := _CONFIGURED.search(text):
        version = configured[1]
        short = short or ".".join(version.split(".")[:2])
    prefix = real.parent.parent
    system = [
        prefix / f"lib/python{short}/site-packages",
        prefix / f"local/lib/python{short}/dist-packages",
        prefix / "lib/python3/dist-packages",
    ]
    own = [home / f"lib/python{short}/site-packages"] if home else []
    folders = [*own, *(system if not home or _SYSTEM_TOO.search(text) else [])]
    stdlib = [prefix / f"lib/python{short}", prefix / f"lib/python{short}/lib-dynload"]
    existing = [tuple(str(folder) for folder in group if folder.is_dir()) for group in (folders, stdlib)]
    return version, existing[0], existing[1]


def _linked(folders: Iterable[str]) -> Iterator[str]:
    """Yield the folders that `.pth` files add to the search path: local code, as of an editable install."""
    for path in (path for folder in folders for path in sorted(Path(folder).glob("*.pth"))):
        with suppress(OSError):
            lines = path.read_text("utf-8", "replace").splitlines()
            places = (path.parent / line.rstrip() for line in lines if line.strip() and line[0] != "#")
            yield from (str(place) for place in places if place.is_dir())


def _virtual_environment(program: Path) -> Path | None:
    """Return the environment whose `bin` a Python is started from; links are followed one by one, as Python does not."""
    home = Path(os.path.abspath(program)).parent.parent  # noqa: PTH100 - a link must not be resolved
    return home if (home / "pyvenv.cfg").is_file() else None


def _distributions(folders: Iterable[str]) -> dict[str, str]:
    """Return the versions of the distributions in some folders, by normalized name; the first folder wins."""
    found: dict[str, str] = {}
    for item in importlib.metadata.distributions(path=list(folders)):
        try:
            stated = item.metadata  # parsed at every access
            name, version = normalized(stated["Name"] or ""), stated["Version"]
        except (KeyError, TypeError, OSError, ValueError):  # a folder of another kind
            continue
        if name and isinstance(version, str):
            found.setdefault(name, version)
    return found


def normalized(name: str) -> str:
    """Return a distribution's name as an environment's digest has it."""
    return name.lower().replace("_", "-")


def _node_packages(script: Path) -> Iterator[tuple[str, str]]:
    """Yield (name, version) of what is installed in the nearest `node_modules` above a script."""
    folder = next(
        (one / "node_modules" for one in script.resolve().parents if (one / "node_modules").is_dir()), None
    )
    if folder is None:
        return
    found = sorted((*folder.glob("*/package.json"), *folder.glob("@*/*/package.json")))[:_MOST_PACKAGES]
    for path in found:
        try:
            stated = json.loads(path.read_text("utf-8"))
            yield str(stated["name"]), str(stated["version"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            continue


def version_of(interpreter: Interpreter | None, distribution: str) -> str | None:
    """Return the version of a distribution that is installed for an interpreter; None if it isn't."""
    if interpreter is None:
        return None
    packages = interpreter.packages
    return packages.get(distribution) or packages.get(normalized(distribution))


def file_sha256(path: Path) -> str | None:
    """Return the SHA-256 of a regular file; None if it cannot be read. Read once until the file changes."""
    try:
        seen = path.stat()
        if not stat.S_ISREG(seen.st_mode):
            return None
        return _sha256(str(path), seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)
    except OSError:
        return None


@lru_cache(maxsize=1024)
def _sha256(path: str, *_seen: int) -> str:
    digest = hashlib.sha256()
    with Path(path).open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
