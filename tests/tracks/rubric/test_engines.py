from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from pydantic import ValidationError
from rubric_rules import RULES, published

from benchsite.errors import InputError, PrerequisiteError
from benchsite.methodology import Methodology
from benchsite.tracks.rubric.engines import ENGINES, SingleRules, known_rules, rules

# specs/rubric.md, "Versions": what each version brought; everything else is as in the version before.
STEPS: dict[str, dict[str, Any]] = {
    "1.0.0": {},
    "1.1.0": {"requiredTests": True, "disclosures": True, "averaging": True},
    "1.2.0": {},
    "1.3.0": {"penalty": 10, "repeatabilityShown": True},
    "2.0.0": {"penalty": 0, "sessions": 3, "sheets": 2, "evidence": True, "intervals": True},
}
FIRST: dict[str, Any] = {
    "universalWeight": "2/5",
    "domainWeight": "3/5",
    "lowest": 1,
    "highest": 5,
    "requiredTests": False,
    "disclosures": False,
    "averaging": False,
    "penalty": 0,
    "sessions": 1,
    "sheets": 1,
    "evidence": False,
    "intervals": False,
    "repeatabilityShown": False,
}
EDGES = {  # what `rubric/2` takes at the ends of each range
    "penalty": (0, 100),
    "sessions": (1, 20),
    "sheets": (1, 10),
    "requiredTests": (False, True),
    "disclosures": (False, True),
    "averaging": (False, True),
    "evidence": (False, True),
    "intervals": (False, True),
    "repeatabilityShown": (False, True),
}


def stating(version: str = "2.1.0", engine: str = "rubric/2", **parameters: Any) -> Methodology:
    """A document like 2.0.0 with other parameters."""
    whole = published("2.0.0")
    data = whole.data.model_copy(
        update={"version": version, "engine": engine, "parameters": whole.data.parameters | parameters}
    )
    return dataclasses.replace(whole, data=data)


def test_each_version_demands_what_the_one_before_did_and_what_it_brought():
    demanded = dict(FIRST)
    assert list(RULES) == list(STEPS)
    for version, step in STEPS.items():
        demanded |= step
        assert RULES[version].model_dump(by_alias=True) == demanded, version


def test_versions_1_x_are_of_the_engine_that_asks_for_one_sheet():
    assert {version: type(found) is SingleRules for version, found in RULES.items()} == {
        version: version != "2.0.0" for version in STEPS
    }


@pytest.mark.parametrize(("name", "ends"), EDGES.items())
def test_every_parameter_may_be_set_within_its_range(name: str, ends: tuple[Any, Any]):
    for value in ends:
        assert rules(stating(**{name: value})).model_dump(by_alias=True)[name] == value


@pytest.mark.parametrize(
    ("universal", "domain"),
    [("1/2", "1/2"), ("0/1", "1/1"), ("1/1", "0/3"), ("2/6", "4/6"), ("1/9999", "9998/9999")],
)
def test_weights_are_fractions_that_add_up_to_1(universal: str, domain: str):
    found = rules(stating(universalWeight=universal, domainWeight=domain))
    assert (found.universal_weight, found.domain_weight) == (universal, domain)


OUT_OF_RANGE = [
    *({"penalty": value} for value in (-1, 101, 10.0, "10", True, None)),
    *({"sessions": value} for value in (0, 21, 3.0, "3", True)),
    *({"sheets": value} for value in (0, 11, 2.0, False)),
    *({name: value} for name in ("evidence", "intervals", "averaging") for value in (0, 1, "true", None)),
    *({"lowest": value} for value in (0, 2, True)),
    *({"highest": value} for value in (4, 10, 5.0)),
    *(
        {"universalWeight": universal, "domainWeight": domain}
        for universal, domain in (
            *(("1/2", "2/5"), ("-1/5", "6/5"), ("6/5", "-1/5"), ("0.4", "0.6"), ("2/5", "3/0"), (0.4, 0.6)),
            *(("02/5", "3/5"), ("2/5 ", "3/5"), ("20000/50000", "3/5"), ("2/5", None)),
        )
    ),
    {"mood": "good"},
]


@pytest.mark.parametrize("parameters", OUT_OF_RANGE, ids=str)
@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_out_of_range_is_refused(engine: str, parameters: dict[str, Any]):
    single = published("1.3.0").data.parameters
    with pytest.raises(ValidationError):
        ENGINES[engine].model_validate(single | parameters)


@pytest.mark.parametrize("missing", FIRST)
def test_every_parameter_is_stated(missing: str):
    stated = {name: value for name, value in FIRST.items() if name != missing}
    for engine in ENGINES.values():
        with pytest.raises(ValidationError, match="Field required"):
            engine.model_validate(stated)


@pytest.mark.parametrize(
    "parameters", [{"sessions": 2}, {"sheets": 2}, {"evidence": True}, {"intervals": True}, {"evidence": 0}]
)
def test_the_engine_of_1_x_asks_for_one_sheet(parameters: dict[str, Any]):
    with pytest.raises(ValidationError):
        ENGINES["rubric/1"].model_validate(FIRST | parameters)


def test_an_unknown_engine_and_unknown_parameters_are_refused():
    with pytest.raises(PrerequisiteError, match="engine 'rubric/9'"):
        rules(stating("9.0.0", "rubric/9"))
    with pytest.raises(InputError, match=r"parameters\.penalty: .*1 more"):
        rules(stating(penalty=200, sessions=0))
    assert known_rules(stating("9.0.0", "rubric/9")) is known_rules(None) is None


@pytest.mark.parametrize(
    ("weights", "shares"),
    [
        (("2/5", "3/5"), ("40%", "60%")),
        (("1/3", "2/3"), ("1/3", "2/3")),
        (("0/1", "4/4"), ("0%", "100%")),
    ],
)
def test_a_share_is_told_in_percent_where_it_is_whole(weights: tuple[str, str], shares: tuple[str, str]):
    found = rules(stating(universalWeight=weights[0], domainWeight=weights[1]))
    assert (found.universal_share, found.domain_share) == shares


def test_rules_do_not_change():
    with pytest.raises(ValidationError):
        RULES["1.3.0"].penalty = 0  # type: ignore[misc]
