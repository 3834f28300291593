"""The evaluator form as it is served, before any script runs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from html.parser import HTMLParser
from types import SimpleNamespace
from typing import Any

import pytest
import rubric_record
import rubric_sheets
from rubric_rules import RULES

from benchsite.methodology import Methodology
from benchsite.methodology.instrument import DIMENSIONS, SCENARIOS
from benchsite.site.render import Renderer
from benchsite.track import Library, Page
from benchsite.tracks.rubric import TRACK
from benchsite.tracks.rubric.form import forms
from benchsite.tracks.rubric.payload import TESTS

CRITERIA = rubric_sheets.CRITERIA
PATH = "rubric/customer-service/evaluate/{}/"


class Reading(HTMLParser):
    """What a page holds: every element's attributes, and the words inside labels."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.labels: list[dict[str, Any]] = []
        self._open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.elements.append((tag, dict(attrs)))
        self._open.append(tag)
        if tag == "label":
            self.labels.append({"for": dict(attrs).get("for"), "controls": [], "words": ""})
        elif tag in ("input", "textarea") and "label" in self._open:
            self.labels[-1]["controls"].append(dict(attrs))
        if tag == "input":
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "label" in self._open:
            self.labels[-1]["words"] += data

    def all(self, *tags: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.elements if tag in tags]

    def names(self) -> set[str]:
        return {str(one["name"]) for one in self.all("input", "textarea") if one.get("name")}


def made(*found: Methodology, pins: Mapping[tuple[str, str], Any] | None = None) -> dict[str, Page]:
    library = Library(found, lambda _id, _sha256: None, dict(pins or {}))
    return {page.path: page for page in forms(library)}


def pinned(*versions: str) -> dict[tuple[str, str], Any]:
    return {("rubric", version): SimpleNamespace(index=1, sha256="0" * 64) for version in versions}


def html_of(page: Page) -> str:
    return Renderer({"rubric": TRACK}).body(page)


def test_every_template_of_every_version_that_can_be_computed_has_a_form():
    found = made(*(rubric_record.rules(version) for version in RULES))
    by_version = {version: [path for path in found if path.endswith(f"/{version}/")] for version in RULES}
    assert {version: len(paths) for version, paths in by_version.items()} == {
        "1.0.0": 4,
        "1.1.0": 4,
        "1.2.0": 10,
        "1.3.0": 10,
        "2.0.0": 10,
    }
    assert "rubric/design-writing/evaluate/2.0.0/" in found


def test_what_this_release_cannot_compute_has_no_form():
    strange = rubric_sheets.rules()
    later = replace(strange, data=strange.data.model_copy(update={"engine": "rubric/9"}))
    bare = replace(strange, data=strange.data.model_copy(update={"instrument": None}))
    other = replace(strange, data=strange.data.model_copy(update={"track": "retrieval"}))
    assert made(later) == made(bare) == made(other) == {}


def expected_names(version: str) -> set[str]:
    """specs/rubric.md, "The sheet", as names of controls."""
    rules = RULES[version]
    names = {"agent.name", "agent.version", "agent.vendor", "session.n", "session.date"}
    names |= {
        f"evaluator.{key}" for key in ("name", "kind", "pass", "conflictOfInterest", "consentToPublish")
    }
    names |= {f"evaluator.model.{key}" for key in ("name", "promptSha256", "saw")}
    names |= {f"evaluator.model.falsePositiveProbe.{key}" for key in ("planted", "accepted")}
    shown = [f"universal.{name}" for name in DIMENSIONS] + [f"domain.{name}" for name in SCENARIOS]
    names |= {f"universal.{name}.{key}" for name in DIMENSIONS for key in ("score", "note")}
    for name in SCENARIOS:
        names.add(f"domain.{name}.questions.0.question")
        names |= {
            f"domain.{name}.questions.0.criteria.{criterion}.{key}"
            for criterion in CRITERIA
            for key in ("score", "note")
        }
    if rules.disclosures:
        names |= {"disclosures.repeatabilityTested", "disclosures.multiStep"}
    if rules.required_tests:
        names |= {f"tests.{test}.{key}" for test in TESTS for key in ("outcome", "note")}
        shown += [f"tests.{test}" for test in TESTS]
    return names | {f"{name}.evidence.0.{key}" for name in shown for key in ("excerpt", "file")}


@pytest.mark.parametrize("version", RULES)
def test_the_form_asks_exactly_what_a_sheet_of_its_version_holds(version: str):
    page = made(rubric_record.rules(version))[PATH.format(version)]
    html = html_of(page)
    reading = Reading(html)
    assert reading.names() == expected_names(version)
    (place,) = (one for one in reading.all("div") if one.get("data-module") == "evaluate")
    asked = json.loads(str(place["data-form"]))
    rules = RULES[version]
    assert asked["version"] == version
    assert asked["template"] == "customer-service"
    assert tuple(asked["tests"]) == (TESTS if rules.required_tests else ())
    assert [item["id"] for item in asked["criteria"]] == list(CRITERIA)
    assert asked["parameters"] == rubric_record.rules(version).data.parameters
    adds = {str(one["data-add"]) for one in reading.all("button") if "data-add" in one}
    assert ("domain.D1.questions" in adds) is rules.averaging


def test_radio_buttons_of_a_dimension_are_its_anchors_and_under_1_0_0_numbers():
    for version in ("1.0.0", "1.3.0"):
        rules = rubric_record.rules(version)
        assert rules.data.instrument is not None
        reading = Reading(html_of(made(rules)[PATH.format(version)]))
        for dimension in rules.data.instrument.dimensions:
            name = f"universal.{dimension.id}.score"
            told = {
                label["controls"][0]["value"]: " ".join(label["words"].split())
                for label in reading.labels
                if label["controls"] and label["controls"][0].get("name") == name
            }
            wanted = {
                level: f"{level} {' '.join(dimension.anchors[level].split())}" if dimension.anchors else level
                for level in "54321"
            }
            assert told == wanted
    assert not any(item.anchors for item in _instrument("1.0.0").dimensions)


