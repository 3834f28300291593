from __future__ import annotations

from dataclasses import asdict

import pytest

from benchsite.tracks.rubric.rules import DOMAIN_WEIGHT, RULES, UNIVERSAL_WEIGHT, Rules, parameters

# specs/rubric.md, "Versions": what each version brought; everything else is as in the version before.
STEPS = {
    "1.0.0": {},
    "1.1.0": {"required_tests": True, "disclosures": True, "averaging": True},
    "1.2.0": {},
    "1.3.0": {"penalty": 10, "repeatability_shown": True},
    "2.0.0": {"penalty": 0, "sessions": 3, "sheets": 2, "evidence": True, "intervals": True},
}
FIRST = {
    "required_tests": False,
    "disclosures": False,
    "averaging": False,
    "penalty": 0,
    "sessions": 1,
    "sheets": 1,
    "evidence": False,
    "intervals": False,
    "repeatability_shown": False,
}


def test_each_version_demands_what_the_one_before_did_and_what_it_brought():
    demanded = dict(FIRST)
    assert list(RULES) == list(STEPS)
    for version, step in STEPS.items():
        demanded |= step
        assert asdict(RULES[version]) == demanded, version


def test_the_composite_is_two_fifths_and_three_fifths():
    assert (UNIVERSAL_WEIGHT * 100, DOMAIN_WEIGHT * 100) == (40, 60)


def test_a_document_states_the_same_numbers():
    assert parameters("1.3.0") == {
        "universalWeight": "2/5",
        "domainWeight": "3/5",
        "lowest": 1,
        "highest": 5,
        "requiredTests": True,
        "disclosures": True,
        "averaging": True,
        "penalty": 10,
        "sessions": 1,
        "sheets": 1,
        "evidence": False,
        "intervals": False,
        "repeatabilityShown": True,
    }
    assert parameters("9.9.9") is None


def test_rules_do_not_change():
    with pytest.raises(AttributeError):
        RULES["1.3.0"].penalty = 0  # type: ignore[misc]
    assert Rules() == RULES["1.1.0"]
