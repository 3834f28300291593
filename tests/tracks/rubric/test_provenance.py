from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rubric_receipts import CRITERIA, SIX, draft

from benchsite.errors import IntegrityError
from benchsite.methodology import Methodology, MethodologyData
from benchsite.methodology.instrument import DIMENSIONS, SCENARIOS
from benchsite.track import Resolved
from benchsite.tracks.rubric.provenance import hold_against

Edit = Callable[[dict[str, Any]], Any]


def methodology(version: str = "2.0.0", *, instrument: bool = True) -> Methodology:
    """Two templates, as short as the model allows."""
    data: dict[str, Any] = {
        "track": "rubric",
        "version": version,
        "title": "Rubric",
        "published": "2026-04-09",
        "summary": "",
        "receiptSchema": "1.0.0",
        "measures": [],
        "engine": "rubric/1",
        "parameters": {},
        "changes": [],
    }
    if instrument:
        data["instrument"] = {
            "dimensions": [{"id": name, "title": name, "question": "?"} for name in DIMENSIONS],
            "templates": [
                {
                    "slug": slug,
                    "schemaName": f"{slug.replace('-', '_')}_v1",
                    "title": slug,
                    "criteria": [{"id": name, "title": name} for name in criteria],
                    "scenarios": [{"id": name, "title": name, "task": "do it"} for name in SCENARIOS],
                }
                for slug, criteria in CRITERIA.items()
            ],
        }
    return Methodology(MethodologyData.model_validate(data), "", "e" * 64)


@pytest.mark.parametrize("template", CRITERIA)
def test_a_draft_made_from_the_methodology_passes(template):
    hold_against(draft("2.0.0", SIX, template=template), Resolved(methodology()))


def rename_criterion(document: dict[str, Any]) -> None:
    criteria = document["domain"]["D4"][5]["questions"][0]["criteria"]
    criteria["charm"] = criteria.pop("accuracy")


EDITS: list[tuple[Edit, str]] = [
    (
        lambda d: d["template"].update(slug="cookery"),
        r"draft 0{8}-.*: template cookery is not one of rubric 2\.0\.0",
    ),
    (
        lambda d: d["template"].update(schemaName="customer_service_v2"),
        "template.schemaName is customer_service_v2; rubric 2.0.0 calls the schema of .* customer_service_v1",
    ),
    (
        lambda d: d["template"].update(slug="coding-development", schemaName="coding_development_v1"),
        "D1 is scored on accuracy, completeness, usefulness; rubric 2.0.0 scores coding-development on codeQuality",
    ),
    (
        rename_criterion,
        "D4 is scored on charm, completeness, usefulness; rubric 2.0.0 scores customer-service",
    ),
]


@pytest.mark.parametrize(("edit", "message"), EDITS, ids=["template", "schema name", "domain", "criterion"])
def test_what_is_not_the_methodologys_is_named(edit, message):
    document = draft("2.0.0", SIX)
    edit(document)
    with pytest.raises(IntegrityError, match=message) as caught:
        hold_against(document, Resolved(methodology()))
    assert "re-run it from its sheets" in caught.value.hint


def test_rules_without_an_instrument_have_no_template():
    with pytest.raises(IntegrityError, match="template customer-service"):
        hold_against(draft("2.0.0", SIX), Resolved(methodology(instrument=False)))
