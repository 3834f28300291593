"""Methodology pages: standing, marks, links, comparisons."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from sample_record import make_methodology

from benchsite.addresses import evaluate_path
from benchsite.methodology import Instrument, Methodology, Reference
from benchsite.site import pages
from benchsite.site.render import Renderer
from benchsite.track import Library, Page
from benchsite.tracks.retrieval import TRACK


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return Renderer({"retrieval": TRACK})


def made(documents: Sequence[Methodology], *pinned: str, forms: Sequence[str] = ()) -> dict[str, Page]:
    pins: dict[tuple[str, str], Any] = {
        (item.data.track, item.data.version): SimpleNamespace(index=place + 7, sha256=item.sha256)
        for place, item in enumerate(documents)
        if item.data.version in pinned
    }
    library = Library(documents, lambda _id, _sha: None, pins)
    return {page.path: page for page in pages.methodology(library, pages=frozenset(forms))}


def text_of(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def targets(html: str) -> set[str]:
    return set(re.findall(r' id="([^"]+)"', html))


OLD = make_methodology("1.0.0", "Intro.\n\n## 1 Score\n\nSame.\n\n## 2 Speed\n\nSlow.\n")
NEW = make_methodology(
    "1.1.0",
    "Intro.\n\n## 1 Score\n\nSame.\n\n## 2 Speed\n\nFast.\n\n## 3 Faults\n\nNew.\n",
    published="2026-12-01",
    basedOn="1.0.0",
    changes=[{"type": "changed", "text": "Faster."}],
)
ROOT = "methodology/retrieval"
SUPERSEDED, PROPOSED = "Superseded.", "Proposed."


@pytest.mark.parametrize(
    ("pinned", "old_says", "new_says"),
    [
        ((), SUPERSEDED, None),
        (("1.0.0",), None, PROPOSED),
        (("1.1.0",), SUPERSEDED, None),
        (("1.0.0", "1.1.0"), SUPERSEDED, None),
    ],
)
def test_notices_follow_from_what_the_log_pins(
    renderer: Renderer, pinned: tuple[str, ...], old_says: str | None, new_says: str | None
) -> None:
    found = made([OLD, NEW], *pinned)
    for version, says in (("1.0.0", old_says), ("1.1.0", new_says)):
        body = renderer.body(found[f"{ROOT}/{version}/"])
        assert {word for word in (SUPERSEDED, PROPOSED) if word in body} == ({says} if says else set())


def test_the_notice_comes_first_and_leads_to_the_current_version_and_to_the_changes_both_ways(
    renderer: Renderer,
) -> None:
    body = renderer.body(made([OLD, NEW])[f"{ROOT}/1.0.0/"])
    notice = body[body.index("</h1>") : body.index("How a system that finds passages is scored.")]
    assert SUPERSEDED in notice
    assert re.findall(r'href="\.\./\.\./\.\./(methodology/retrieval[^"]+)"', notice) == [
        f"{ROOT}/1.1.0/",
        f"{ROOT}/1.0.0/to/1.1.0/",
        f"{ROOT}/1.1.0/to/1.0.0/",
    ]


def test_a_proposed_version_says_that_nothing_pins_it(renderer: Renderer) -> None:
    said = text_of(renderer.body(made([OLD, NEW], "1.0.0")[f"{ROOT}/1.1.0/"]))
    assert "Not in the log of this site: no receipt uses it" in said
    assert "Log entry not in the log" in said


def test_the_log_entry_is_linked_where_there_is_one(renderer: Renderer) -> None:
    body = renderer.body(made([OLD, NEW], "1.0.0")[f"{ROOT}/1.0.0/"])
    assert 'href="../../../log/entries/000000/#e7"' in body


def test_the_page_of_a_track_tells_history_standing_and_entry(renderer: Renderer) -> None:
    body = renderer.body(
        made(
            [OLD, NEW, replace(NEW, data=NEW.data.model_copy(update={"version": "2.0.0"}))], "1.0.0", "1.1.0"
        )["methodology/retrieval/"]
    )
    rows = [text_of(row) for row in re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL)]
    lines = [row for row in rows if "In short" not in row and "2026" in row]
    assert [line.split()[:2] for line in lines] == [
        ["2.0.0", "proposed"],
        ["1.1.0", "current"],
        ["1.0.0", "superseded"],
    ]
    assert ["not in the log" in line for line in lines] == [True, False, False]
    assert OLD.sha256[:8] in lines[2]
    assert "entry 7" in lines[2]
    for old, new in (("1.0.0", "2.0.0"), ("2.0.0", "1.0.0")):
        assert f'href="../../methodology/retrieval/{old}/to/{new}/"' in body


def test_the_index_has_the_current_version_of_each_track_and_leads_to_the_others(renderer: Renderer) -> None:
    body = renderer.body(made([OLD, NEW, rubric("1.0.0")], "1.0.0", "1.1.0")["methodology/"])
    assert '<a href="../methodology/retrieval/">All 2 versions and their differences</a>' in body
    assert re.findall(r'<th scope="row"><a href="([^"]+)">', body) == [
        "../methodology/retrieval/1.1.0/",
        "../methodology/rubric/1.0.0/",
    ]
    assert '>1.0.0</a> <span class="tag quiet">superseded' not in body


def test_sections_are_marked_against_the_version_before() -> None:
    clauses = made([NEW, OLD])[f"{ROOT}/1.1.0/"].context["clauses"]
    assert [(str(clause.section.title), clause.since) for clause in clauses] == [
        ("", None),
        ("1 Score", None),
        ("2 Speed", "changed"),
        ("3 Faults", "added"),
    ]


def test_a_rewritten_document_carries_no_marks_and_says_so(renderer: Renderer) -> None:
    anew = make_methodology("2.0.0", "Other.\n\n## 1 All\n\nNew.\n", basedOn="1.0.0")
    page = made([OLD, anew])[f"{ROOT}/2.0.0/"]
    assert {clause.since for clause in page.context["clauses"]} == {None}
    assert "The text was rewritten" in renderer.body(page)


def test_a_measure_is_marked_when_its_definition_changed(renderer: Renderer) -> None:
    measure = OLD.data.measures[0].model_copy(update={"words": "Other."})
    changed = replace(NEW, data=NEW.data.model_copy(update={"measures": (measure,)}))
    body = renderer.body(made([OLD, changed])[f"{ROOT}/1.1.0/"])
    (part,) = re.findall(rf'<div id="{measure.name}">(.*?)</div>', body, re.DOTALL)
    assert "changed in 1.1.0" in part


def test_the_document_is_offered_as_data_with_the_digest_receipts_carry() -> None:
    value = json.loads(made([OLD])[f"{ROOT}/1.0.0/methodology.json"].data or b"")
    assert value["sha256"] == OLD.sha256
    assert value["text"] == OLD.text
    assert value["measures"][0]["name"] == "ndcg_at_k"


def test_the_data_names_the_log_entry_that_pins_this_very_digest() -> None:
    def entry(document: Methodology, *pinned: str) -> object:
        return json.loads(made([document], *pinned)[f"{ROOT}/1.0.0/methodology.json"].data or b"")["logEntry"]

    assert entry(OLD) is None
    assert entry(OLD, "1.0.0") == 7
    pins = {("retrieval", "1.0.0"): SimpleNamespace(index=7, sha256="00" * 32)}
    library = Library([OLD], lambda _id, _sha256: None, pins)
    found = {page.path: page for page in pages.methodology(library)}
    assert json.loads(found[f"{ROOT}/1.0.0/methodology.json"].data or b"")["logEntry"] is None


def test_no_link_is_called_otherwise_than_it_reads(renderer: Renderer) -> None:
    """WCAG 2.5.3: what a label says must hold the words that are seen; these links need no label."""
    body = renderer.body(made([OLD, NEW])["methodology/retrieval/"])
    links = [link for link in re.findall(r"<a .*?</a>", body) if "→" in link]
    assert len(links) == 2
    assert not any("aria-label" in link for link in links)
    spoken = re.sub(r'<span aria-hidden="true">.*?</span>', "", links[0])
    assert text_of(spoken) == "1.0.0 to 1.1.0"


def test_every_section_and_measure_can_be_linked_to(renderer: Renderer) -> None:
    body = renderer.body(made([NEW])[f"{ROOT}/1.1.0/"])
    linked = set(re.findall(r'href="#([^"]+)"', body))
    assert {"1-score", "2-speed", "measures", "changes", "ndcg_at_k"} <= linked
    assert linked <= targets(body)


def test_a_track_without_an_instrument_has_none_of_its_sections(renderer: Renderer) -> None:
    body = renderer.body(made([OLD])[f"{ROOT}/1.0.0/"])
    assert "part-" not in body
    assert "U1" not in body


def instrument(**changes: Any) -> Mapping[str, Any]:
    anchors = {level: f"Level {level}." for level in "54321"}
    return {
        "dimensions": [
            {"id": f"U{n}", "title": f"Ability {n}", "question": f"Can it {n}?", "anchors": anchors}
            for n in range(1, 7)
        ],
        "criterionAnchors": anchors,
        "requiredTests": [
            {
                "id": "invalidInput",
                "title": "Broken input",
                "instruction": "Hand over <b>nonsense</b>.",
                "desired": "It notices.",
                "failure": "It invents.",
                "feeds": "U4",
            }
        ],
        "disclosures": [{"id": "multiStep", "title": "Reading of U3", "text": "Say which."}],
        "repeatability": ["Asked once."],
        "templates": [
            {
                "slug": slug,
                "schemaName": f"{slug}_v1",
                "title": slug.capitalize(),
                "examples": ["Some agent"],
                "criteria": [{"id": name, "title": name} for name in ("one", "two", "three")],
                "scenarios": [
                    {"id": f"D{n}", "title": f"Task {n}", "task": f"Do {n}.", "setup": "Lay it out."}
                    for n in range(1, 6)
                ],
            }
            for slug in ("research", "sales")
        ],
        **changes,
    }


def rubric(version: str, text: str = "## 1 Rules\n\nText.\n", **changes: Any) -> Methodology:
    base = make_methodology(version, text)
    measure = base.data.measures[0].model_copy(
        update={"name": "composite_score", "label": "Composite", "formula": "0.4 U + 0.6 D", "cut": "none"}
    )
    shared = {
        "track": "rubric",
        "measures": (measure, measure.model_copy(update={"name": "universal_score"})),
    }
    own = {
        "instrument": Instrument.model_validate(instrument()),
        "parameters": {"universalWeight": "2/5"},
        **changes,
    }
    return replace(base, data=base.data.model_copy(update={**shared, **own}))


def test_tests_dimensions_anchors_templates_and_criteria_can_be_linked_to(renderer: Renderer) -> None:
    body = renderer.body(made([rubric("1.0.0")])["methodology/rubric/1.0.0/"])
    found = targets(body)
    assert {"U4", "U4-3", "criterion-5", "test-invalidInput", "disclosure-multiStep"} <= found
    assert {
        "parameter-universalWeight",
        "template-sales",
        "template-sales-D5",
        "template-sales-three",
        "part-repeatability",
    } <= found
    assert set(re.findall(r'href="#([^"]+)"', body)) <= found
    assert len(found) == len(re.findall(r' id="', body)), "an id stands twice"


def test_the_formula_of_the_composite_comes_first_with_the_weights_of_its_parts(renderer: Renderer) -> None:
    said = text_of(renderer.body(made([rubric("1.0.0")])["methodology/rubric/1.0.0/"]))
    assert (
        said.index("0.4 U + 0.6 D")
        < said.index("40% of the composite")
        < said.index("An evaluation sheet without one is rejected")
    )


def test_templates_are_folded_and_foreign_markup_is_shown_not_obeyed(renderer: Renderer) -> None:
    body = renderer.body(made([rubric("1.0.0")])["methodology/rubric/1.0.0/"])
    assert body.count('<details class="template"') == 2
    assert "Hand over &lt;b&gt;nonsense&lt;/b&gt;." in body


def test_a_form_is_linked_where_the_track_made_it(renderer: Renderer) -> None:
    form = evaluate_path("sales", "1.0.0")
    body = renderer.body(made([rubric("1.0.0")], forms=[form])["methodology/rubric/1.0.0/"])
    assert f'href="../../../{form}"' in body
    assert evaluate_path("research", "1.0.0") not in body


def test_what_bears_on_a_version_is_said_in_words(renderer: Renderer) -> None:
    sources = (
        Reference(title="Near", topics=("autonomy", "error handling"), note="Why.", year=2024),
        Reference(title="Far", topics=("safety",)),
    )
    body = renderer.body(
        made([rubric("1.0.0", references=sources, topics=("error handling",))])["methodology/rubric/1.0.0/"]
    )
    near, far = (
        text_of(re.findall(rf'<li id="reference-{number}".*?</li>', body, re.DOTALL)[0]) for number in (1, 2)
    )
    assert "Bears on 1.0.0: error handling." in near
    assert "Bears on" not in far
    index = text_of(renderer.body(made([rubric("1.0.0", references=sources)])["methodology/rubric/"]))
    assert "References Near" in index


def test_two_versions_are_compared_both_ways(renderer: Renderer) -> None:
    """`It notices.` became `It quickly notices.`, and the template `sales` came."""
    one = rubric(
        "1.0.0", instrument=Instrument.model_validate(instrument(templates=instrument()["templates"][:1]))
    )
    test = {**instrument()["requiredTests"][0], "desired": "It quickly notices."}
    two = rubric("1.1.0", instrument=Instrument.model_validate(instrument(requiredTests=[test])))
    found = made([one, two])
    there = renderer.body(found["methodology/rubric/1.0.0/to/1.1.0/"])
    back = renderer.body(found["methodology/rubric/1.1.0/to/1.0.0/"])
    assert re.search(r"<ins><span class=\"sr\"> \(added:\) </span> ?quickly", there)
    assert re.search(r"<del><span class=\"sr\"> \(removed:\) </span> ?quickly", back)
    assert "1 section added, 1 changed, 0 removed" in text_of(there)
    assert "0 sections added, 1 changed, 1 removed" in text_of(back)
    assert "Reverse diff, from 1.1.0 back to 1.0.0" in back
    assert 'rubric/1.1.0/#template-sales">' in there
    assert 'rubric/1.1.0/#template-sales">' in back


def test_there_is_a_comparison_for_every_two_versions_of_a_track_and_for_no_others() -> None:
    versions = ("1.0.0", "1.1.0", "2.0.0")
    found = made([*(rubric(version) for version in versions), OLD])
    assert {path for path in found if "/to/" in path} == {
        f"methodology/rubric/{one}/to/{two}/" for one in versions for two in versions if one != two
    }


def test_changes_before_and_after_stand_on_the_page(renderer: Renderer) -> None:
    third = replace(NEW, data=NEW.data.model_copy(update={"version": "1.2.0", "based_on": "1.1.0"}))
    aside = replace(NEW, data=NEW.data.model_copy(update={"version": "1.3.0", "based_on": "1.0.0"}))
    said = text_of(renderer.body(made([OLD, NEW, third, aside])[f"{ROOT}/1.1.0/"]))
    assert "Changes since 1.0.0" in said
    assert "Changes in 1.2.0" in said
    assert "Changes in 1.3.0" not in said


def test_a_comparison_lists_the_changes_along_the_line_of_descent_only(renderer: Renderer) -> None:
    """1.3.0 was copied from 1.0.0: what 1.1.0 changed isn't in it."""
    aside = make_methodology(
        "1.3.0", "Intro.\n", basedOn="1.0.0", changes=[{"type": "added", "text": "Aside."}]
    )
    found = made([OLD, NEW, aside])
    forth = text_of(renderer.body(found[f"{ROOT}/1.0.0/to/1.3.0/"]))
    assert ("Aside." in forth, "Faster." in forth) == (True, False)
    across = text_of(renderer.body(found[f"{ROOT}/1.1.0/to/1.3.0/"]))
    before, _, after = across.partition("1.3.0 doesn’t have these changes, which 1.1.0 has:")
    assert ("Aside." in before, "Faster." in before, "Faster." in after) == (True, False, True)
