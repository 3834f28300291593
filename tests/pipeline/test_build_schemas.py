"""A built site: each JSON file of `/api/v1/` and each receipt is valid against the schema that the site serves for it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from publishing import git
from snapshots import opened

from benchsite.pipeline.build import build
from benchsite.pipeline.workspace import Workspace

jsonschema = pytest.importorskip("jsonschema")
SITE = "https://bench.invalid/sub/"
WITHOUT = ("/dictionary.json", "/view.json", "/pairs.json", "/proof.json")
"""The dictionary, what the scripts of a page need, and what a leaderboard is checked by."""


@pytest.fixture
def site(small: Workspace, tmp_path: Path) -> Path:
    path = small.root / "mkdocs.yml"
    path.write_text(path.read_text().replace('site_url: ""', f"site_url: {SITE}"))
    git(small.root, "commit", "-qam", "an address")
    instance = Workspace(small.root)
    return build(instance, opened(instance), tmp_path / "site").site


def parsed(path: Path) -> Any:
    return json.loads(path.read_bytes())


def schema_of(name: str) -> str:
    """The schema of a file, by its path."""
    if name == "api/v1/index.json":
        return "api/v1/schema/index.json"
    track, last = re.fullmatch(r"api/v1/([a-z]+)/.*?([^/]+)\.json", name).groups()  # type: ignore[union-attr]
    kind = last if last in ("comparison", "per-query") else "leaderboard"
    return f"api/v1/schema/{track}/{kind}.json"


def test_every_file_is_valid_against_the_schema_that_is_served_for_it(site: Path) -> None:
    files = {path.relative_to(site).as_posix(): path for path in (site / "api/v1").rglob("*.json")}
    schemas = {name: parsed(path) for name, path in files.items() if name.startswith("api/v1/schema/")}
    assert {name: schema["$id"] for name, schema in schemas.items()} == {
        name: SITE + name for name in schemas
    }
    others = {name for name in files.keys() - schemas.keys() if not name.endswith(WITHOUT)}
    assert len(others) >= 5
    for name in others:
        jsonschema.Draft202012Validator(schemas[schema_of(name)]).validate(parsed(files[name]))
    receipts = list((site / "results/published").rglob("*.json"))
    assert len(receipts) == 4
    for path in receipts:
        jsonschema.Draft202012Validator(schemas["api/v1/schema/retrieval/receipt-1.0.0.json"]).validate(
            parsed(path)
        )
