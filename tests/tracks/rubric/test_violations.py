from __future__ import annotations

import copy

import pytest
from rubric_findings import Document, Edit, codes, edited, messages
from rubric_receipts import PASSES, SIX, Said, cited, draft, loose
from rubric_rules import RULES

from benchsite.tracks.rubric.violations import violations


@pytest.mark.parametrize("version", RULES)
@pytest.mark.parametrize("said", [SIX, PASSES], ids=["evaluators", "passes"])
def test_an_honest_receipt_breaks_nothing(version, said):
    assert codes(draft(version, said)) == []


def swap_sheets(document: Document) -> None:
    document["sheets"][0], document["sheets"][1] = document["sheets"][1], document["sheets"][0]


def swap_names(document: Document) -> None:
    one, two = document["evaluators"]
    one["name"], two["name"] = two["name"], one["name"]


def twice(document: Document) -> None:
    document["sheets"][1] = dict(document["sheets"][0])


def named_alike(document: Document) -> None:
    document["evaluators"][1]["name"] = "evaluator 0"
    for sheet in document["sheets"]:
        sheet["pass"] = sheet["evaluator"] + 1


def idle(document: Document) -> None:
    document["evaluators"].append({**document["evaluators"][0], "name": "evaluator 9"})


def gap(document: Document) -> None:
    for sheet in document["sheets"][4:]:
        sheet["session"] = 4


def read_alike(document: Document) -> None:
    document["evaluators"][1]["name"] = "evaluator\u00a0 0"


def skipping(document: Document) -> None:
    for sheet in document["sheets"][2:4]:
        sheet["pass"] = 3 if sheet["evaluator"] else 1


def one_file(document: Document) -> None:
    document["config"]["sheets"] = ["a" * 64] * 6


def nowhere(document: Document) -> None:
    document["sheets"][0]["date"] = document["sheets"][1]["date"] = "2026-02-31"


def tomorrow(document: Document) -> None:
    document["sheets"][5]["date"] = "2026-05-06"


def nameless(document: Document) -> None:
    document["agent"]["name"] = "\ufeff \u2003"


def versionless(document: Document) -> None:
    document["agent"]["version"] = " "


def vendorless(document: Document) -> None:
    document["agent"]["vendor"] = "\u00a0"


def unseen(document: Document) -> None:
    document["evaluators"][0]["name"] = " "


def unstated(document: Document) -> None:
    document["evaluators"][1]["conflictOfInterest"] = " \n\t"


def other_question(document: Document) -> None:
    document["domain"]["D3"][3]["questions"][0]["question"] = "what else?"


def doubled(document: Document) -> None:
    for rating in document["domain"]["D3"]:
        question = rating["questions"][0]
        rating["questions"] = [{**question, "question": text} for text in ("Why?", " WHY?")]


STRUCTURE: list[tuple[Edit, tuple[str, str], str]] = [
    (swap_sheets, ("sheets-unordered", "sheets"), "not ordered by session"),
    (swap_names, ("sheets-unordered", "sheets"), "not ordered by session"),
    (twice, ("sheet-twice", "sheets[1].pass"), "evaluator 0 has 2 sheets for pass 1 over session 1"),
    (named_alike, ("evaluator-twice", "evaluators[1]"), "evaluator 0 is listed twice"),
    (
        idle,
        ("evaluator-without-sheet", "evaluators[2]"),
        "evaluator 9 is listed as an evaluator and has no sheet",
    ),
    (gap, ("session-missing", "sheets[4].session"), "The sessions are numbered 1, 2, 4"),
    (nameless, ("text-blank", "agent.name"), "The agent's name is blank"),
    (versionless, ("text-blank", "agent.version"), "The agent's version is blank"),
    (vendorless, ("text-blank", "agent.vendor"), "The agent's vendor is blank"),
    (unseen, ("text-blank", "evaluators[0].name"), "An evaluator's name is blank"),
    (
        unstated,
        ("text-blank", "evaluators[1].conflictOfInterest"),
        "An evaluator's statement on conflicts of interest is blank",
    ),
    (
        skipping,
        ("pass-missing", "sheets[3].pass"),
        "The passes of evaluator 1 over session 2 are numbered 3: they",
    ),
    (one_file, ("sheet-repeated", "config.sheets[1]"), "The 6 sheets have 1 different SHA-256"),
    (nowhere, ("date-unknown", "sheets[0].date"), "not valid dates: 2026-02-31."),
    (
        tomorrow,
        ("date-ahead", "sheets[5].date"),
        "in the future: 2026-05-06. The receipt was made at 2026-05-04T12:00:00Z.",
    ),
    (
        other_question,
        ("questions-differ", "domain.D3[3].questions"),
        "D3: the sheets of session 2 differ",
    ),
]


