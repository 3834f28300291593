from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

import pytest
import rubric_sheets

from benchsite.errors import InputError
from benchsite.tracks.rubric import join, sheet
from benchsite.tracks.rubric.join import Filled
from benchsite.tracks.rubric.payload import MAX_SHEETS


def read(name: str, text: str, version: str = "1.3.0") -> Filled:
    data = text.encode()
    return join.hold(data, sheet.load(data, where=name), rubric_sheets.rules(version))


def pin(_sheet: object, _path: object, source: Mapping[str, Any]) -> Mapping[str, Any]:
    """Files have the sha256 of their name, and words of themselves."""
    named = source.get("file") or source.get("excerpt") or ""
    return {"sha256": hashlib.sha256(named.encode()).hexdigest(), "excerpt": source.get("excerpt")}


def joined(sheets: list[Filled]) -> tuple[tuple[Filled, ...], dict[str, Any]]:
    rules = rubric_sheets.rules(sheets[0].sheet.methodology)
    return join.joined(sheets, rules, pin, "2026-11-22T00:00:00Z")


def refused(sheets: list[Filled], says: str) -> InputError:
    with pytest.raises(InputError, match=says) as caught:
        joined(sheets)
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize(
    ("old", "new", "path", "lines"),
    [
        ("methodology: 1.3.0", "methodology: 1.2.0", "methodology", 1),
        ("template: customer-service", "template: data-analysis", "template", 2),
        ("name: Helper", "name: Another", "agent.name", 3),
        ('version: "2.1"', 'version: "2.2"', "agent.version", 3),
        ("vendor: Acme", "vendor: Other", "agent.vendor", 3),
        ("repeatabilityTested: false", "repeatabilityTested: true", "disclosures.repeatabilityTested", 14),
        ("multiStep: single-message", "multiStep: multi-turn", "disclosures.multiStep", 15),
    ],
)
def test_sheets_of_one_receipt_agree_and_both_places_are_named(
    old: str, new: str, path: str, lines: int
) -> None:
    text = rubric_sheets.text()
    one, two = (
        sheet.load(data.encode(), where=name)
        for name, data in (("a.yaml", text), ("b.yaml", text.replace(old, new)))
    )
    join.require_agreement([one, one])
    with pytest.raises(InputError, match=rf"^b\.yaml, line {lines}: {re.escape(path)}: ") as caught:
        join.require_agreement([one, two])
    assert f"in a.yaml, line {lines}" in caught.value.message
    assert "make two receipts" in caught.value.hint


def test_one_receipt_holds_so_many_sheets() -> None:
    document = sheet.load(rubric_sheets.text().encode(), where="a.yaml")
    join.require_agreement([document] * MAX_SHEETS)
    with pytest.raises(InputError, match="201 .*200"):
        join.require_agreement([document] * (MAX_SHEETS + 1))


def test_sheets_are_ordered_by_session_evaluator_and_pass() -> None:
    places = [(2, "Ada", 1), (1, "Zoe", 1), (1, "Ada", 2), (1, "Ada", 1), (2, "Zoe", 1)]
    sheets = [
        read("x", rubric_sheets.text(session=session, evaluator=name, number=number, tested=True))
        for session, name, number in places
    ]
    found = [
        (item.sheet.session.n, item.sheet.evaluator.name, item.sheet.evaluator.pass_)
        for item in joined(sheets)[0]
    ]
    assert found == sorted(places)


def test_two_sheets_of_one_evaluator_pass_and_session_are_refused() -> None:
    text = rubric_sheets.text()
    sheets = [read("a.yaml", text), read("b.yaml", text.replace("score: 4", "score: 5"))]
    refused(
        sheets,
        r"^b\.yaml, line 7: evaluator\.pass: Ada has 2 sheets for pass 1 over session 1",
    )


def test_a_sheet_that_is_named_twice_is_refused() -> None:
    text = rubric_sheets.text()
    says = r"^b\.yaml, line 7: .*has 2 sheets(.|\n)*b\.yaml, line 1: the sheet: The 2 sheets have 1 different SHA-256"
    refused([read("a.yaml", text), read("b.yaml", text)], says)


def test_all_faults_of_the_sheets_are_told_in_one_run() -> None:
    sheets = [
        read("a.yaml", rubric_sheets.text(session=2, tested=True)),
        read("b.yaml", rubric_sheets.text(evaluator="ada", session=2, number=2, tested=True)),
    ]
    error = refused(sheets, "too similar to")
    assert [line.split(": ")[0:2] for line in error.message.splitlines()] == [
        ["b.yaml, line 5", "evaluator.name"],
        ["a.yaml, line 11", "session.n"],
        ["b.yaml, line 7", "evaluator.pass"],
        ["a.yaml, line 14", "disclosures.repeatabilityTested"],
    ]


def test_an_evaluators_statement_is_the_same_everywhere() -> None:
    other = rubric_sheets.text(number=2).replace("conflictOfInterest: none", "conflictOfInterest: employed")
    sheets = [read("a.yaml", rubric_sheets.text()), read("b.yaml", other)]
    refused(sheets, r"^b\.yaml, line 8: .*the statement of Ada differs from a\.yaml, line 8$")


