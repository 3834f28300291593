from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from benchsite.history import Header, Rescore, Step, Verdict
from benchsite.site.checklist import Answer, checklist, defensible

IMAGES = {"v0.1.0": "sha256:" + "9c" * 32}


def header(**changes: Any) -> Header:
    base = Header(
        "a", "t", "p", "b", "s", 1, 3, Verdict.LOGGED, Rescore.MATCHES, (Step("signature", "pass", ""),)
    )
    from dataclasses import replace

    return replace(base, **changes)


def document(**changes: Any) -> Mapping[str, Any]:
    git = {"commit": "5e" * 20, "dirty": False, "tag": "v0.1.0"} | changes.pop("git", {})
    environment = {"containerImage": "registry.invalid/bench@sha256:" + "9c" * 32, "git": git} | changes
    return {"environment": environment, "determinism": None}


def answers(head: Header, body: Mapping[str, Any], *, here: bool = True) -> list[Answer]:
    return [line.answer for line in checklist(head, body, fixture_here=here, images=IMAGES)]


def test_five_hold_and_the_sixth_waits_for_somebody_elses_run():
    assert answers(header(), document()) == ["pass"] * 5 + ["unknown"]


@pytest.mark.parametrize(
    ("changes", "place", "answer"),
    [
        ({"git": {"tag": None}}, 0, "fail"),
        ({"git": {"tag": None, "commit": None}}, 0, "unknown"),
        ({"git": {"dirty": True}}, 1, "fail"),
        ({"git": {"dirty": None}}, 1, "unknown"),
        ({"containerImage": None}, 2, "unknown"),
        ({"containerImage": "registry.invalid/bench@sha256:" + "00" * 32}, 2, "unknown"),
    ],
)
def test_each_condition_is_answered_from_its_own_field(changes: dict[str, Any], place: int, answer: Answer):
    expected: list[Answer] = ["pass", "pass", "pass", "pass", "pass", "unknown"]
    expected[place] = answer
    assert answers(header(), document(**changes)) == expected


def test_an_absent_fixture_is_unknown_and_a_missing_signature_fails():
    found = answers(header(steps=()), document(), here=False)
    assert found[3:5] == ["unknown", "fail"]


def test_repeats_within_a_run_can_fail_the_sixth_and_never_pass_it():
    body = {**document(), "determinism": {"runs": 3, "identical": False, "differing": ["q1"]}}
    assert answers(header(), body)[5] == "fail"
    body = {**document(), "determinism": {"runs": 3, "identical": True, "differing": []}}
    assert answers(header(), body)[5] == "unknown"


def test_defensible_needs_all_six():
    lines = checklist(header(), document(), fixture_here=True, images=IMAGES)
    assert not defensible(lines)
    assert defensible(lines[:5])