@pytest.mark.parametrize("version", RULES)
@pytest.mark.parametrize(
    ("edit", "finding", "message"), STRUCTURE, ids=lambda item: getattr(item, "__name__", "")
)
def test_under_any_version(version, edit, finding, message):
    document = edited(version, edit)
    assert codes(document) == [finding]
    assert message in messages(document)


@pytest.mark.parametrize("version", RULES)
def test_two_names_that_read_alike_are_one_evaluator(version):
    document = edited(version, read_alike)
    assert ("evaluator-twice", "evaluators[1]") in codes(document)
    assert "too similar to evaluator 0" in messages(document)


@pytest.mark.parametrize("version", sorted(RULES.keys() - {"1.0.0"}))
def test_a_question_counts_once(version):
    document = edited(version, doubled)
    assert codes(document) == [("question-twice", "domain.D3[0].questions[1].question")]
    assert "D3: a sheet scores one question twice" in messages(document)


def silent(document: Document) -> None:
    document["universal"]["U3"][4]["note"] = " \n"
    for place in (0, 1):
        document["domain"]["D2"][place]["questions"][0]["criteria"]["accuracy"]["note"] = ""


def test_every_score_needs_a_note_under_2_0_0():
    document = edited("2.0.0", silent)
    assert codes(document) == [
        ("note-missing", "universal.U3[4].note"),
        ("note-missing", "domain.D2[0].questions[0].criteria.accuracy.note"),
    ]
    assert "rubric 2.0.0 requires a note for every score, and one for D2 is missing" in messages(document)
    assert codes(edited("1.3.0", silent)) == []


def test_too_few_sessions_and_sheets():
    document = draft("2.0.0", (Said(), Said(session=2), Said(session=2, pass_=2)))
    assert codes(document) == [
        ("too-few-sessions", "sheets[2].session"),
        ("too-few-sheets", "sheets[0].session"),
    ]
    assert "rubric 2.0.0 requires 3 sessions or more, and this receipt has 2" in messages(document)
    assert "rubric 2.0.0 requires 2 sheets or more per session" in messages(document)
    assert "session 1 has fewer" in messages(document)


@pytest.mark.parametrize("version", sorted(RULES.keys() - {"2.0.0"}))
def test_one_sheet_was_enough_before(version):
    assert codes(draft(version)) == []


REQUIRING = sorted(RULES.keys() - {"1.0.0"})


@pytest.mark.parametrize("version", REQUIRING)
def test_required_tests_are_demanded_from_1_1_0_on(version):
    document = edited(version, lambda d: d.update(requiredTests=None))
    assert codes(document) == [("tests-missing", "requiredTests")]
    assert f"rubric {version} requires 3 tests in every session" in messages(document)


@pytest.mark.parametrize("version", REQUIRING)
@pytest.mark.parametrize("field", ["repeatabilityTested", "multiStep"])
def test_disclosures_are_demanded_from_1_1_0_on(version, field):
    document = edited(version, lambda d: d["disclosures"].update({field: None}))
    assert codes(document) == [("disclosure-missing", f"disclosures.{field}")]
    assert f"rubric {version} requires every evaluation to state whether" in messages(document)