@pytest.mark.parametrize("name", ["ada", '"Ada "', "Ａda"])
def test_one_person_cannot_pass_for_two_by_a_slip_of_the_pen(name: str) -> None:
    """Two names are two raters, and their agreement would be called inter-rater."""
    texts = rubric_sheets.text(), rubric_sheets.text(evaluator=name)
    says = r"^\d\.yaml, line 5: evaluator\.name: .* is too similar to .*: passes of one evaluator"
    refused([read(f"{place}.yaml", text) for place, text in enumerate(texts)], says)


def test_sessions_count_from_1_without_a_gap() -> None:
    sheets = [read(f"{n}.yaml", rubric_sheets.text(session=n, tested=True)) for n in (1, 3)]
    refused(sheets, r"^3\.yaml, line 11: session\.n: The sessions are numbered 1, 3: they must run from 1")


def sessions(*counts: int) -> list[Filled]:
    """So many sheets of session 1, of session 2, and so on, under 2.0.0."""
    return [
        read(f"s{n}p{number}.yaml", rubric_sheets.text("2.0.0", session=n, number=number), "2.0.0")
        for n, count in enumerate(counts, start=1)
        for number in range(1, count + 1)
    ]


def test_2_0_0_demands_three_sessions_of_two_sheets() -> None:
    """specs/rubric.md, "Versions": n ≥ 3, two or more evaluators or labelled passes of one."""
    assert len(joined(sessions(2, 2, 2))[0]) == 6
    says = r"^s2p2\.yaml, line 11: session\.n: rubric 2\.0\.0 requires 3 sessions or more, and this receipt has 2"
    assert "run more sessions" in refused(sessions(2, 2), says).hint
    refused(
        sessions(2, 1, 2),
        r"^s2p1\.yaml, line 11: .*requires 2 sheets or more per session, .*; session 2 has fewer",
    )


@pytest.mark.parametrize("version", ["1.3.0", "2.0.0"])
def test_repeatability_is_what_the_sessions_show(version: str) -> None:
    """1.3.0 and later: tested means two sessions or more, and they stand in the receipt."""
    counts = (1,) if version == "1.3.0" else (1, 2, 3)
    sheets = [
        read(
            "a.yaml", rubric_sheets.text(version, session=n, number=number, tested=len(counts) == 1), version
        )
        for n in counts
        for number in (1, 2)
    ]
    says = r"a\.yaml, line 14: disclosures\.repeatabilityTested: The receipt states that repeatability was (not )?tested, "
    assert (
        f"Under rubric {version}, a test of repeatability has two sessions" in refused(sheets, says).message
    )


def test_earlier_versions_believe_what_is_disclosed() -> None:
    one = read("a.yaml", rubric_sheets.text("1.1.0", tested=True), "1.1.0")
    assert joined([one])[0] == (one,)


def test_the_payload_says_what_the_sheets_say() -> None:
    texts = [
        rubric_sheets.text(evaluator="Zoe", score=5),
        rubric_sheets.text(evaluator="Ada", score=2).replace("date: 2026-11-20", "date: 2026-11-21"),
    ]
    _, body = joined([read("x", text) for text in texts])
    assert body["agent"] == {"name": "Helper", "version": "2.1", "vendor": "Acme"}
    assert body["template"] == {"slug": "customer-service", "schemaName": "customer_service_v1"}
    assert body["evaluators"] == [
        {"name": name, "kind": "human", "model": None, "conflictOfInterest": "none", "consentToPublish": True}
        for name in ("Ada", "Zoe")
    ]
    assert body["sheets"] == [
        {"evaluator": 0, "pass": 1, "session": 1, "date": "2026-11-21"},
        {"evaluator": 1, "pass": 1, "session": 1, "date": "2026-11-20"},
    ]
    assert [rating["score"] for rating in body["universal"]["U4"]] == [2, 5]
    [question] = body["domain"]["D5"][1]["questions"]
    assert question["question"] is None
    assert question["criteria"]["accuracy"] == {"score": 5, "note": "so"}
    assert body["requiredTests"]["hallucination"][0] == {
        "outcome": "pass",
        "note": "did well",
        "evidence": [],
    }
    assert body["disclosures"] == {"repeatabilityTested": False, "multiStep": "single-message"}


def test_the_first_version_has_neither_tests_nor_disclosures() -> None:
    _, body = joined([read("x", rubric_sheets.text("1.0.0"), "1.0.0")])
    assert body["requiredTests"] is None
    assert body["disclosures"] == {"repeatabilityTested": None, "multiStep": None}


@pytest.mark.parametrize("numbers", [(2,), (1, 3), (3, 7)])
def test_passes_count_from_1_without_a_gap(numbers: tuple[int, ...]) -> None:
    sheets = [read(f"p{number}.yaml", rubric_sheets.text(number=number)) for number in numbers]
    wrong = numbers[0] if numbers[0] > 1 else 3
    refused(
        sheets,
        rf"^p{wrong}\.yaml, line 7: evaluator\.pass: The passes of Ada over session 1 are numbered {', '.join(map(str, numbers))}:",
    )


