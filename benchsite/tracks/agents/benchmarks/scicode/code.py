"""Code of SciCode: what a model handed in, without fences and imports, and the script that tests a step.

The script has the problem's dependencies, the code of all earlier steps, the code of the step, then every test with its
`target`, as the official evaluation writes it. Import lines of the code are removed, as there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import Final

from benchsite.tracks.agents.benchmarks.scicode.document import Step

__all__ = ["MOST", "code_in", "function_name", "given_code", "script", "stub"]

MOST: Final = 100_000
"""Characters of code that are read."""
_FENCE: Final = re.compile(r"```[^\n`]*\n(.*?)(?:```|\Z)", re.DOTALL)
_IMPORT: Final = re.compile(r"^\s*(?:import .*|from .*\s+import\s+.*)", re.MULTILINE)
_DEFINED: Final = re.compile(r"^\s*(?:def|class)\s+(\w+)\s*[(:]", re.MULTILINE)


def function_name(header: str) -> str | None:
    """Return the name of the function or class that a header defines; None if it defines none."""
    found = _DEFINED.search(header)
    return None if found is None else found[1]


def code_in(text: str, name: str) -> str | None:
    """Return the code in a text, without fences and import lines; None if it does not define the name, or is too long."""
    if len(text) > MOST:
        return None
    defines = re.compile(rf"^\s*(?:async\s+)?(?:def|class)\s+{re.escape(name)}\b", re.MULTILINE)
    for block in (*_FENCE.findall(text), text):
        if defines.search(block) and "```" not in block:
            return _IMPORT.sub("", block)
    return None


def given_code(source: str, name: str) -> str | None:
    """Return the definition of a name in the source of a step that is given; None if it has none."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            return ast.unparse(node)
    return None


def stub(step: Step) -> str:
    """Return the header of a step and its last line: what the official prompt shows."""
    return f"{step.header}\n\n{step.ending}".rstrip() + "\n"


def script(dependencies: str, earlier: Iterable[str], code: str, step: Step) -> str:
    """Return the script that tests a step."""
    tests = list(step.tests)
    if step.reads_targets:
        tests = [f"target = targets[{place}]\n\n{test}" for place, test in enumerate(step.tests)]
    return "\n".join([dependencies, *dict.fromkeys([*earlier, code]), "", *tests, ""])
