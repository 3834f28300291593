"""The architecture page says what the code is: its layers, the functions that it names, and every package."""

from __future__ import annotations

import importlib
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "content/docs/architecture.md").read_text(encoding="utf-8")
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
LAYERS = [item["layers"] for item in CONTRACTS["contracts"] if item["type"] == "layers"]


def named(dotted: str) -> Any:
    """What a dotted name stands for, from the outermost package in."""
    found: Any = importlib.import_module("benchsite")
    parts = dotted.split(".")
    for end, part in enumerate(parts[1:], 2):
        if not hasattr(found, part):
            importlib.import_module(".".join(parts[:end]))
        found = getattr(found, part)
    return found


def test_the_drawings_are_the_contracts() -> None:
    drawn = [block.splitlines() for block in re.findall(r"```text\n(.*?)\n```", PAGE, re.DOTALL)]
    assert drawn == LAYERS


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(benchsite\.[\w.]+)`", PAGE))))
def test_what_the_page_names_can_be_imported(name: str) -> None:
    assert callable(named(name))


def test_every_package_has_its_line() -> None:
    source = ROOT / "benchsite"
    packages = {".".join(path.parent.relative_to(source).parts) for path in source.rglob("__init__.py")} - {
        ""
    }
    modules = {path.stem for path in source.glob("[a-z]*.py")}
    assert re.findall(r"^\| `([\w.]+)` \|", PAGE, re.MULTILINE) == sorted(packages | modules)
