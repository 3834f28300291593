from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from benchsite.history import Header, Outcome, Reproduction, Rescore, Step, Verdict
from benchsite.site.checklist import Answer, checklist, passing
from benchsite.tracks.retrieval.pages.board import LEADERBOARD

DIGEST = "sha256:" + "9c" * 32
OTHER = "sha256:" + "00" * 32
IMAGES = {"v0.1.0": DIGEST}


def header(**changes: Any) -> Header:
    base = Header(
        "a", "t", "p", "b", "s", 1, 3, Verdict.LOGGED, Rescore.MATCHES, (Step("signature", "pass", ""),)
    )
    from dataclasses import replace

    return replace(base, **changes)


def document(**changes: Any) -> Mapping[str, Any]:
    git = {"commit": "5e" * 20, "dirty": False, "tag": "v0.1.0"} | changes.pop("git", {})
    environment = {"containerImage": "registry.invalid/bench@" + DIGEST, "git": git} | changes
    return {
        "schemaVersion": "1.0.0",
        "benchVersion": "0.1.0",
        "environment": environment,
        "determinism": None,
    }


def answers(head: Header, body: Mapping[str, Any], *, here: bool = True) -> list[Answer]:
    return [line.answer for line in checklist(head, body, LEADERBOARD, here=here, images=IMAGES)]


def test_five_pass_and_the_sixth_needs_an_independent_run():
    assert answers(header(), document()) == ["pass"] * 5 + ["not checked"]


@pytest.mark.parametrize(
    ("changes", "place", "answer"),
    [
        ({"git": {"dirty": True}}, 1, "fail"),
        ({"git": {"dirty": None}}, 1, "not checked"),
        ({"containerImage": None}, 2, "not checked"),
        ({"containerImage": "registry.invalid/bench@" + OTHER}, 2, "fail"),
        ({"containerImage": "registry.invalid/bench:0.1.0"}, 2, "not checked"),
        ({"containerImage": "registry.invalid/bench@sha256:9c"}, 2, "not checked"),
    ],
)
def test_each_condition_is_answered_from_its_own_field(changes: dict[str, Any], place: int, answer: Answer):
    expected: list[Answer] = ["pass", "pass", "pass", "pass", "pass", "not checked"]
    expected[place] = answer
    assert answers(header(), document(**changes)) == expected


@pytest.mark.parametrize(
    ("git", "image", "answer"),
    [
        ({"tag": "v0.1.0"}, None, "pass"),
        ({"tag": "v0.2.0"}, None, "not checked"),  # a tag of the instance is no release of benchsite
        ({"tag": "submission-3"}, None, "not checked"),
        ({"tag": None}, None, "not checked"),
        ({"tag": None, "commit": None}, None, "not checked"),
        ({"tag": None}, DIGEST, "pass"),  # the wheel in the announced image is the release
        ({"tag": None}, OTHER, "not checked"),
    ],
)
def test_the_code_is_a_release_by_its_own_tag_or_its_own_image(
    git: dict[str, Any], image: str | None, answer: Answer
):
    found = checklist(
        header(), document(git=git, containerImage=image), LEADERBOARD, here=True, images=IMAGES
    )
    assert found[0].answer == answer
    if git.get("commit", "5e") and not found[0].sentence.startswith("The run used"):
        assert found[0].sentence.startswith("The instance commit 5e5e5e5e has ")
    if answer == "not checked":
        assert "benchsite reported version 0.1.0" in found[0].sentence


def test_the_seed_recorded_the_benchmarks_own_checkout():
    """Schema 0.0.1: `git` is the benchmark's, so a commit without the release's tag is no release."""
    body = {key: value for key, value in document(git={"tag": None}).items() if key != "schemaVersion"}
    body["environment"]["containerImage"] = None
    assert answers(header(), body)[0] == "fail"


@pytest.mark.parametrize(
    ("recorded", "announced", "answer"),
    [
        (f"registry.invalid/bench@{DIGEST}", {"v0.1.0": f"mirror.invalid/bench@{DIGEST}"}, "pass"),
        (DIGEST, {"v0.1.0": DIGEST}, "pass"),
        (DIGEST, {"v0.1.0": ""}, "not checked"),  # an empty announcement is the end of every text
        (DIGEST, {"v0.1.0": "9c"}, "not checked"),
        (DIGEST, {"v0.2.0": DIGEST}, "not checked"),  # announced for another release
        (f"{DIGEST}00", {"v0.1.0": DIGEST}, "not checked"),
        (f"x{DIGEST}", {"v0.1.0": DIGEST}, "not checked"),
    ],
)
def test_an_image_is_compared_by_its_whole_digest_under_its_own_tag(
    recorded: str, announced: dict[str, str], answer: Answer
):
    body = document(containerImage=recorded)
    assert checklist(header(), body, LEADERBOARD, here=True, images=announced)[2].answer == answer


def copy(outcome: Outcome, runner: str = "maintainer somebody") -> Reproduction:
    return Reproduction("0f8fad5b-d9cb-469f-a165-70867728950e", runner, outcome)


