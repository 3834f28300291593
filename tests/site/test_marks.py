from __future__ import annotations

from dataclasses import replace

import pytest

from benchsite.history import Header, Rescore, State, Step, Verdict
from benchsite.site import marks


def header(verdict: Verdict = Verdict.LOGGED, index: int | None = 1187, **steps: tuple[State, str]) -> Header:
    found = tuple(Step(name.replace("_", "-"), state, detail) for name, (state, detail) in steps.items())
    return Header("a", "retrieval", "p", "b", "s", 1, index, verdict, Rescore.MATCHES, found)


def test_every_verdict_outcome_and_state_has_a_glyph_a_word_and_a_tone():
    assert set(marks.VERDICTS) == set(Verdict)
    assert set(marks.RESCORES) == set(Rescore)
    for mark in (*marks.VERDICTS.values(), *marks.RESCORES.values(), *marks.STATES.values()):
        assert mark.glyph
        assert mark.word
        assert mark.tone


@pytest.mark.parametrize("verdict", [Verdict.UNSUPPORTED, Verdict.UNKNOWN_SIGNER])
def test_what_cannot_be_checked_is_never_shown_as_wrong(verdict: Verdict):
    assert marks.VERDICTS[verdict].tone != "bad"


def test_the_three_answers_of_a_good_receipt():
    good = header(
        signature=("pass", ""),
        re_score=(
            "pass",
            "all values that a browser can recompute are equal (18); benchsite rescore recomputes all 20",
        ),
    )
    assert [(check.name, check.mark.word, check.sentence) for check in marks.checks(good)] == [
        ("Signature", "valid", "Signed with a key of this site; covers every field."),
        ("Log", "logged", "Entry 1,187 of the log, unchanged since."),
        (
            "Re-score",
            "matches",
            "All values that a browser can recompute are equal (18); benchsite rescore recomputes all 20.",
        ),
    ]


def test_each_answer_fails_alone():
    differs = replace(
        header(signature=("pass", ""), re_score=("fail", "ndcg_at_10: recorded 1, recomputed 0")),
        rescore=Rescore.DIFFERS,
    )
    signature, log, rescore = marks.checks(differs)
    assert (signature.mark.tone, log.mark.tone, rescore.mark.tone) == ("good", "good", "bad")
    assert rescore.sentence == "Ndcg_at_10: recorded 1, recomputed 0."


def test_a_receipt_outside_the_log_says_so():
    _, log, _ = marks.checks(header(Verdict.SIGNED_ONLY, index=None, signature=("pass", "")))
    assert log.mark.word == "not in the log"


def test_a_bad_signature_and_an_unreached_one_are_told_apart():
    failed, _, _ = marks.checks(header(signature=("fail", "the signature does not match")))
    assert (failed.mark.tone, failed.sentence) == ("bad", "The signature does not match.")
    unreached, _, _ = marks.checks(header(parse=("fail", "not JSON")))
    assert unreached.mark.word == "not checked"


def test_the_size_of_the_log_is_no_part_of_an_answer():
    step = Step("log", "pass", "entry 5 (of 0–6) in x; included under the signed root")
    one = header(signature=("pass", ""))
    other = replace(one, steps=(*one.steps, step))
    assert marks.checks(one) == marks.checks(other)
