"""Where benchsite makes its errors: every construction of a class of the tree, found in the source of every module."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from importable import modules

from benchsite.errors import BenchsiteError

MODULES: dict[str, ModuleType] = dict(modules())
"""Every module of the package, imported: the whole tree of errors is loaded."""


def tree(kind: type[BenchsiteError]) -> list[type[BenchsiteError]]:
    return [kind, *(inner for child in kind.__subclasses__() for inner in tree(child))]


OURS = [kind for kind in tree(BenchsiteError) if kind.__module__.partition(".")[0] == "benchsite"]


class Construction(NamedTuple):
    """A call in the source that makes an error of the tree."""

    where: str
    kind: type[Exception]
    call: ast.Call


NAMED = {kind.__name__: kind for kind in OURS}


def made_by(call: ast.expr, module: ModuleType) -> object:
    """What a called expression is, where names of the module decide it; a name that a function imports, by its name."""
    if isinstance(call, ast.Name):
        return vars(module).get(call.id, NAMED.get(call.id, vars(builtins).get(call.id)))
    if isinstance(call, ast.Attribute):
        return getattr(made_by(call.value, module), call.attr, None)
    return None


def initializers(parsed: ast.Module, module: ModuleType) -> Iterator[tuple[type[BenchsiteError], ast.Call]]:
    """Calls of `super().__init__` in classes of the tree whose constructor takes no hint: they must give one."""
    for item in ast.walk(parsed):
        kind = vars(module).get(item.name) if isinstance(item, ast.ClassDef) else None
        if not (isinstance(kind, type) and issubclass(kind, BenchsiteError) and kind is not BenchsiteError):
            continue
        for call in ast.walk(item):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "super().__init__":
                yield kind, call


def constructions(
    source: str, module: ModuleType, kinds: tuple[type[Exception], ...] = (BenchsiteError,)
) -> Iterator[Construction]:
    """The calls that make an error of these kinds or of one below them; the other kinds are of Python."""
    parsed = ast.parse(source)
    for item in ast.walk(parsed):
        if isinstance(item, ast.Call):
            kind = made_by(item.func, module)
            if isinstance(kind, type) and issubclass(kind, kinds):
                yield Construction(f"{module.__name__}:{item.lineno}", kind, item)
    for kind, call in initializers(parsed, module):
        yield Construction(f"{module.__name__}:{call.lineno}", kind, call)


def source_of(module: ModuleType) -> str:
    return Path(module.__file__ or "").read_text(encoding="utf-8")
