"""Static search of the modules that a Python program imports: nothing of it is imported or run.

Follows `import` statements wherever they are in a module, relative ones too, and `import_module` with a literal name.
Refuses programs of more than 2,000 local files or 8 MiB (`InputError`). A name that is computed at run time is not found.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import PathDistribution
from pathlib import Path
from typing import Final, NamedTuple

from benchsite.errors import InputError

__all__ = ["Module", "Search", "find", "local_modules"]

MAX_FILES: Final = 2_000
MAX_BYTES: Final = 8 * 2**20
"""Parsing takes some fifty times as much memory."""
_CODE: Final = frozenset({".py", ""})
_PACKAGE_FOLDERS: Final = ("site-packages", "dist-packages")
"""Where `.egg-info` is of an installed distribution; elsewhere, a build left it beside local code."""
_HARNESS: Final = "benchsite"


class Search(NamedTuple):
    """Where an interpreter looks for modules.

    Attributes:
        path: folders, in order.
        stdlib: the folders of them that hold the standard library.
        is_this: whether it is the interpreter that runs now, whose editable installs have finders of their own.
    """

    path: tuple[str, ...]
    stdlib: frozenset[str]
    is_this: bool


class Module(NamedTuple):
    """A module as it is on disk; `root` is the folder of the search path that it was found in."""

    name: str
    package: str
    path: Path
    root: Path
    data: bytes


def find(name: str, search: Search) -> Module | None:
    """Return a module by its dotted name; None if no file defines it."""
    spec = _spec(name, search)
    if spec is None or spec.origin is None or not spec.has_location:
        return None
    path = Path(spec.origin)
    is_package = spec.submodule_search_locations is not None
    depth = len(name.split(".")) - (0 if is_package else 1)
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError:
        return None
    package = name if is_package else name.rpartition(".")[0]
    return Module(name, package, path, path.parents[min(depth, len(path.parents) - 1)], data)


def local_modules(
    entries: Sequence[Module], search: Search, distributions: dict[str, str]
) -> Iterator[Module]:
    """Yield the entries and every local module that they import, directly or not, each once.

    A module is local if it is in the distribution of an entry, or in none. Add the name and version of the distribution of
    every other one to `distributions`.

    Raises:
        InputError: there are more than 2,000 files or 8 MiB.
    """
    own = {module.name.partition(".")[0] for module in entries}
    homes = {one[0] for module in entries if (one := _distribution(module))}
    waiting, seen = list(entries), {module.name for module in entries}
    size = 0
    while waiting:
        module = waiting.pop()
        size += len(module.data)
        if len(seen) > MAX_FILES or size > MAX_BYTES:
            raise InputError(
                f"source of {entries[0].name}: more than {MAX_FILES:,} local modules or {MAX_BYTES // 2**20} MiB",
                hint="install what it imports as a distribution: its version is recorded instead of its files",
            )
        yield module
        for found in _found_imports(module, search, seen, own):
            distribution = _distribution(found)
            if distribution is None or distribution[0] in homes or found.name.partition(".")[0] in own:
                waiting.append(found)
            else:
                distributions[distribution[0]] = distribution[1]


def _found_imports(module: Module, search: Search, seen: set[str], own: set[str]) -> Iterator[Module]:
    """Yield what a module imports for the first time, without the standard library and the harness."""
    for name in sorted(_imported(module) - seen):
        seen.add(name)
        if name.partition(".")[0] == _HARNESS and _HARNESS not in own:
            continue
        found = find(name, search)
        if found is not None and str(found.root) not in search.stdlib:
            yield found


def _distribution(module: Module) -> tuple[str, str] | None:
    """Return the name and version of the distribution that installed a module; None if it is in none."""
    try:
        changed = module.root.stat().st_mtime_ns
        relative = module.path.relative_to(module.root).as_posix()
    except (OSError, ValueError):
        return None
    top = module.name.partition(".")[0]
    for folder, files, names in _installed(module.root, changed):
        if f"\n{relative}," in files or (not files and f"\n{top}\n" in names):
            item = PathDistribution(folder)
            return str(item.metadata["Name"]), str(item.version)
    return None


@lru_cache(maxsize=16)
def _installed(root: Path, _changed: int) -> tuple[tuple[Path, str, str], ...]:
    """Return each installed distribution of a folder: its own folder, its list of files, and of top-level names."""
    folders = [folder for folder in sorted(root.glob("*.dist-info")) if not _is_editable(folder)]
    found = [(folder, _text(folder / "RECORD"), _text(folder / "top_level.txt")) for folder in folders]
    if root.name in _PACKAGE_FOLDERS:
        found += [(folder, "", _text(folder / "top_level.txt")) for folder in sorted(root.glob("*.egg-info"))]
    return tuple(found)


def _is_editable(info: Path) -> bool:
    try:
        return json.loads(_text(info / "direct_url.json"))["dir_info"]["editable"] is True
    except (ValueError, KeyError, TypeError, RecursionError):
        return False


def _text(path: Path) -> str:
    try:
        return f"\n{path.read_text('utf-8', 'replace').rstrip()}\n"
    except OSError:
        return ""


def _imported(module: Module) -> frozenset[str]:
    """Return the dotted names that a module may import, and the packages that they are in; empty for compiled ones."""
    if module.path.suffix not in _CODE:
        return frozenset()
    try:
        return _stated(module.data, module.package)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset(_siblings(module))


@lru_cache(maxsize=MAX_FILES)
def _stated(data: bytes, package: str) -> frozenset[str]:
    """Return the names in the import statements of a module: the systems of an experiment share most of their modules."""
    names = {name for node in _run_time(ast.parse(data)) for name in _names(node, package)}
    if package:
        names.add(package)
    return frozenset(
        ".".join(parts[:end]) for parts in map(_parts, names) for end in range(1, len(parts) + 1)
    )


def _siblings(module: Module) -> set[str]:
    """Return the modules beside one that this Python cannot parse: what it imports is unknown, so all of them count."""
    try:
        found = {path.stem for path in module.path.parent.glob("*.py")}
        found |= {path.parent.name for path in module.path.parent.glob("*/__init__.py")}
    except OSError:
        return set()
    prefix = f"{module.package}." if module.package else ""
    return {f"{prefix}{name}" for name in found if name.isidentifier() and name != "__init__"}


def _parts(name: str) -> list[str]:
    parts = name.split(".")
    return parts if all(parts) else []


def _run_time(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield every node but those that only type checkers read."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If) and _is_type_checking(node.test):
            waiting.extend(node.orelse)
        else:
            waiting.extend(ast.iter_child_nodes(node))


def _is_type_checking(test: ast.expr) -> bool:
    return getattr(test, "id", getattr(test, "attr", "")) == "TYPE_CHECKING"


def _names(node: ast.AST, package: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = _absolute(node.level, node.module or "", package)
        if base:
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names if alias.name != "*")
    elif isinstance(node, ast.Call):
        yield from _called(node, package)


def _called(node: ast.Call, package: str) -> Iterator[str]:
    """The module that `import_module` or `__import__` is called with; the harness's own lazy imports are none."""
    function = getattr(node.func, "id", getattr(node.func, "attr", ""))
    if function in ("import_module", "__import__") and node.args and isinstance(node.args[0], ast.Constant):
        name = node.args[0].value
        if isinstance(name, str) and name.strip(".") and package.partition(".")[0] != _HARNESS:
            level = len(name) - len(name.lstrip("."))
            yield _absolute(level, name[level:], package)


