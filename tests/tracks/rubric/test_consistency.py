from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from rubric_findings import Document, Edit, codes, edited, messages
from rubric_receipts import EXCERPT, TRANSCRIPT, cited, loose, pinned
from rubric_rules import RULES

from benchsite.tracks.rubric.sentences import MESSAGES


def test_a_day_counts_once_it_has_begun_anywhere_on_earth():
    """12:00 in UTC is 02:00 of the next day at UTC+14, and 09:59 is 23:59 of the same."""
    document = edited("2.0.0", lambda d: d["sheets"][5].update(date="2026-05-05"))
    assert codes(document) == []
    document["ranAt"] = "2026-05-04T09:59:59Z"
    assert codes(document) == [("date-ahead", "sheets[5].date")]


def resting_on(*documents: str, own: Callable[[int], list[Document]]) -> Edit:
    """Every sheet cites what `own` gives for its session, and nothing else; the receipt pins these documents."""

    def edit(document: Document) -> None:
        document["evidence"] = [pinned(text) for text in documents]
        for part in ("universal", "domain", "requiredTests"):
            for ratings in document[part].values():
                for sheet, rating in zip(document["sheets"], ratings, strict=True):
                    rating["evidence"] = own(sheet["session"])

    return edit


def quoting(session: int) -> list[Document]:
    """Another sentence of the one transcript for each session."""
    return [cited(TRANSCRIPT.split()[session], TRANSCRIPT)]


ONE = cited(None, TRANSCRIPT)
SHARED = [  # what the sessions cite, and those of them that have nothing of their own
    (resting_on(TRANSCRIPT, own=lambda _: [ONE]), "1, 2, 3"),
    (resting_on(TRANSCRIPT, own=quoting), "1, 2, 3"),
    (resting_on(own=lambda _: [loose()]), "1, 2, 3"),
    (resting_on(own=lambda session: [loose("SAME\u00a0words" + " " * session)]), "1, 2, 3"),
    (resting_on(TRANSCRIPT, own=lambda session: [ONE, loose(f"of session {session}")]), "1, 2, 3"),
    (resting_on(TRANSCRIPT, "2", "3", own=lambda n: [ONE] + [cited(None, str(n))] * (n > 1)), "1"),
    (resting_on("1", "2", own=lambda n: [cited(None, text) for text in "12" if text != str(n)]), "1, 2, 3"),
    (
        resting_on(TRANSCRIPT, own=lambda n: [cited()] if n == 1 else [loose(("", EXCERPT, "own")[n - 1])]),
        "2",
    ),
]


@pytest.mark.parametrize("version", ["1.3.0", "2.0.0"])
@pytest.mark.parametrize(("edit", "alone"), SHARED)
def test_sessions_that_show_repeatability_rest_on_transcripts_of_their_own(version, edit, alone):
    document = edited(version, edit)
    assert codes(document) == [("sessions-alike", f"sheets[{2 * int(alone[0]) - 2}].session")]
    assert f"Session {alone} cites no document that no other session cites" in messages(document)
    assert f"rubric {version} requires separate transcripts" in messages(document)
    assert codes(edited("1.2.0", edit)) == []


OWN = [
    resting_on("1", "2", "3", own=lambda session: [cited(None, str(session))]),
    resting_on(TRANSCRIPT, "1", "2", "3", own=lambda session: [ONE, cited(None, str(session))]),
    resting_on(own=lambda session: [loose(), loose(f"of session {session}")]),
    resting_on(TRANSCRIPT, own=lambda session: [ONE] if session == 2 else [loose(f"of session {session}")]),
]


@pytest.mark.parametrize("version", ["1.3.0", "2.0.0"])
@pytest.mark.parametrize("edit", OWN)
def test_one_document_or_quotation_of_its_own_is_enough(version, edit):
    assert codes(edited(version, edit)) == []


def test_a_session_without_evidence_rests_on_nothing():
    """Under 1.3.0 evidence need not be given, and where a session has none, none is compared."""
    edit = resting_on(TRANSCRIPT, own=lambda session: [ONE] if session < 3 else [])
    assert codes(edited("1.3.0", edit)) == []
    document = edited("2.0.0", edit)
    assert codes(document)[0] == ("sessions-alike", "sheets[0].session")
    assert "Session 1, 2, 3 cites no document" in messages(document)
    assert {code for code, _ in codes(document)[1:]} == {"evidence-missing"}


def asking(*questions: tuple[str, ...]) -> Edit:
    """The questions of D3 in each session."""

    def edit(document: Document) -> None:
        for sheet, rating in zip(document["sheets"], document["domain"]["D3"], strict=True):
            (question,) = rating["questions"]
            texts = questions[sheet["session"] - 1]
            rating["questions"] = [{**question, "question": text} for text in texts]

    return edit


@pytest.mark.parametrize("version", ["1.3.0", "2.0.0"])
@pytest.mark.parametrize(
    ("questions", "others"),
    [
        ((("a", "b"), ("a", "b"), ("a", "c")), "3"),
        ((("a", "b"), ("c", "d"), ("e", "f")), "2, 3"),
        ((("a", "b"), ("a", "b", "c"), ("a", "b")), "2"),
    ],
)
def test_repeatability_is_shown_by_the_same_questions(version, questions, others):
    """Methodology 1.3.0, section 7, and 2.0.0, section 3."""
    document = edited(version, asking(*questions))
    assert codes(document) == [("questions-not-repeated", f"domain.D3[{2 * int(others[0]) - 2}].questions")]
    assert f"D3: session {others} has other questions than session 1. Under rubric {version}" in messages(
        document
    )
    assert codes(edited("1.2.0", asking(*questions))) == []


