from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.methodology import FILES, Methodology, MethodologyData, digest
from benchsite.methodology.difference import Difference, Field, Item, Run, compare, headed, marks

MEASURE = {
    "name": "hit_at_k",
    "label": "Hit",
    "formula": "hits / queries",
    "words": "found it",
    "denominator": "queries",
    "interval": "wilson",
    "cut": "every k",
}
ANCHORS = {level: f"{level} means so" for level in "54321"}
SCENARIOS = [{"id": f"D{n}", "title": f"T{n}", "task": f"do {n}"} for n in range(1, 6)]
CRITERIA = [{"id": name, "title": name} for name in ("accuracy", "completeness", "usefulness")]
TEMPLATE = {
    "slug": "research",
    "schemaName": "research_v1",
    "title": "Research",
    "criteria": CRITERIA,
    "scenarios": SCENARIOS,
}
INSTRUMENT: dict[str, Any] = {
    "dimensions": [{"id": f"U{n}", "title": f"Able {n}", "question": f"can it {n}?", "anchors": ANCHORS} for n in range(1, 7)],
    "templates": [TEMPLATE],
}  # fmt: skip


def document(version: str, text: str = "", **changes: Any) -> Methodology:
    data = {
        "track": "rubric",
        "version": version,
        "title": f"Rubric {version}",
        "published": "2026-01-01",
        "summary": "S",
        "receiptSchema": "1.0.0",
        "measures": [MEASURE],
        "engine": "rubric/1",
        "parameters": {"penalty": 0},
        "changes": [{"type": "added", "text": version}],
        "instrument": INSTRUMENT,
        **changes,
    }
    return Methodology(MethodologyData.model_validate(data), text, digest(dict.fromkeys(FILES, b"")))


def items(found: Difference, group: str) -> list[Item]:
    return [item for one in found.groups if one.title == group for item in one.items]


def instrument(**changes: Any) -> dict[str, Any]:
    return {"instrument": {**INSTRUMENT, **changes}}


def test_number_date_and_changelog_are_no_difference() -> None:
    later = document("2.0.0", published="2027-01-01", changes=[{"type": "removed", "text": "x"}])
    assert compare(document("1.0.0"), later).groups == ()


def test_the_words_of_a_changed_anchor_are_marked() -> None:
    """By hand: `4 means so` became `4 means more so`."""
    dimensions = [dict(item) for item in INSTRUMENT["dimensions"]]
    dimensions[3]["anchors"] = {**ANCHORS, "4": "4 means more so"}
    (item,) = items(
        compare(document("1.0.0"), document("2.0.0", **instrument(dimensions=dimensions))),
        "Universal dimensions",
    )
    assert (item.anchor, item.title, item.kind) == ("U4", "U4 Able 4", "changed")
    runs = (Run("same", "4 means "), Run("added", "more "), Run("same", "so"))
    assert item.fields == (Field("Score 4", "changed", runs),)


TEST = {"id": "hallucination", "title": "T", "instruction": "I", "desired": "D", "failure": "F"}
DISCLOSURE = {"id": "multiStep", "title": "T", "text": "X"}
SOURCE = {"title": "A paper", "year": 2024, "topics": ["autonomy"]}


@pytest.mark.parametrize(
    ("changes", "group", "anchor"),
    [
        ({"measures": [MEASURE, {**MEASURE, "name": "mrr"}]}, "Metrics", "mrr"),
        ({"parameters": {"penalty": 0, "sessions": 3}}, "Parameters", "parameter-sessions"),
        (instrument(requiredTests=[TEST]), "Required tests", "test-hallucination"),
        (instrument(disclosures=[DISCLOSURE]), "Disclosures", "disclosure-multiStep"),
        (instrument(criterionAnchors=ANCHORS), "Criterion scale", "criterion-anchors"),
        (
            instrument(templates=[TEMPLATE, {**TEMPLATE, "slug": "sales"}]),
            "Domain templates",
            "template-sales",
        ),
        (instrument(repeatability=["Twice."]), "Repeatability", "part-repeatability"),
        ({"references": [SOURCE]}, "References", "reference-1"),
    ],
)
def test_what_one_version_adds_the_way_back_removes(changes: dict[str, Any], group: str, anchor: str) -> None:
    plain, fuller = document("1.0.0"), document("2.0.0", **changes)
    for old, new, kind in ((plain, fuller, "added"), (fuller, plain, "removed")):
        found = compare(old, new)
        (item,) = items(found, group)
        assert (item.anchor, item.kind) == (anchor, kind)
        assert {field.kind for field in item.fields} <= {kind}
        assert marks(found)[anchor] == kind
        assert (found.count("added"), found.count("changed"), found.count("removed")) == (
            int(kind == "added"),
            0,
            int(kind == "removed"),
        )


