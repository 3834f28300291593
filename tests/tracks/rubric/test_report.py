"""What a report says, as values: the composite and where it comes from, who scored, who agreed, what can be repeated."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest
from rubric_receipts import LOOSE, PASSES, SIX, TRANSCRIPT, Said, pinned, uniform
from rubric_record import RubricRecord, renders

from benchsite import canonical
from benchsite.addresses import evidence_page_path
from benchsite.tracks.rubric import ratings
from benchsite.tracks.rubric.receipt_page import Report, report


def view(record: RubricRecord, receipt_id: str) -> Report:
    header = record.history().get(receipt_id)
    assert header is not None
    return report(header, record.body(receipt_id), record.library)


def scored(version: str, said: tuple[Said, ...] = (Said(),), **changes: object) -> Report:
    record = RubricRecord()
    return view(record, record.score(version, said, **changes))


def test_one_session_under_1_3_0_says_what_was_taken_off_and_that_nothing_tells_how_sure():
    # U = 24/30 = 80; D = (80 + 80 + 60 + 93.33 + 60)/5 = 74.67; 0.4 × 80 + 0.6 × 74.67 = 76.80; less 10
    made = scored("1.3.0")
    assert made.sentence == (
        "66.80/100 under rubric 1.3.0: 1 session. Rated by 1 human. No CI: one session only. Minimum possible score 20, "
        "maximum 100 before the penalty."
    )
    assert made.penalty == "Raw composite 76.80 − 10 penalty (repeatability not tested): 66.80."
    assert [(part.name, part.value) for part in made.parts] == [("Universal", "80.00"), ("Domain", "74.67")]
    assert made.low is None


def test_nothing_is_taken_off_where_repeatability_was_tested():
    made = scored("1.3.0", tested=True)
    assert made.penalty == "Raw composite 76.80, no penalty (repeatability tested): 76.80."
    assert made.sentence.endswith("Minimum possible score 20, maximum 100.")


def test_repeatability_is_called_shown_only_where_the_version_asks_for_the_sessions():
    assert dict(scored("1.1.0", tested=True).disclosures)["Repeatability"] == (
        "Stated as tested; rubric 1.1.0 does not require the sessions that show it."
    )
    assert dict(scored("2.0.0", SIX, tested=True).disclosures)["Repeatability"] == (
        "Stated as tested, with three sessions. The receipt does not record the questions."
    )
    assert dict(scored("1.1.0").disclosures)["Repeatability"] == "Not tested."


SAME = "The recorded questions are the same in every session."
OTHERS = "The recorded questions differ between sessions."


@pytest.mark.parametrize(
    ("questions", "told"),
    [
        # The receipt's own spelling, one that a reader takes for the same, and another order.
        (("question 1", "question 2"), SAME),
        (("question 1", "Question  2"), SAME),
        (("question 2", "question 1"), SAME),
        (("question 1", "question 3"), OTHERS),
        (("question 1", None), OTHERS),
    ],
)
def test_of_repeated_questions_only_what_is_written_down_is_said(
    questions: tuple[str | None, ...], told: str
):
    domain = ([(4, 4, 4), (3, 3, 3)], (4, 4, 4), (4, 4, 4), (4, 4, 4), (4, 4, 4))
    record = RubricRecord()
    made = record.score("1.3.0", (Said(domain=domain), Said(domain=domain, session=2)), tested=True)
    header = record.history().get(made)
    assert header is not None
    body = copy.deepcopy(dict(record.body(made)))
    for asked, question in zip(body["domain"]["D1"][1]["questions"], questions, strict=True):
        asked["question"] = question
    disclosed = dict(report(header, body, record.library).disclosures)
    assert disclosed["Repeatability"] == f"Stated as tested, with two sessions. {told}"


def test_evaluators_in_turn_are_not_called_one():
    turns = scored("1.3.0", (Said(session=1), Said(session=2, evaluator=1)), tested=True)
    told = {item.name: item.sentence for item in turns.conditions}
    assert told["Ratings"].startswith("2 evaluators, but no two of them scored the same session.")
    assert "one session" not in turns.sentence


def test_no_other_version_speaks_of_a_penalty():
    assert scored("1.1.0").penalty == ""
    assert scored("2.0.0", SIX).penalty == ""


def test_three_sessions_are_a_mean_with_an_interval_and_each_session_is_told():
    # Per session U = 22.5, 23.5, 24.5 of 30 = 75, 78.33, 81.67; composite = 74.80, 76.13, 77.47; mean 76.13.
    # s = 1.3333, t(2) = 4.3027: 4.3027 × 1.3333 / √3 = 3.312
    made = scored("2.0.0", SIX)
    assert made.sessions == ("74.80", "76.13", "77.47")
    assert made.sentence == (
        "76.13/100 under rubric 2.0.0: mean of 3 sessions. Rated by 2 humans. 95% CI [72.82, 79.45] (Student's t, "
        "3 sessions). Minimum possible score 20, maximum 100."
    )
    assert made.parts[1].interval == "95% CI [74.67, 74.67]"


def test_sessions_that_scored_the_same_do_not_make_the_next_one_certain():
    same = tuple(uniform(4, session=session, pass_=number) for session in (1, 2, 3) for number in (1, 2))
    made = scored("2.0.0", same)
    assert made.low == made.high == 80.0
    assert "Zero-width CI: every session scored the same; not evidence of certainty." in made.sentence


def test_an_ability_shows_the_anchors_of_the_scores_given_and_no_others():
    ability = scored("2.0.0", SIX).dimensions[0]
    assert (ability.id, ability.title, ability.mean, ability.low, ability.high) == (
        "U1",
        "Task Completion",
        4.0,
        3,
        5,
    )
    assert [(level, times) for level, _, times in ability.anchors] == [(5, 2), (4, 2), (3, 2)]
    assert [one.who for one in ability.said[:2]] == ["session 1, evaluator 0", "session 1, evaluator 1"]
    assert scored("1.0.0").dimensions[0].anchors == ()


def test_averaged_questions_stand_apart_and_make_one_score():
    # (12/15 + 9/15) / 2 = 70 of 100
    domain = ([(4, 4, 4), (3, 3, 3)], (4, 4, 4), (4, 4, 4), (4, 4, 4), (4, 4, 4))
    task = scored("1.1.0", (Said(domain=domain),)).scenarios[0]
    assert task.mean == 70.0
    assert [asked.question for asked in task.said[0].questions] == ["question 1", "question 2"]
    assert task.said[0].questions[1].ratings[0] == ("Accuracy", 3, "accuracy noted")


def test_criteria_stand_in_the_templates_order_though_json_sorts_them():
    task = scored("1.1.0", template="coding-development").scenarios[1]
    assert [name for name, _, _ in task.said[0].questions[0].ratings] == [
        "Correctness",
        "Completeness",
        "Code Quality",
    ]


def test_evidence_leads_to_its_document_and_loose_words_to_none():
    cited = scored("1.3.0").scenarios[0].said[0].evidence
    digest = canonical.sha256_hex(TRANSCRIPT.encode())
    assert cited[0].path == evidence_page_path(digest) == f"results/evidence/{digest[:2]}/{digest}.txt"
    assert (cited[1].excerpt, cited[1].name, cited[1].path) == (LOOSE, "", "")


def test_withdrawn_evidence_has_no_link_and_its_reason():
    record = RubricRecord()
    made = record.score("1.3.0")
    sha256 = canonical.sha256_hex(TRANSCRIPT.encode())
    record.add({"type": "withdraw-evidence", "sha256": sha256, "reason": "a private address"})
    found = view(record, made)
    cited = found.dimensions[0].said[0].evidence[0]
    assert (cited.path, cited.withdrawn) == ("", "a private address")
    state = {item.name: (item.state, item.sentence) for item in found.conditions}
    assert state["Evidence"] == (
        "fail",
        "1 document withdrawn, of 1 pinned by hash.",
    )
    assert state["Re-score"] == (
        "pass",
        "Every number recomputed from the ratings below, as exact fractions.",
    )


def test_withdrawing_a_document_hides_no_other_of_the_same_name():
    other, name = "What the agent said on another day.", "x was withdrawn: y.txt"
    said = [{"sha256": canonical.sha256_hex(text.encode()), "excerpt": None} for text in (TRANSCRIPT, other)]
    record = RubricRecord()
    made = record.score("1.3.0", evidence=[pinned(name=name), pinned(other, name)])
    record.add({"type": "withdraw-evidence", "sha256": said[1]["sha256"], "reason": "a: private"})
    header = record.history().get(made)
    assert header is not None
    served = record.library.evidence
    found = ratings.ReceiptRatings(header, record.body(made), None, served=served).cited(said)
    assert [(one.name, one.withdrawn) for one in found] == [(name, ""), (name, "a: private")]
    assert [one.path for one in found] == [evidence_page_path(said[0]["sha256"]), ""]


@pytest.mark.parametrize(
    ("withdrawn", "missing", "said"),
    [
        (2, 0, "2 documents withdrawn"),
        (1, 1, "1 document withdrawn, 1 document missing"),
        (0, 2, "2 documents missing"),
    ],
)
def test_withdrawn_and_missing_documents_are_counted_apart(withdrawn: int, missing: int, said: str):
    documents = [pinned(), pinned("of another day", "b.txt"), pinned("of a third day", "c.txt")]
    digests = [item["sha256"] for item in documents]
    record = RubricRecord()
    made = record.score("1.3.0", evidence=documents)
    for sha256 in digests[:withdrawn]:
        record.add({"type": "withdraw-evidence", "sha256": sha256, "reason": "private"})
    record.missing.update(digests[withdrawn : withdrawn + missing])
    told = {item.name: item for item in view(record, made).conditions}["Evidence"]
    assert (told.state, told.sentence) == ("fail", f"{said}, of 3 pinned by hash.")


def test_a_withdrawn_document_that_still_lies_here_hides_none_that_is_missing():
    other = pinned("of another day", "b.txt")
    record = RubricRecord()
    made = record.score("1.3.0", evidence=[pinned(), other])
    record.add({"type": "withdraw-evidence", "sha256": pinned()["sha256"], "reason": "private"})
    header = record.history().get(made)
    assert header is not None
    library = replace(record.library, evidence=frozenset({pinned()["sha256"]}))
    told = {item.name: item for item in report(header, record.body(made), library).conditions}
    assert told["Evidence"].sentence == "1 document withdrawn, 1 document missing, of 2 pinned by hash."


def test_a_receipt_without_transcripts_says_so():
    made = scored("1.3.0")
    assert {item.name: item.state for item in made.conditions} == {
        "Re-score": "pass",
        "Methodology": "pass",
        "Evidence": "pass",
        "Ratings": "not checked",
    }
    record = RubricRecord()
    receipt = record.score("1.3.0")
    header = record.history().get(receipt)
    assert header is not None
    bare = {**record.body(receipt), "evidence": []}
    told = {item.name: item for item in report(header, bare, record.library).conditions}
    assert told["Evidence"].state == "warning"


def test_two_passes_of_one_person_are_called_self_consistency():
    words = " ".join(scored("2.0.0", PASSES).agreement)
    assert words.startswith("Intra-rater agreement of 2 passes by one evaluator, n = 63 ratings")
    assert "self-consistency" in words


def test_two_people_are_called_inter_rater_with_both_figures():
    # 3 sessions × (6 dimensions + 15 criteria) = 63 items
    made = scored("2.0.0", SIX)
    words = " ".join(made.agreement)
    assert words.startswith("Inter-rater agreement of 2 evaluators, n = 63 ratings")
    assert "Krippendorff's alpha: 0." in words
    assert "Weighted kappa: 0." in words
    assert "self-consistency" not in words
    assert [person.sheets for person in made.people] == ["3 sheets over 3 sessions"] * 2


def test_ratings_without_variation_have_no_agreement_figure():
    words = " ".join(scored("1.2.0", (uniform(4), uniform(4, evaluator=1))).agreement)
    assert words.count("not defined, the ratings do not vary.") == 2


def test_a_session_scored_once_says_that_nothing_shows_agreement():
    assert scored("1.3.0").agreement == (
        "Agreement not measured: no two evaluators scored the same session.",
    )


@pytest.mark.parametrize(("version", "newer"), [("1.0.0", "2.0.0"), ("1.3.0", "2.0.0"), ("2.0.0", None)])
def test_superseded_follows_from_the_log(version: str, newer: str | None):
    found = scored(version, SIX if version == "2.0.0" else (Said(),)).newer
    assert (found.version if found else None) == newer
    if found:
        assert found.changes == f"methodology/rubric/{version}/to/2.0.0/"


def test_a_version_that_the_log_does_not_pin_supersedes_nothing():
    record = RubricRecord("1.2.0", "1.3.0")
    record.methodologies.append(RubricRecord().methodologies[-1])
    assert view(record, record.score("1.3.0")).newer is None


def test_rules_that_do_not_lie_here_leave_titles_out_and_everything_else_in():
    record = RubricRecord()
    made = record.score("1.3.0")
    header = record.history().get(made)
    assert header is not None
    library = replace(record.library, methodologies=[])
    found = report(header, record.body(made), library)
    assert (found.dimensions[0].title, found.dimensions[0].said[0].score) == ("", 4)
    assert found.template == "Customer service"
    assert [name for name, _, _ in found.scenarios[0].said[0].questions[0].ratings] == [
        "accuracy",
        "completeness",
        "usefulness",
    ]
    assert found.form == ""
    assert found.tests[0].title == "Standardized task"


def test_disclosures_are_sentences_and_absent_where_nothing_was_asked():
    assert scored("1.0.0").disclosures == ()
    assert scored("1.1.0").disclosures == (
        ("Repeatability", "Not tested."),
        ("Multi-step", "U3 was tested with all steps in one message."),
    )


def test_two_documents_of_one_name_are_told_apart_by_content():
    other = pinned("another transcript", "transcript.txt")
    made = scored("1.3.0", evidence=[pinned(), other])
    assert made.dimensions[0].said[0].evidence[0].path.endswith(f"{pinned()['sha256']}.txt")


def test_a_document_that_vanished_is_said_and_not_linked():
    record = RubricRecord()
    other = pinned("What the agent said on another day.", "other.txt")
    made = record.score("1.3.0", evidence=[pinned(), other])
    record.missing.add(pinned()["sha256"])
    told = view(record, made)
    state = {item.name: (item.state, item.sentence) for item in told.conditions}
    assert state["Evidence"] == (
        "fail",
        "1 document missing, of 2 pinned by hash.",
    )
    cited = told.dimensions[0].said[0].evidence[0]
    assert (cited.name, cited.path, cited.withdrawn) == ("transcript.txt", "", "")
    page = renders().body(record.report(made))
    assert "transcript.txt is missing" in page
    assert f"{pinned()['sha256']}.txt" not in page