@pytest.mark.parametrize(
    ("version", "said", "tested", "words"),
    [
        ("1.3.0", (Said(),), True, "repeatability was tested, and has 1 session."),
        ("1.3.0", SIX, False, "repeatability was not tested, and has 3 sessions."),
        ("2.0.0", SIX, False, "repeatability was not tested, and has 3 sessions."),
    ],
)
def test_what_is_said_of_repeatability_is_what_the_sessions_show(version, said, tested, words):
    document = draft(version, said, tested=tested)
    assert codes(document) == [("repeatability-unfounded", "disclosures.repeatabilityTested")]
    assert words in messages(document)


def test_before_1_3_0_the_statement_was_only_asked_for():
    assert codes(draft("1.2.0", (Said(),), tested=True)) == []


def test_the_first_version_knew_neither_tests_nor_disclosures_nor_averaging():
    later = draft("1.1.0", (Said(domain=([(4, 4, 4), (3, 3, 3)], *[(4, 4, 4)] * 4)),))
    document = {**draft("1.0.0"), **{key: later[key] for key in ("requiredTests", "disclosures", "domain")}}
    assert codes(document) == [
        ("tests-unknown", "requiredTests"),
        ("disclosure-unknown", "disclosures.repeatabilityTested"),
        ("disclosure-unknown", "disclosures.multiStep"),
        ("averaging-unknown", "domain.D1[0].questions"),
    ]
    assert codes(later) == []


def bare(document: Document) -> None:
    document["universal"]["U3"][0]["evidence"] = []
    document["universal"]["U3"][4]["evidence"] = []
    document["domain"]["D2"][1]["evidence"] = []
    document["requiredTests"]["hallucination"][0]["evidence"] = []


def test_every_score_needs_evidence_under_2_0_0():
    document = edited("2.0.0", bare)
    assert codes(document) == [
        ("evidence-missing", "universal.U3[0].evidence"),
        ("evidence-missing", "domain.D2[1].evidence"),
    ]
    assert "a sheet has none for U3" in messages(document)
    assert codes(edited("1.3.0", bare)) == []


@pytest.mark.parametrize("version", RULES)
@pytest.mark.parametrize(
    "item",
    [
        cited(None, "no document of this receipt"),
        cited("an excerpt", "of no document of this receipt"),
        {**loose("an excerpt"), "excerpt": "another excerpt"},
    ],
    ids=["whole file", "excerpt of a file", "altered excerpt"],
)
def test_evidence_that_nobody_can_look_up(version, item):
    document = edited(version, lambda d: d["domain"]["D5"][2]["evidence"].append(copy.deepcopy(item)))
    assert codes(document) == [("evidence-unknown", "domain.D5[2].evidence[2]")]
    assert "Evidence for D5 is neither a document" in messages(document)


def test_evidence_of_a_required_test_is_looked_up_too():
    document = edited(
        "2.0.0", lambda d: d["requiredTests"]["invalidInput"][0]["evidence"].append(cited(None, "?"))
    )
    assert codes(document) == [("evidence-unknown", "requiredTests.invalidInput[0].evidence[1]")]


def test_evidence_that_is_no_longer_pinned():
    document = edited("1.3.0", lambda d: d.update(evidence=[]))
    assert [field for _, field in codes(document)] == [
        "sheets[0].session",  # all sessions quote the same words, and nothing pinned tells them apart
        *(f"universal.U{number}[0].evidence[0]" for number in range(1, 7)),
        *(f"domain.D{number}[0].evidence[0]" for number in range(1, 6)),
        *(
            f"requiredTests.{name}[0].evidence[0]"
            for name in ("hallucination", "invalidInput", "standardisedTask")
        ),
    ]


def test_words_in_any_script_stand_for_themselves():
    document = edited(
        "2.0.0", lambda d: d["universal"]["U1"][0]["evidence"].append(loose("così è, \U0001f600"))
    )
    assert codes(document) == []


def test_every_place_is_named_where_that_is_asked_for():
    document = edited("2.0.0", silent)
    every = [item.field for item in violations(document, RULES["2.0.0"], every=True)]
    assert every == [
        "universal.U3[4].note",
        "domain.D2[0].questions[0].criteria.accuracy.note",
        "domain.D2[1].questions[0].criteria.accuracy.note",
    ]
