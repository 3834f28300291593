"""The catalog of systems, and what repeats it: extras, entry points, adapters and the page."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from benchsite.errors import UsageError
from benchsite.track import System
from benchsite.tracks.retrieval.systems.catalog import SYSTEMS, group_of, system

ROOT = Path(__file__).resolve().parents[4]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
ENTRIES: dict[str, str] = PROJECT["entry-points"]["benchsite.retrieval.adapters"]
PAGE = (ROOT / "content/docs/systems.md").read_text(encoding="utf-8")
NAMES = [one.name for one in SYSTEMS]


def declared(one: System) -> dict[str, Any]:
    """The literal arguments of `About(...)` in the module of a system's adapter."""
    module, _, name = ENTRIES[one.name].partition(":")
    tree = ast.parse((ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8"))
    (found,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    calls = [node for node in ast.walk(found) if isinstance(node, ast.Call)]
    (about,) = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "About"]
    said = {key.arg or "": key.value for key in about.keywords}
    literal = {name: ast.literal_eval(said[name]) for name in ("distributions", "backend") if name in said}
    return {"name": ast.literal_eval(about.args[0]), **literal}


def test_extras_have_the_pins_of_their_group() -> None:
    for group in {one.group for one in SYSTEMS}:
        pins = [pin for one in SYSTEMS if one.group == group for pin in one.requirements]
        assert sorted(PROJECT["optional-dependencies"][group]) == sorted(set(pins)), group


def test_names_are_unique_and_pins_exact() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert not {*NAMES} & {one.group for one in SYSTEMS if one.group != one.name}, "a name is a group"
    for one in SYSTEMS:
        assert one.pins, one.name
        assert all(re.fullmatch(r"[A-Za-z0-9._-]+(\[[a-z,]+\])?==[A-Za-z0-9.]+", pin) for pin in one.pins)


@pytest.mark.parametrize("name", NAMES)
def test_the_adapter_declares_what_the_catalog_says(name: str) -> None:
    one = system(name)
    assert one is not None
    said = declared(one)
    assert said["name"] == name
    assert said.get("backend", "") == one.backend
    pinned = {re.split(r"[\[=]", pin)[0] for pin in one.pins}
    assert {*said.get("distributions", ())} <= pinned, "the versions that a row states are pinned"


@pytest.mark.parametrize("name", NAMES)
def test_the_page_says_what_its_users_must_know(name: str) -> None:
    assert f"\n### `{name}`\n" in PAGE


def test_a_name_stands_for_its_group() -> None:
    assert [one.name for one in group_of("lexical")] == sorted(
        (one.name for one in SYSTEMS if one.group == "lexical"), key=NAMES.index
    )
    assert group_of("tantivy")[0].name == "tantivy"
    with pytest.raises(UsageError) as caught:
        group_of("tantivi")
    assert caught.value.hint == "did you mean 'tantivy'?"
