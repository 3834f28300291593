from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchsite import plugins
from benchsite.cli.schema_page import PAGE, receipt_schema


def test_the_page_is_what_the_schemas_say(root: Path) -> None:
    assert (root / PAGE).read_text(encoding="utf-8") == receipt_schema(), f"{PAGE} is stale: make reference"


@pytest.mark.parametrize("name", ["retrieval", "agents", "rubric"])
def test_a_served_schema_has_id_title_and_described_fields(name: str) -> None:
    schema = plugins.track(name).schema()
    assert schema["$id"] == f"/api/v1/schema/{name}/receipt-1.0.0.json"
    assert schema["title"].endswith("receipt 1.0.0")
    assert schema["additionalProperties"] is False
    assert {"signature", "scores", "receiptId"} <= set(schema["required"]) <= set(schema["properties"])
    assert [key for key, node in schema["properties"].items() if not node.get("description")] == []


@pytest.mark.parametrize("name", ["retrieval", "agents", "rubric"])
def test_every_reference_of_a_schema_resolves(name: str) -> None:
    schema = plugins.track(name).schema()
    named = set(re.findall(r"'#/\$defs/(\w+)'", str(schema)))
    assert named == set(schema["$defs"])


@pytest.mark.parametrize("name", ["retrieval", "agents", "rubric"])
def test_every_field_of_a_receipt_says_what_it_is(name: str) -> None:
    """Nested ones too: a reader of the schema has no other text."""
    schema = plugins.track(name).schema()
    models = {"receipt": schema, **schema["$defs"]}
    silent = [
        f"{model}.{field}"
        for model, node in models.items()
        for field, its in node.get("properties", {}).items()
        if not its.get("description")
    ]
    assert silent == []
