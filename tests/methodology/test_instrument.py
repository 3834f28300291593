"""What evaluators score with is bounded, and the engine's constants are not a document's to choose."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from rubric_rules import published

from benchsite import methodology
from benchsite.methodology import DocumentError, Fault
from benchsite.methodology.parameters import KEYS

WHOLE: dict[str, Any] = published("2.0.0").data.model_dump(
    by_alias=True, exclude_none=True, mode="json", exclude=set(KEYS)
)
TEMPLATE: dict[str, Any] = WHOLE["instrument"]["templates"][0]


def refused(**instrument: Any) -> tuple[Fault, ...]:
    document = copy.deepcopy(WHOLE)
    document["instrument"] |= instrument
    files = published("2.0.0").files
    with pytest.raises(DocumentError) as caught:
        methodology.parse(document, files=files, where="rubric/2.0.0")
    assert len(caught.value.message) < 500
    return caught.value.faults


@pytest.mark.stories
def test_ten_thousand_templates_and_criteria_are_refused_with_a_bounded_number_of_faults():
    assert refused(templates=[TEMPLATE] * 10_000)[0].place == ("instrument", "templates")
    assert 0 < len(refused(templates=[{}] * 10_000)) <= 110
    criteria = [{"id": f"c{place}", "title": "x"} for place in range(10_000)]
    faults = refused(templates=[TEMPLATE | {"criteria": criteria}])
    assert [fault.place for fault in faults] == [("instrument", "templates", 0, "criteria")]
    assert 0 < len(refused(templates=[TEMPLATE | {"criteria": [{}] * 10_000}])) <= 110


def test_every_fault_of_the_instrument_is_told_in_one_run():
    faults = refused(
        dimensions=[{**one, "title": 3} for one in WHOLE["instrument"]["dimensions"]],
        templates=[TEMPLATE | {"slug": "No Slug", "criteria": TEMPLATE["criteria"][:2]}],
    )
    places = {fault.place[1:] for fault in faults}
    assert places >= {("dimensions", place, "title") for place in range(6)}
    assert places >= {("templates", 0, "slug"), ("templates", 0, "criteria")}


def test_required_tests_and_disclosures_are_the_engines():
    test, disclosure = (WHOLE["instrument"][name][0] for name in ("requiredTests", "disclosures"))
    faults = refused(requiredTests=[test | {"id": "speed"}], disclosures=[disclosure | {"id": "weather"}])
    assert [fault.place[1:] for fault in faults] == [("requiredTests", 0, "id"), ("disclosures", 0, "id")]