@pytest.mark.parametrize(
    ("changes", "group", "label"),
    [
        ({"measures": [{**MEASURE, "formula": "other"}]}, "Metrics", "Formula"),
        ({"parameters": {"penalty": 10}}, "Parameters", "Value"),
        (instrument(templates=[{**TEMPLATE, "scenarios": [{**SCENARIOS[0], "task": "do all"}, *SCENARIOS[1:]]}]), "Domain templates", "D1, task"),
        (instrument(templates=[{**TEMPLATE, "criteria": [{**CRITERIA[0], "title": "Exact"}, *CRITERIA[1:]]}]), "Domain templates", "Criterion accuracy"),
        ({"summary": "Other"}, "Document", "Summary"),
    ],
)  # fmt: skip
def test_a_changed_part_says_which_of_its_texts(changes: dict[str, Any], group: str, label: str) -> None:
    (item,) = items(compare(document("1.0.0"), document("2.0.0", **changes)), group)
    assert item.kind == "changed"
    assert [field.label for field in item.fields] == [label]


def test_a_criterion_that_took_the_place_of_another_is_told_apart() -> None:
    criteria = [{"id": "insightQuality", "title": "Insight"}, *CRITERIA[1:]]
    changed = document("2.0.0", **instrument(templates=[{**TEMPLATE, "criteria": criteria}]))
    (item,) = items(compare(document("1.0.0"), changed), "Domain templates")
    assert [(field.label, field.kind) for field in item.fields] == [
        ("Criterion insightQuality", "added"),
        ("Criterion accuracy", "removed"),
    ]


def test_references_are_known_by_their_titles_not_by_their_numbers() -> None:
    first = {"title": "Another paper"}
    found = compare(document("1.0.0", references=[SOURCE]), document("2.0.0", references=[first, SOURCE]))
    assert [(item.title, item.kind) for item in items(found, "References")] == [("Another paper", "added")]


OLD = "Intro.\n\n## 1 Score\n\nOne line\nand another.\n\nStays.\n\n## 2 Speed\n\nSlow.\n"


def test_sections_are_matched_by_heading_and_layout_is_no_change() -> None:
    new = "Intro.\n\n## 1 Start\n\nNew.\n\n## 2. Score\n\nOne line and\nanother.\n\nStays.\n"
    found = items(compare(document("1.0.0", OLD), document("2.0.0", new)), "Text")
    assert [(item.title, item.kind) for item in found] == [("Start", "added"), ("Speed", "removed")]


def test_a_changed_paragraph_marks_words_and_its_neighbours_stay_away() -> None:
    new = OLD.replace("and another", "and a third")
    (item,) = items(compare(document("1.0.0", OLD), document("2.0.0", new)), "Text")
    (field,) = item.fields
    assert "".join(run.text for run in field.runs if run.kind != "added") == "One line and another."
    assert "".join(run.text for run in field.runs if run.kind != "removed") == "One line and a third."
    assert [run.text for run in field.runs if run.kind == "removed"] == ["another."]


def test_texts_with_little_in_common_are_given_whole() -> None:
    new = OLD.replace("Slow.", "Nothing of the kind can be said here at all")
    (item,) = items(compare(document("1.0.0", OLD), document("2.0.0", new)), "Text")
    assert [run.kind for run in item.fields[0].runs] == ["removed", "added"]


def test_headings_are_found_without_their_numbers() -> None:
    assert list(headed(OLD)) == ["", "score", "speed"]
    assert headed("no heading") == {"": ("", "no heading")}


def test_long_texts_are_given_whole() -> None:
    """Two texts of 20,000 words that share every other one: marking the words would take minutes."""
    one = " ".join(f"w{n} same" for n in range(10_000))
    two = " ".join(f"v{n} same" for n in range(10_000))
    (item,) = items(compare(document("1.0.0", one), document("2.0.0", two)), "Text")
    assert [run.kind for run in item.fields[0].runs] == ["removed", "added"]


def test_a_text_of_blanks_is_read_once() -> None:
    """Looking for a word from each of 300,000 blanks would take minutes."""
    found = compare(document("1.0.0", summary="S"), document("2.0.0", summary=" " * 300_000))
    assert [item.kind for item in items(found, "Document")] == ["changed"]


def test_a_field_that_no_code_here_names_is_compared() -> None:
    found = compare(document("1.0.0"), document("2.0.0", receiptSchema="1.1.0"))
    (item,) = items(found, "Document")
    assert [(field.label, field.kind) for field in item.fields] == [("Receipt schema", "changed")]


PROSE = st.lists(st.text("ab .\n#1", max_size=30), max_size=6).map("\n\n".join)


@given(PROSE, PROSE)
def test_both_texts_can_be_read_off_the_marks(old: str, new: str) -> None:
    """Whatever is not marked added is the old text's, whatever is not marked removed the new one's, in order."""
    for item in items(compare(document("1.0.0", old), document("2.0.0", new)), "Text"):
        for field in item.fields:
            was = "".join(run.text for run in field.runs if run.kind != "added")
            now = "".join(run.text for run in field.runs if run.kind != "removed")
            assert "".join(was.split()) in "".join(old.split())
            assert "".join(now.split()) in "".join(new.split())
    assert compare(document("1.0.0", old), document("2.0.0", old)).groups == ()