@pytest.mark.parametrize(
    ("outcomes", "answer"),
    [
        (("identical",), "pass"),
        (("differs",), "fail"),
        (("other source",), "not checked"),
        (("identical", "differs"), "fail"),
        (("differs", "identical"), "fail"),
        (("other source", "identical"), "pass"),
    ],
)
def test_reproductions_decide_the_sixth(outcomes: tuple[Outcome, ...], answer: Answer):
    assert answers(header(reproduced_by=tuple(map(copy, outcomes))), document())[5] == answer


@pytest.mark.parametrize(
    ("runner", "said"),
    [
        (
            "maintainer me",
            "me reproduced it in receipt 0f8fad5b with bit-exact scores; the original run has the same name",
        ),
        (
            "workflow you",
            "you reproduced it in receipt 0f8fad5b with bit-exact scores; original run: me",
        ),
    ],
)
def test_the_sixth_names_who_reproduced_whose_run(runner: str, said: str):
    body = {**document(), "ranBy": {"kind": "maintainer", "name": "me"}}
    lines = checklist(
        header(reproduced_by=(copy("identical", runner),)), body, LEADERBOARD, here=True, images=IMAGES
    )
    assert lines[5].sentence.startswith(said)
    assert passing(lines) == 6


def sixth(*copies: Reproduction, **changes: Any) -> tuple[Answer, str]:
    body = {**document(), "ranBy": {"kind": "maintainer", "name": "me"}, **changes}
    line = checklist(header(reproduced_by=copies), body, LEADERBOARD, here=True, images=IMAGES)[5]
    return line.answer, line.sentence


def test_a_submitted_reproduction_is_reported_and_passes_nothing():
    assert sixth(copy("identical", "submitted Famous Lab")) == (
        "not checked",
        "Famous Lab submitted reproduction 0f8fad5b with the same scores; this site did not observe that run.",
    )


def test_a_stranger_can_neither_fail_a_result_nor_take_its_pass_away():
    against = (
        "Famous Lab submitted reproduction 0f8fad5b with different scores; "
        "this site did not observe that run."
    )
    stranger = copy("differs", "submitted Famous Lab")
    assert sixth(stranger) == ("not checked", against)
    for copies in ((stranger, copy("identical")), (copy("identical"), stranger)):
        answer, said = sixth(*copies)
        assert answer == "pass"
        assert said.startswith("somebody reproduced it in receipt 0f8fad5b with bit-exact scores")
        assert said.endswith(against)


def test_a_stranger_cannot_turn_a_fail_into_anything_else():
    stranger = copy("identical", "submitted Famous Lab")
    assert sixth(copy("differs"), stranger)[0] == "fail"
    assert sixth(stranger, determinism={"runs": 2, "identical": False, "differing": ["q1"]})[0] == "fail"


def test_strangers_who_contradict_each_other_are_both_told():
    answer, said = sixth(copy("identical", "submitted a"), copy("differs", "submitted b"))
    assert answer == "not checked"
    assert said.startswith("b submitted reproduction 0f8fad5b with different scores;")
    assert "a submitted reproduction 0f8fad5b with the same scores;" in said


def test_a_run_sent_by_somebody_passes_when_a_maintainer_repeats_it():
    answer, said = sixth(
        copy("identical", "maintainer us"), ranBy={"kind": "submitted", "name": "a stranger"}
    )
    assert (answer, said.endswith("original run: a stranger.")) == ("pass", True)


def test_another_source_proves_nothing_whoever_ran_it():
    mine, theirs = sixth(copy("other source")), sixth(copy("other source", "submitted a stranger"))
    assert mine == theirs
    assert mine[0] == "not checked"


def test_repeats_that_differ_within_a_run_outweigh_an_identical_reproduction():
    body = {**document(), "determinism": {"runs": 3, "identical": False, "differing": ["q1"]}}
    assert answers(header(reproduced_by=(copy("identical"),)), body)[5] == "fail"


def test_repeats_that_differ_state_how_far_the_score_moved():
    differing = {"runs": 2, "identical": False, "differing": ["q1"], "ndcgLow": 0.4131, "ndcgHigh": 0.4142}
    assert sixth(copy("identical"), determinism=differing) == (
        "fail",
        "Repeats within this run gave different results: nDCG from 0.413 to 0.414.",
    )


def test_an_absent_fixture_is_not_checked_and_a_missing_signature_fails():
    found = answers(header(steps=()), document(), here=False)
    assert found[3:5] == ["not checked", "fail"]
    condition = checklist(header(), document(), LEADERBOARD, here=False, images=IMAGES)[3]
    # The license alone may hide it, so its absence is not asserted.
    assert "not in this repository, or its license" in condition.sentence


def test_repeats_within_a_run_can_fail_the_sixth_and_never_pass_it():
    body = {**document(), "determinism": {"runs": 3, "identical": False, "differing": ["q1"]}}
    assert answers(header(), body)[5] == "fail"
    body = {**document(), "determinism": {"runs": 3, "identical": True, "differing": []}}
    assert answers(header(), body)[5] == "not checked"


def test_reproducible_needs_all_six():
    lines = checklist(header(), document(), LEADERBOARD, here=True, images=IMAGES)
    assert passing(lines) == 5
    assert passing(lines[:5]) == 5
