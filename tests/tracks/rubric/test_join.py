from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

import pytest
import rubric_sheets

from benchsite.errors import InputError
from benchsite.tracks.rubric import join, sheet
from benchsite.tracks.rubric.payload import MAX_SHEETS
from benchsite.tracks.rubric.sheet import Filled, Source


def read(name: str, text: str, version: str = "1.3.0") -> Filled:
    data = text.encode()
    return sheet.hold(data, sheet.load(data, where=name), rubric_sheets.rules(version))


def nothing(_sheet: Filled, _path: object, source: Source) -> Mapping[str, Any]:
    return {"sha256": "0" * 64, "excerpt": source.excerpt}


@pytest.mark.parametrize(
    ("old", "new", "path", "lines"),
    [
        ("methodology: 1.3.0", "methodology: 1.2.0", "methodology", 1),
        ("template: customer-service", "template: data-analysis", "template", 2),
        ("name: Helper", "name: Another", "agent.name", 3),
        ('version: "2.1"', 'version: "2.2"', "agent.version", 3),
        ("vendor: Acme", "vendor: Other", "agent.vendor", 3),
        ("repeatabilityTested: false", "repeatabilityTested: true", "disclosures.repeatabilityTested", 13),
        ("multiStep: single-message", "multiStep: multi-turn", "disclosures.multiStep", 14),
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
    assert "correct one, or make two receipts" in caught.value.hint


def test_one_receipt_holds_so_many_sheets() -> None:
    document = sheet.load(rubric_sheets.text().encode(), where="a.yaml")
    join.require_agreement([document] * MAX_SHEETS)
    with pytest.raises(InputError, match="201 sheets are more than one receipt holds"):
        join.require_agreement([document] * (MAX_SHEETS + 1))


def test_sheets_are_ordered_by_session_evaluator_and_pass() -> None:
    places = [(2, "Ada", 1), (1, "Zoe", 1), (1, "Ada", 2), (1, "Ada", 1), (2, "Zoe", 1)]
    sheets = [
        read("x", rubric_sheets.text(session=session, evaluator=name, number=number, tested=True))
        for session, name, number in places
    ]
    found = [
        (item.sheet.session.n, item.sheet.evaluator.name, item.sheet.evaluator.pass_)
        for item in join.in_order(sheets)
    ]
    assert found == sorted(places)


def test_two_sheets_of_one_evaluator_pass_and_session_are_refused() -> None:
    text = rubric_sheets.text()
    with pytest.raises(InputError, match=r"^b\.yaml, line 6: .* pass 1 over session 1: a\.yaml, line 6$"):
        join.in_order([read("a.yaml", text), read("b.yaml", text.replace("score: 4", "score: 5"))])


def test_an_evaluators_statement_is_the_same_everywhere() -> None:
    other = rubric_sheets.text(number=2).replace("conflictOfInterest: none", "conflictOfInterest: employed")
    with pytest.raises(InputError, match=r"^b\.yaml, line 7: .*Ada states .* than in a\.yaml, line 7$"):
        join.in_order([read("a.yaml", rubric_sheets.text()), read("b.yaml", other)])


@pytest.mark.parametrize("name", ["ada", '"Ada "', "Ａda"])
def test_one_person_cannot_pass_for_two_by_a_slip_of_the_pen(name: str) -> None:
    """Two names are two raters, and their agreement would be called inter-rater."""
    texts = rubric_sheets.text(), rubric_sheets.text(evaluator=name)
    says = r'line 5: evaluator\.name: is the text ".*" here, and the text ".*" in .*line 5: two names'
    with pytest.raises(InputError, match=says):
        join.in_order([read(f"{place}.yaml", text) for place, text in enumerate(texts)])


def test_sessions_count_from_1_without_a_gap() -> None:
    sheets = [read(f"{n}.yaml", rubric_sheets.text(session=n)) for n in (1, 3)]
    with pytest.raises(
        InputError, match=r"^3\.yaml, line 10: session\.n: is 3, and no sheet is of session 2"
    ):
        join.in_order(sheets)


def sessions(*counts: int) -> list[Filled]:
    """So many sheets of session 1, of session 2, and so on, under 2.0.0."""
    return [
        read(f"s{n}p{number}.yaml", rubric_sheets.text("2.0.0", session=n, number=number), "2.0.0")
        for n, count in enumerate(counts, start=1)
        for number in range(1, count + 1)
    ]


def test_2_0_0_demands_three_sessions_of_two_sheets() -> None:
    """specs/rubric.md, "Versions": n ≥ 3, two or more evaluators or labelled passes of one."""
    assert len(join.in_order(sessions(2, 2, 2))) == 6
    with pytest.raises(InputError, match=r"rubric 2\.0\.0 requires 3 sessions or more, .* hold 2") as caught:
        join.in_order(sessions(2, 2))
    assert caught.value.hint.startswith("hold 1 more")
    with pytest.raises(InputError, match=r"^s2p1\.yaml, line 10: .*requires 2 sheets .* session 2 has 1"):
        join.in_order(sessions(2, 1, 2))


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
    says = r"^a\.yaml, line 13: disclosures\.repeatabilityTested: is (true|false), and these sheets hold "
    with pytest.raises(InputError, match=says) as caught:
        join.in_order(sheets)
    assert f"under rubric {version} repeatability is tested by two sessions or more" in caught.value.message


def test_earlier_versions_believe_what_is_disclosed() -> None:
    one = read("a.yaml", rubric_sheets.text("1.1.0", tested=True), "1.1.0")
    assert join.in_order([one]) == [one]


def test_the_payload_says_what_the_sheets_say() -> None:
    texts = [
        rubric_sheets.text(evaluator="Zoe", score=5),
        rubric_sheets.text(evaluator="Ada", score=2).replace("date: 2026-11-20", "date: 2026-11-21"),
    ]
    rules = rubric_sheets.rules()
    assert rules.data.instrument is not None
    body = join.payload(
        join.in_order([read("x", text) for text in texts]), rules.data.instrument.templates[0], nothing
    )
    assert body["agent"] == {"name": "Helper", "version": "2.1", "vendor": "Acme"}
    assert body["template"] == {"slug": "customer-service", "schemaName": "customer_service_v1"}
    assert body["evaluators"] == [
        {"name": name, "conflictOfInterest": "none", "consentToPublish": True} for name in ("Ada", "Zoe")
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
    # Ada gives 2 of 5 everywhere, 40 %; Zoe 5 of 5, 100 %; their mean is 70, and 1.3.0 takes off 10.
    assert (body["scores"]["raw_composite"], body["scores"]["composite_score"]) == (70.0, 60.0)
    assert body["agreement"] == {"kind": "inter-rater", "raters": 2, "units": 6 + 5 * 3}


def test_the_first_version_has_neither_tests_nor_disclosures() -> None:
    rules = rubric_sheets.rules("1.0.0")
    assert rules.data.instrument is not None
    one = read("x", rubric_sheets.text("1.0.0"), "1.0.0")
    body = join.payload([one], rules.data.instrument.templates[0], nothing)
    assert body["requiredTests"] is None
    assert body["disclosures"] == {"repeatabilityTested": None, "multiStep": None}


@pytest.mark.parametrize("numbers", [(2,), (1, 3), (3, 7)])
def test_passes_count_from_1_without_a_gap(numbers: tuple[int, ...]) -> None:
    sheets = [read(f"p{number}.yaml", rubric_sheets.text(number=number)) for number in numbers]
    says = rf"^p{numbers[0] if numbers[0] > 1 else 3}\.yaml, line 6: evaluator\.pass: is \d, and no sheet holds pass \d of Ada"
    with pytest.raises(InputError, match=says):
        join.in_order(sheets)


def test_the_passes_of_each_session_count_anew() -> None:
    places = ((1, 1), (2, 2))
    sheets = [
        read(f"{n}.yaml", rubric_sheets.text(session=n, number=number, tested=True)) for n, number in places
    ]
    with pytest.raises(
        InputError, match=r"^2\.yaml, line 6: .*is 2, and no sheet holds pass 1 of Ada over session 2"
    ):
        join.in_order(sheets)


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
    assert len(join.in_order([first, asking(2, "Refund ", "warranty")])) == 2
    says = r"^p2\.yaml, line \d+: domain\.D2\.averagedFrom: scores other questions of session 1, .* p1\.yaml, line"
    with pytest.raises(InputError, match=says):
        join.in_order([first, asking(2, *questions)])


def test_one_question_is_not_several() -> None:
    with pytest.raises(InputError, match=r"^p2\.yaml, line \d+: domain\.D2"):
        join.in_order([read("p1.yaml", rubric_sheets.text()), asking(2, "refund", "warranty")])


@pytest.mark.parametrize("version", ["1.3.0", "2.0.0"])
def test_sessions_that_show_repeatability_ask_the_same_questions(version: str) -> None:
    def held(*second: str) -> list[Filled]:
        sessions = (("refund", "warranty"), second, ("warranty", "Refund "))
        return [
            asking(number, *questions, session=n, version=version)
            for n, questions in enumerate(sessions, 1)
            for number in (1, 2)
        ]

    assert len(join.in_order(held("warranty", "refund"))) == 6
    says = (
        r"^s2p1\.yaml, line \d+: domain\.D2\.averagedFrom: scores other questions of session 2 than s1p1\.yaml, "
        rf"line \d+ of session 1: under rubric {version}"
    )
    with pytest.raises(InputError, match=says):
        join.in_order(held("refund", "delivery"))


def test_before_1_3_0_sessions_may_ask_what_they_like() -> None:
    sheets = [
        asking(1, "refund", question, session=n, version="1.2.0") for n, question in ((1, "a"), (2, "b"))
    ]
    assert join.in_order(sheets) == sheets


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


def joined(version: str, sheets: list[Filled]) -> None:
    """Files have the sha256 of their name, and words of themselves."""

    def pin(_sheet: Filled, _path: object, source: Source) -> Mapping[str, Any]:
        named = source.file or source.excerpt or ""
        return {"sha256": hashlib.sha256(named.encode()).hexdigest(), "excerpt": source.excerpt}

    rules = rubric_sheets.rules(version)
    assert rules.data.instrument is not None
    join.payload(join.in_order(sheets), rules.data.instrument.templates[0], pin)


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
    says = rf"^s{number}p1\.yaml, line 10: session\.n: session {number} cites no document that no other .*rubric {version}"
    with pytest.raises(InputError, match=says):
        joined(version, resting_on(version, *cited))


@pytest.mark.parametrize("version", ["1.3.0", "2.0.0"])
def test_one_document_or_quotation_of_its_own_is_enough(version: str) -> None:
    joined(
        version,
        resting_on(version, "[{file: a}, {file: b}]", "[{file: a}, {file: c}]", "[{excerpt: own}]"),
    )


def test_evidence_is_compared_where_it_was_asked_for_or_given_throughout() -> None:
    same = "[{file: a}]"
    joined("1.2.0", resting_on("1.2.0", same, same))
    joined("1.3.0", resting_on("1.3.0", same, same, "[]"))
    joined("1.3.0", resting_on("1.3.0", same))
