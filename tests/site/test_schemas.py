"""`/api/v1/` keeps its promises: every file fits its published schema, and no schema breaks an earlier one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from agents_record import AgentsRecord
from api_members import GOLDEN, breaks, golden, members, schemas
from boards import five_systems, made
from rubric_record import RubricRecord

from benchsite.site.pages.receipts import Naming, receipts
from benchsite.track import Page

jsonschema = pytest.importorskip("jsonschema")
SCHEMAS = schemas()


def require_valid(value: Any, path: str) -> None:
    jsonschema.Draft202012Validator(SCHEMAS[path]).validate(value)


WITHOUT = ("/outcomes.json", "/tasks.json", "/view.json", "/pairs.json", "/proof.json")
"""Two files of the agents track, what the scripts of a page need, and what a leaderboard is checked by."""


def data_files(pages: Mapping[str, Page], track: str) -> dict[tuple[str, str], Any]:
    """The JSON files below `/api/v1/` among pages, parsed, by the name of their schema and their path."""
    found = {}
    for path, page in pages.items():
        if path.startswith("api/v1/") and path.endswith(".json") and not path.endswith(WITHOUT):
            last = path.rpartition("/")[2].removesuffix(".json")
            name = last if last in ("comparison", "per-query") else "leaderboard"
            found[f"{track}/{name}.json", path] = json.loads(page.data or b"")
    return found


@pytest.mark.parametrize("path", SCHEMAS)
def test_no_member_that_was_promised_is_gone_or_of_another_type(path: str) -> None:
    broken = breaks(golden(path), members(SCHEMAS[path]), closed="receipt" in path)
    assert broken == [], "a breaking change: it needs /api/v2/, or a new version of the receipt schema"


def test_every_golden_copy_is_of_a_schema_that_is_served() -> None:
    assert {path.name for path in GOLDEN.iterdir()} == {
        path.replace("/", "-").replace(".json", ".txt") for path in SCHEMAS
    }


OLD = {
    "type": "object",
    "required": ["a"],
    "properties": {"a": {"type": "number"}, "b": {"type": "array", "items": {"$ref": "#/$defs/B"}}},
    "$defs": {"B": {"type": "object", "required": [], "properties": {"c": {"type": ["string", "null"]}}}},
}


def changed(**properties: Any) -> dict[str, Any]:
    kept = {name: node for name, node in {**OLD["properties"], **properties}.items() if node is not None}
    return {**OLD, "properties": kept}


@pytest.mark.parametrize(
    ("new", "broken"),
    [
        (changed(d={"type": "string"}), []),
        (changed(b=None), ["b was removed", "b[] was removed", "b[].c was removed"]),
        (changed(a={"type": "string"}), ["a is now: string always; it was: number always"]),
        (changed(a={"type": ["number", "null"]}), ["a is now: null|number always; it was: number always"]),
        ({**OLD, "required": []}, ["a is now: number optional; it was: number always"]),
        (
            {**changed(d={"type": "string"}), "required": ["a", "d"]},
            ["d is required of documents that don't have it"],
        ),
    ],
)
def test_what_counts_as_a_breaking_change(new: dict[str, Any], broken: list[str]) -> None:
    assert breaks(members(OLD), members(new), closed=True) == broken


def test_a_member_added_to_a_file_of_the_site_breaks_no_reader() -> None:
    added = {**changed(d={"type": "string"}), "required": ["a", "d"]}
    assert breaks(members(OLD), members(added), closed=False) == []


@pytest.mark.parametrize("path", SCHEMAS)
def test_each_is_a_schema_of_the_dialect_that_it_names_and_has_its_address_as_id(path: str) -> None:
    schema = SCHEMAS[path]
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"/api/v1/schema/{path}"
    jsonschema.Draft202012Validator.check_schema(schema)


def test_the_files_of_a_retrieval_leaderboard_and_the_index_are_valid() -> None:
    record = five_systems()
    found = data_files(made(record), "retrieval")
    assert {name for name, _ in found} == {
        f"retrieval/{name}.json" for name in ("leaderboard", "comparison", "per-query")
    }
    for (name, _), value in found.items():
        require_valid(value, name)
    (index,) = (page for page in receipts(record.history(), record.scorers, Naming()) if page.data)
    require_valid(json.loads(index.data or b""), "index.json")
    for body in record.bodies.values():
        require_valid(body, "retrieval/receipt-1.0.0.json")


def test_the_files_of_an_agents_leaderboard_are_valid() -> None:
    record = AgentsRecord()
    record.run("null", "ffffffffff")
    record.run("good", "ssssssssff")
    record.run("fair", "sssssfffff", origin="import")
    found = data_files(record.pages(), "agents")
    assert {name for name, _ in found} == {
        f"agents/{name}.json" for name in ("leaderboard", "comparison", "per-query")
    }
    for (name, _), value in found.items():
        require_valid(value, name)
    for body in record.bodies.values():
        require_valid(body, "agents/receipt-1.0.0.json")


def test_the_files_of_a_rubric_leaderboard_are_valid() -> None:
    record = RubricRecord("1.3.0")
    record.score("1.3.0")
    found = data_files(record.pages(), "rubric")
    assert {name for name, _ in found} == {
        f"rubric/{name}.json" for name in ("leaderboard", "comparison", "per-query")
    }
    for (name, _), value in found.items():
        require_valid(value, name)
    for body in record.bodies.values():
        require_valid(body, "rubric/receipt-1.0.0.json")


def test_a_receipt_of_the_first_schema_is_valid(shared: Path) -> None:
    value = json.loads((shared / "data/przm_receipt_b12b9a56.json").read_bytes())
    require_valid(value, "retrieval/receipt-0.0.1.json")


def test_a_file_with_a_wrong_type_is_refused() -> None:
    """The schemas can fail: an index whose column has text for a number."""
    record = five_systems()
    (index,) = (page for page in receipts(record.history(), record.scorers, Naming()) if page.data)
    value = json.loads(index.data or b"")
    value["columns"]["value"][0] = "0.5"
    with pytest.raises(jsonschema.ValidationError):
        require_valid(value, "index.json")
