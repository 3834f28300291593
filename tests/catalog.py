"""The sentences of every error, and of Python's own that we raise, in one file that follows from the program: `catalog.txt`.

    python tests/catalog.py --write        after a sentence was changed (make reference)

A line is `module: Class: message | hint`, without the hint where the class has one for all (`Class.next_step`); of a function
that makes the error, its name and what it is given. What is filled in is in braces, as the source has it: a sentence that was put
together before is the name of its variable. Each name of a module
`sentences`, which Python and JavaScript share, is a line, too.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from copy import deepcopy
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Final, NamedTuple

from constructions import MODULES, OURS, constructions, made_by, source_of

from benchsite.errors import BenchsiteError

FILE: Final = Path(__file__).with_suffix(".txt")


class Template(NamedTuple):
    """What an error says and advises, with names and expressions in braces; no hint where its class gives it."""

    module: str
    name: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        told = f"{self.message} | {self.hint}" if self.hint else self.message
        return f"{self.module}: {self.name}: {told}".replace("\n", "\\n")


def catalog() -> str:
    """The whole file, sorted by module, class and sentence."""
    return "".join(f"{line}\n" for line in sorted({str(item) for item in templates()}))


def templates() -> Iterator[Template]:
    for module in MODULES.values():
        source = source_of(module)
        for made in constructions(source, module, (BenchsiteError, ValueError, TypeError)):
            yield of_call(made.call, made.kind.__name__, module)
        for call in raised_through_functions(source, module):
            yield of_call(call, ast.unparse(call.func), module)
        if module.__name__.endswith("sentences"):
            for table in ("MESSAGES", "DETAILS"):
                for name, text in getattr(module, table, {}).items():
                    yield Template(module.__name__, name, text)
    for kind in OURS:
        if "next_step" in vars(kind) and kind.next_step:
            yield Template(kind.__module__, f"{kind.__name__}.next_step", kind.next_step)


def raised_through_functions(source: str, module: ModuleType) -> Iterator[ast.Call]:
    """Calls that are raised, of functions that make an error of the text that they are given."""
    for item in ast.walk(ast.parse(source)):
        match item:
            case ast.Raise(exc=ast.Call(func=function, args=given) as call) if not isinstance(
                made_by(function, module), type
            ) and any(isinstance(value, ast.Constant | ast.JoinedStr) for value in given):
                yield call


def of_call(call: ast.Call, name: str, module: ModuleType) -> Template:
    hints = [template(item.value, module) for item in call.keywords if item.arg == "hint"]
    message = ", ".join(template(value, module) for value in call.args)
    return Template(module.__name__, name, message, "".join(hints))


def template(value: ast.expr, module: ModuleType) -> str:
    """The text of an expression: literals and constants of the module as they are, everything else in braces."""
    match value:
        case ast.Constant(value=str(text)):
            said = text
        case ast.JoinedStr(values=parts):
            said = "".join(template(part, module) for part in parts)
        case ast.FormattedValue(value=filled, conversion=conversion, format_spec=wanted):
            how = f"!{chr(conversion)}" if conversion > 0 else ""
            said = f"{{{plain(filled, module)}{how}{f':{template(wanted, module)}' if wanted else ''}}}"
        case ast.BinOp(right=ast.Constant(value=int())):
            said = f"{{{plain(value, module)}}}"
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            said = template(left, module) + template(right, module)
        case ast.Name(id=name) if name.isupper() and isinstance(vars(module).get(name), str):
            said = str(vars(module)[name])
        case ast.Call(func=function, args=[ast.Constant(value=str(name))]) if isinstance(
            sentences := made_by(function, module), partial
        ):
            said = str(sentences.args[0][name])
        case _:
            said = f"{{{plain(value, module)}}}"
    return said


def plain(value: ast.expr, module: ModuleType) -> str:
    """The source of an expression, each f-string in it as its template: Python's versions write those differently."""

    class Templates(ast.NodeTransformer):
        def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.Constant:
            return ast.Constant(template(node, module))

    return ast.unparse(Templates().visit(deepcopy(value)))


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python tests/catalog.py --write")
    FILE.write_text(catalog(), encoding="utf-8")
