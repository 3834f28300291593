"""The digest of a measured program, taken before any of its code runs and without importing it.

Owns the `subjectSha256` of a receipt: for a class the SHA-256 of the module file that defines it, for a command one digest
of its files and arguments. A class that its package only re-exports is looked up where an import statement says it is
from. Refuses to ask the program: its own word about its source is worth nothing.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import os
import sys
from collections.abc import Iterable, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Final

from benchsite import canonical

__all__ = ["class_sha256", "command_sha256", "is_file"]

MOST_IMPORTS: Final = 8


def class_sha256(reference: str, search_path: Sequence[str]) -> str | None:
    """SHA-256 of the file that defines `module:Class`; None where no file does.

    Args:
        reference: the entry point's value.
        search_path: where the program's interpreter looks for modules.
    """
    module, _, name = reference.partition(":")
    found: bytes | None = None
    for _ in range(MOST_IMPORTS):
        spec = _spec(module, search_path)
        data = _bytes(spec)
        if spec is None or data is None:
            break
        found = data
        origin = _imported_from(data, spec, name)
        if origin is None:
            break
        module, name = origin
    return None if found is None else hashlib.sha256(found).hexdigest()


def command_sha256(command: Iterable[str]) -> str:
    """One digest for a program: the contents of every argument that is a file, the text of every other."""
    parts = [
        {"file": canonical.sha256_hex(Path(part).read_bytes())} if is_file(part) else {"text": part}
        for part in command
    ]
    return canonical.digest(parts)


def is_file(part: str) -> bool:
    """Whether an argument names a file; one too long for a name does not, and `Path.is_file` would raise."""
    return os.path.isfile(part)  # noqa: PTH113


def _spec(module: str, search_path: Sequence[str]) -> ModuleSpec | None:
    """Where a module is; `importlib.util.find_spec` would import the packages it is in, and so run their code."""
    importlib.invalidate_caches()
    path: Sequence[str] | None = search_path
    spec: ModuleSpec | None = None
    parts = module.split(".")
    for depth, part in enumerate(parts, 1):
        spec = _found(".".join(parts[:depth]), path or ())
        if spec is None:
            return None
        if spec.origin is None:  # a namespace package, whose own list of folders needs its parents imported
            path = [str(folder) for folder in (Path(entry) / part for entry in path or ()) if folder.is_dir()]
        else:
            path = spec.submodule_search_locations
    return spec


def _found(name: str, path: Sequence[str]) -> ModuleSpec | None:
    """By the folders of the path, else by the finders that editable installs put into this interpreter."""
    try:
        spec = PathFinder.find_spec(name, list(path))
        if spec is None and "." not in name:
            others = (finder for finder in sys.meta_path if finder is not PathFinder)
            spec = next((one for finder in others if (one := finder.find_spec(name, None))), None)
    except KeyError:  # a namespace package in a package that is not imported
        return ModuleSpec(name, None, is_package=True)
    except (ImportError, ValueError, OSError):
        return None
    return spec


def _bytes(spec: ModuleSpec | None) -> bytes | None:
    if spec is None or spec.origin is None or not spec.has_location:
        return None
    try:
        return Path(spec.origin).read_bytes()
    except OSError:
        return None


def _imported_from(data: bytes, spec: ModuleSpec, name: str) -> tuple[str, str] | None:
    """The (module, name) that the last statement to bind a name imports it from; None where it is defined here."""
    try:
        body = ast.parse(data).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for statement in reversed(body):
        if isinstance(statement, ast.ClassDef) and statement.name == name:
            return None
        if isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                if name == (alias.asname or alias.name):
                    return _absolute(statement, spec), alias.name
    return None


def _absolute(statement: ast.ImportFrom, spec: ModuleSpec) -> str:
    """The module an import statement names, its leading dots resolved."""
    if not statement.level:
        return statement.module or ""
    package = spec.name if spec.submodule_search_locations is not None else spec.name.rpartition(".")[0]
    base = package.split(".")[: len(package.split(".")) - statement.level + 1]
    return ".".join((*base, *([statement.module] if statement.module else [])))
