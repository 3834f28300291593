from __future__ import annotations

import re

import pytest
import rubric_sheets
from hypothesis import given
from hypothesis import strategies as st
from rubric_rules import RULES, published

from benchsite import yaml_document
from benchsite.errors import InputError
from benchsite.tracks.rubric import join
from benchsite.tracks.rubric.new_sheet import blank, quoted

VERSIONS = sorted(RULES)


def filled(text: str) -> str:
    """What an evaluator makes of a blank, by hand: an entry in every empty place."""
    values = {
        "kind": "human",
        "consentToPublish": "true",
        "date": "2026-11-20",
        "repeatabilityTested": "true",
        "multiStep": "multi-turn",
        "outcome": "partial",
        "score": "3",
    }
    for key, value in values.items():
        text = re.sub(rf"(?m)^( *{key}:)$", rf"\1 {value}", text)
    text = re.sub(r'(?m)^( *)(\w+): ""(  # required)?$', r"\1\2: said", text)
    return re.sub(r"(?m)^( *evidence:) \[\].*$", r'\1 [{excerpt: "words"}]', text)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_blank_of_every_published_template_filled_in_is_a_sheet(version: str) -> None:
    rules = published(version)
    assert rules.data.instrument is not None
    for template in rules.data.instrument.templates:
        text = filled(blank(rules, template))
        found = join.parse(text.encode(), where="a.yaml", methodology=rules)
        assert (found.methodology, found.template) == (version, template.slug)
        assert found.universal.u3.score == 3
        assert set(found.domain.d5.criteria or {}) == {item.id for item in template.criteria}
        assert (found.required_tests is None) == (not RULES[version].required_tests)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_blank_asks_for_every_score(version: str) -> None:
    rules = rubric_sheets.rules(version)
    assert rules.data.instrument is not None
    text = blank(rules, rules.data.instrument.templates[0])
    assert len(re.findall(r"(?m)^ +score:$", text)) == 6 + 5 * 3
    with pytest.raises(InputError) as caught:
        join.parse(text.encode(), where="a.yaml", methodology=rules)
    assert "is empty: rubric " + version in caught.value.message


def test_what_an_evaluator_reads_stands_above_the_place_it_is_about() -> None:
    rules = rubric_sheets.rules("2.0.0")
    assert rules.data.instrument is not None
    lines = blank(rules, rules.data.instrument.templates[0]).splitlines()
    start = lines.index("  U2:")
    assert lines[start - 1] == "  # Task. Does it?"
    assert lines[start + 1 : start + 7] == [
        *(f"    # {level}: What {level} means" for level in (1, 2, 3, 4, 5)),
        "    score:",
    ]
    test = lines.index("  invalidInput:")
    assert lines[test - 3 : test] == [
        "  # invalidInput. Ask.",
        "  # Pass if: Well.",
        "  # Fail if: Badly.",
    ]
    assert lines.count("    evidence: []  # required") == 6 + 5


def test_no_prose_can_end_its_comment() -> None:
    rules = rubric_sheets.rules("1.0.0")
    instrument = rules.data.instrument
    assert instrument is not None
    template = instrument.templates[0]
    hostile = template.scenarios[0].model_copy(
        update={"task": "a\nmethodology: 9\u2028x\x85y\x07" + "z" * 300}
    )
    text = blank(rules, template.model_copy(update={"scenarios": (hostile, *template.scenarios[1:])}))
    assert yaml_document.load(text.encode(), "a.yaml", tags="refused").value["methodology"] == "1.0.0"
    assert all(line.isprintable() for line in text.splitlines())


@given(st.text(st.characters(exclude_categories=("Cs",))))
def test_any_text_is_one_scalar(text: str) -> None:
    assert yaml_document.load(f"a: {quoted(text)}\n".encode(), "a.yaml").value == {"a": text}


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain", '"plain"'),
        ('say "no"\\', r'"say \"no\"\\"'),
        ("a\nb\tc", r'"a\nb\tc"'),
        ("\x85\u2028\ufeff\u202e", r'"\u0085\u2028\uFEFF\u202E"'),
        ("naïve 🙂", '"naïve 🙂"'),
        ("\U000e0001", r'"\U000E0001"'),
    ],
)
def test_only_what_a_reader_would_not_see_is_escaped(text: str, written: str) -> None:
    assert quoted(text) == written