def test_the_passes_of_each_session_count_anew() -> None:
    places = ((1, 1), (2, 2))
    sheets = [
        read(f"{n}.yaml", rubric_sheets.text(session=n, number=number, tested=True)) for n, number in places
    ]
    refused(sheets, r"^2\.yaml, line 7: .*The passes of Ada over session 2 are numbered 2:")


def asking(number: int, *questions: str, session: int = 0, version: str = "1.3.0") -> Filled:
    """A sheet whose D2 averages these questions; with a session, one of several."""
    text = rubric_sheets.text(version, number=number, session=session or 1, tested=session > 0)
    line = text.splitlines()[rubric_sheets.line_of(text, "D2") - 1]
    criteria = line.partition("criteria: ")[2].partition(", evidence")[0]
    asked = ", ".join(f'{{question: "{one}", criteria: {criteria}}}' for one in questions)
    name = f"s{session}p{number}.yaml" if session else f"p{number}.yaml"
    cited = f"[{{excerpt: in session {session}}}]"
    return read(name, text.replace(line, f"  D2: {{averagedFrom: [{asked}], evidence: {cited}}}"), version)


@pytest.mark.parametrize(
    "questions", [("delivery", "warranty"), ("warranty", "refund"), ("refund", "warranty", "x")]
)
def test_the_sheets_of_a_session_score_the_same_questions(questions: tuple[str, ...]) -> None:
    first = asking(1, "refund", "warranty")
    assert len(joined([first, asking(2, "Refund ", "warranty")])[0]) == 2
    says = r"^p2\.yaml, line \d+: domain\.D2\.averagedFrom: D2: the sheets of session 1 differ"
    refused([first, asking(2, *questions)], says)


def test_one_question_is_not_several() -> None:
    refused(
        [read("p1.yaml", rubric_sheets.text()), asking(2, "refund", "warranty")],
        r"^p2\.yaml, line \d+: domain\.D2",
    )


@pytest.mark.parametrize("version", ["1.3.0", "2.0.0"])
def test_sessions_that_show_repeatability_ask_the_same_questions(version: str) -> None:
    def held(*second: str) -> list[Filled]:
        sessions = (("refund", "warranty"), second, ("warranty", "Refund "))
        return [
            asking(number, *questions, session=n, version=version)
            for n, questions in enumerate(sessions, 1)
            for number in (1, 2)
        ]

    assert len(joined(held("warranty", "refund"))[0]) == 6
    says = (
        r"^s2p1\.yaml, line \d+: domain\.D2\.averagedFrom: D2: session 2 has other questions than session 1"
        rf"\. Under rubric {version}"
    )
    refused(held("refund", "delivery"), says)


def test_before_1_3_0_sessions_may_ask_what_they_like() -> None:
    sheets = [
        asking(1, "refund", question, session=n, version="1.2.0") for n, question in ((1, "a"), (2, "b"))
    ]
    assert joined(sheets)[0] == tuple(sheets)


def resting_on(version: str, *cited: str) -> list[Filled]:
    """Two sheets of each session, all of which cite these words in it."""
    texts = {
        (n, number): rubric_sheets.text(version, session=n, number=number, tested=len(cited) > 1)
        for n in range(1, len(cited) + 1)
        for number in (1, 2)
    }
    given = re.compile(r"evidence: \[.*?\]")
    return [
        read(f"s{n}p{number}.yaml", given.sub(f"evidence: {cited[n - 1]}", text), version)
        for (n, number), text in texts.items()
    ]


@pytest.mark.parametrize("version", ["1.3.0", "2.0.0"])
@pytest.mark.parametrize(
    ("cited", "number"),
    [
        (("[{excerpt: said}]",) * 3, 1),
        (('[{excerpt: "it said"}]', '[{excerpt: "It  said "}]', "[{excerpt: else}]"), 1),
        (("[{file: a}]", "[{file: a}, {file: b}]", "[{file: a}, {file: c}]"), 1),
        (("[{file: a}, {file: b}]", "[{file: a, excerpt: own}]", "[{file: c}]"), 2),
        (("[{file: a}, {file: b}]", "[{file: c}]", "[{file: a}, {excerpt: own}]"), 3),
    ],
)
def test_each_session_rests_on_something_of_its_own(
    version: str, cited: tuple[str, ...], number: int
) -> None:
    says = rf"^s{number}p1\.yaml, line 11: session\.n: Session {number}.* cites no document that no other .*rubric {version}"
    refused(resting_on(version, *cited), says)


@pytest.mark.parametrize("version", ["1.3.0", "2.0.0"])
def test_one_document_or_quotation_of_its_own_is_enough(version: str) -> None:
    joined(resting_on(version, "[{file: a}, {file: b}]", "[{file: a}, {file: c}]", "[{excerpt: own}]"))


def test_evidence_is_compared_where_it_was_asked_for_or_given_throughout() -> None:
    same = "[{file: a}]"
    joined(resting_on("1.2.0", same, same))
    joined(resting_on("1.3.0", same, same, "[]"))
    joined(resting_on("1.3.0", same))
