"""The names that people write for systems, and the one that a receipt has."""

from __future__ import annotations

import pytest

from benchsite.plugins import subjects
from benchsite.tracks.agents import TRACK
from benchsite.tracks.agents.systems import names


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ("sas", "sas"),
        ("single_agent", "sas"),
        ("single-agent", "sas"),
        ("only_voting", "only-voting"),
        ("voting", "only-voting"),
        ("majority_voting", "only-voting"),
        ("fully_connected_debate", "fully-linked-debate"),
        ("fully_linked_debate", "fully-linked-debate"),
        ("orchestrator_tree_structure", "orchestrator-tree-structure"),
        ("sas_retry", "sas-retry"),
        ("auto", "sas"),
    ],
)
def test_a_name_of_the_specification_is_resolved_to_the_slug(written: str, named: str) -> None:
    assert names.resolve(written) == named


def test_auto_is_a_team_for_more_than_one_agent() -> None:
    assert [names.resolve("auto", agents=n) for n in (None, 1, 2)] == [
        "sas",
        "sas",
        "orchestrator-no-discussion",
    ]


@pytest.mark.parametrize("written", ["null", "my_system", "command:./my_system", ""])
def test_other_names_are_left_as_they_are(written: str) -> None:
    assert names.resolve(written) == written


def test_every_alias_names_an_installed_system() -> None:
    installed = set(subjects(TRACK.groups["system"]))
    assert {*names.ALIASES.values(), *names.TEAMS} <= installed