def _absolute(level: int, module: str, package: str) -> str:
    """Return the module that an import statement names, its leading dots resolved; empty above the top."""
    if not level:
        return module
    parts = package.split(".") if package else []
    if level > len(parts):
        return ""
    return ".".join((*parts[: len(parts) - level + 1], *([module] if module else [])))


def _spec(module: str, search: Search) -> ModuleSpec | None:
    """Return where a module is; `importlib.util.find_spec` would import the packages it is in, and so run their code."""
    path: Sequence[str] | None = search.path
    spec: ModuleSpec | None = None
    parts = module.split(".")
    for depth, part in enumerate(parts, 1):
        spec = _found(".".join(parts[:depth]), path or (), is_this=search.is_this)
        if spec is None:
            return None
        if spec.origin is None:  # a namespace package, whose own list of folders needs its parents imported
            path = [str(folder) for folder in (Path(entry) / part for entry in path or ()) if folder.is_dir()]
        else:
            path = spec.submodule_search_locations
    return spec


def _found(name: str, path: Sequence[str], *, is_this: bool) -> ModuleSpec | None:
    """Look in the folders of the path, then ask the finders that editable installs put into this interpreter."""
    try:
        spec = PathFinder.find_spec(name, list(path))
        if spec is None and "." not in name and is_this:
            others = (finder for finder in sys.meta_path if finder is not PathFinder)
            spec = next((one for finder in others if (one := finder.find_spec(name, None))), None)
    except KeyError:  # a namespace package in a package that is not imported
        return ModuleSpec(name, None, is_package=True)
    except (ImportError, ValueError, OSError):
        return None
    return spec