@pytest.mark.parametrize("version", ["1.3.0", "2.0.0"])
def test_the_same_questions_may_be_asked_in_another_order(version):
    assert codes(edited(version, asking(("a", "b"), ("B ", "a"), ("A", "b")))) == []


def test_where_repeatability_is_not_claimed_questions_may_differ():
    document = edited("1.3.0", asking(("a", "b"), ("c", "d"), ("e", "f")))
    document["disclosures"]["repeatabilityTested"] = False
    assert codes(document) == [("repeatability-unfounded", "disclosures.repeatabilityTested")]


ALWAYS = frozenset(RULES)
SHOWN = frozenset({"1.3.0", "2.0.0"})
SINCE_1_1_0 = ALWAYS - {"1.0.0"}
LATEST = frozenset({"2.0.0"})
REFUSED = {  # for each code the versions that know it, and the words by which their texts announce it
    "evaluator-without-sheet": (ALWAYS, "an evaluator without a sheet"),
    "evaluator-twice": (ALWAYS, "two evaluators with the same name"),
    "model-missing": (ALWAYS, "a model evaluator without a model description"),
    "model-unknown": (ALWAYS, "a human evaluator with one"),
    "probe-impossible": (ALWAYS, "a false-positive probe that accepted more answers than were planted"),
    "sheets-unordered": (ALWAYS, "not sorted by session, evaluator's name and pass"),
    "sheet-twice": (ALWAYS, "two have the same evaluator, pass and session"),
    "session-missing": (ALWAYS, "sessions are not numbered from 1 without gaps"),
    "too-few-sessions": (LATEST, "fewer than three sessions"),
    "too-few-sheets": (LATEST, "a session has fewer than two sheets"),
    "text-blank": (
        ALWAYS,
        "a blank name, version, vendor, model description or conflict-of-interest statement",
    ),
    "pass-missing": (
        ALWAYS,
        "an evaluator's passes over a session that are not numbered from 1 without gaps",
    ),
    "date-unknown": (ALWAYS, "a session date that is invalid"),
    "date-ahead": (ALWAYS, "in the future in every time zone"),
    "sheet-repeated": (ALWAYS, "a sheet listed twice"),
    "question-twice": (ALWAYS, "a question twice in a scenario"),
    "questions-differ": (ALWAYS, "sheets of one session with different questions or a different order"),
    "questions-not-repeated": (SHOWN, "the same in all sessions"),
    "sessions-alike": (SHOWN, "at least one document that no other session cites"),
    "tests-missing": (SINCE_1_1_0, "required test or disclosure is missing"),
    "tests-unknown": (
        ALWAYS - SINCE_1_1_0,
        "it has a required test or disclosure, which this version doesn't have",
    ),
    "disclosure-missing": (SINCE_1_1_0, "required test or disclosure is missing"),
    "disclosure-unknown": (ALWAYS - SINCE_1_1_0, "disclosure, which this version doesn't have"),
    "repeatability-unfounded": (SHOWN, "the repeatability disclosure does not match the sessions"),
    "averaging-unknown": (
        ALWAYS - SINCE_1_1_0,
        "several questions are averaged, which this version doesn't allow",
    ),
    "note-missing": (LATEST, "a note or evidence required by section 5 is missing"),
    "evidence-missing": (LATEST, "a note or evidence required by section 5 is missing"),
    "evidence-unknown": (ALWAYS, "evidence that is neither a document of the receipt nor a quote"),
}


def text(version: str) -> str:
    folder = Path(__file__).parents[3] / "methodology" / "rubric" / version
    return " ".join((folder / "text.md").read_text(encoding="utf-8").split())


@pytest.mark.parametrize("version", RULES)
def test_whatever_a_version_refuses_stands_in_its_text(version):
    """Of a violation is said that the version would not have accepted the receipt: so its text must say it first."""
    words = text(version)
    assert [
        code for code, (known, said) in REFUSED.items() if (said in words) is not (version in known)
    ] == []


def test_every_finding_is_announced():
    assert {name.partition("/")[0] for name in MESSAGES} == REFUSED.keys()


BETWEEN_SESSIONS = "; so are quotes of different sessions"
CLOSING = "are rejected when the receipt is made."


def test_what_all_versions_refuse_they_refuse_in_the_same_words():
    """But for the words of different sessions, which only some versions compare."""
    said = {one: re.search(rf"All versions also reject.*? {CLOSING}", text(one))[0] for one in RULES}
    assert {one for one, words in said.items() if BETWEEN_SESSIONS in words} == SHOWN
    assert len({words.replace(BETWEEN_SESSIONS, "") for words in said.values()}) == 1


def test_the_texts_tell_which_comparison_is_by_letter_and_what_a_receipt_cannot_show():
    """`source` looks for an excerpt letter by letter; where it stands cannot be told from a receipt."""
    for version in RULES:
        words = text(version)
        assert "A quote must match its document exactly" in words
        assert "Faults that the receipt itself shows are also rejected in the receipt" in words
        assert "All of this holds for a receipt" not in words
        assert "on a sheet, a name" not in words