def _instrument(version: str) -> Any:
    return rubric_record.rules(version).data.instrument


def test_a_page_without_script_holds_everything_to_read_and_says_what_to_do():
    page = made(rubric_record.rules("2.0.0"))[PATH.format("2.0.0")]
    html = html_of(page)
    words = " ".join(re.sub(r"<[^>]+>", " ", html).split())
    assert "This form needs JavaScript" in words
    assert "benchsite methodology new-sheet 2.0.0 customer-service" in words
    instrument = _instrument("2.0.0")
    template = instrument.template("customer-service")
    shown = [test.instruction for test in instrument.required_tests]
    shown += [test.desired for test in instrument.required_tests]
    shown += [item.text for item in instrument.disclosures]
    shown += [scenario.task for scenario in template.scenarios]
    shown += [scenario.look_for for scenario in template.scenarios if scenario.look_for]
    escaped = {"'": "&#39;", '"': "&#34;", "<": "&lt;", ">": "&gt;"}
    for text in shown:
        whole = " ".join(text.replace("&", "&amp;").translate(str.maketrans(escaped)).split())
        assert whole in " ".join(html.split())
    disabled = [one for one in Reading(html).all("fieldset") if "disabled" in one]
    assert len(disabled) == 1


@pytest.mark.parametrize("version", ["1.0.0", "2.0.0"])
def test_ids_are_unique_every_control_has_a_label_and_nothing_is_inline(version: str):
    html = html_of(made(rubric_record.rules(version))[PATH.format(version)])
    reading = Reading(html)
    ids = [str(one["id"]) for _, one in reading.elements if "id" in one]
    assert len(ids) == len(set(ids))
    labelled = {label["for"] for label in reading.labels}
    wrapped = {id(control) for label in reading.labels for control in label["controls"]}
    assert wrapped
    inside = [str(control.get("name")) for label in reading.labels for control in label["controls"]]
    for control in reading.all("input", "textarea"):
        assert control.get("id") in labelled or str(control.get("name")) in inside
    for described in (one["aria-describedby"] for _, one in reading.elements if "aria-describedby" in one):
        assert described in ids
    assert html.count("<fieldset") == html.count("<legend")
    assert not any(key == "style" or key.startswith("on") for _, one in reading.elements for key in one)
    assert not reading.all("script", "style")


def test_a_superseded_form_says_so_first_and_links_the_current_one():
    versions = [rubric_record.rules(version) for version in ("1.1.0", "1.3.0", "2.0.0")]
    found = made(*versions, pins=pinned("1.1.0", "1.3.0"))
    old = html_of(found[PATH.format("1.1.0")])
    assert "Superseded." in old
    assert old.index("Superseded.") < old.index("lede")
    assert 'href="../../../../rubric/customer-service/evaluate/1.3.0/"' in old
    assert "still accepted" in old
    assert "Superseded." not in html_of(found[PATH.format("1.3.0")])
    assert "Proposed." in html_of(found[PATH.format("2.0.0")])
    # Once the log pins 2.0.0, the same documents give another notice.
    after = made(*versions, pins=pinned("1.1.0", "1.3.0", "2.0.0"))
    assert 'evaluate/2.0.0/"' in html_of(after[PATH.format("1.3.0")])
    current = html_of(after[PATH.format("2.0.0")])
    assert "Proposed." not in current
    assert "Superseded." not in current


def test_a_current_version_without_the_template_or_not_on_disk_is_linked_as_a_document():
    old = rubric_sheets.rules("1.3.0")
    new = rubric_sheets.rules("2.0.0")
    assert new.data.instrument is not None
    fewer = new.data.instrument.model_copy(update={"templates": new.data.instrument.templates[1:]})
    without = replace(new, data=new.data.model_copy(update={"instrument": fewer}))
    for found in (made(old, without), made(old, pins=pinned("1.3.0", "2.0.0"))):
        html = html_of(found[PATH.format("1.3.0")])
        assert 'href="../../../../methodology/rubric/2.0.0/"' in html
        assert "evaluate/2.0.0" not in html


def test_hostile_words_in_a_methodology_stay_words():
    rules = rubric_sheets.rules()
    assert rules.data.instrument is not None
    said = "'\"><script>alert(1)</script>\u202e"
    first = rules.data.instrument.templates[0]
    criteria = (first.criteria[0].model_copy(update={"title": said}), *first.criteria[1:])
    template = first.model_copy(update={"title": said, "criteria": criteria})
    instrument = rules.data.instrument.model_copy(update={"templates": (template,)})
    page = made(replace(rules, data=rules.data.model_copy(update={"instrument": instrument})))
    html = html_of(page[PATH.format("1.3.0")])
    assert "<script" not in html
    assert "\u202e" not in html
    (place,) = (one for one in Reading(html).all("div") if one.get("data-module") == "evaluate")
    assert json.loads(str(place["data-form"]))["criteria"][0]["title"] == said


def test_the_page_says_how_many_sheets_its_version_takes_and_what_the_penalty_is():
    several = html_of(made(rubric_record.rules("2.0.0"))[PATH.format("2.0.0")])
    assert "requires at least three sessions with at least two sheets each" in several
    assert 'data-figure="penalty"' not in several
    fined = html_of(made(rubric_record.rules("1.3.0"))[PATH.format("1.3.0")])
    assert "penalty: − 10" in fined
    assert 'data-figure="penalty"' in fined
