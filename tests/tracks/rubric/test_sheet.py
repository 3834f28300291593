from __future__ import annotations

import json
import re
from typing import Any

import pytest
import rubric_sheets
from hypothesis import given
from hypothesis import strategies as st
from rubric_rules import RULES

from benchsite import yaml_document
from benchsite.errors import InputError
from benchsite.tracks.rubric import join, sheet
from benchsite.tracks.rubric.sheet import Sheet

VERSIONS = sorted(RULES)


def parsed(text: str, version: str = "1.3.0") -> Sheet:
    return join.parse(text.encode(), where="a.yaml", methodology=rubric_sheets.rules(version))


def refused(text: str | bytes, version: str = "1.3.0") -> InputError:
    data = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(InputError) as caught:
        join.parse(data, where="a.yaml", methodology=rubric_sheets.rules(version))
    assert caught.value.hint, caught.value.message
    return caught.value


def changed(text: str, beginning: str, old: str, new: str) -> str:
    """The sheet with one line changed."""
    lines = text.splitlines()
    place = rubric_sheets.line_of(text, beginning) - 1
    assert old in lines[place]
    lines[place] = lines[place].replace(old, new, 1)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("version", VERSIONS)
def test_a_sheet_of_every_version_is_read(version: str) -> None:
    found = parsed(rubric_sheets.text(version), version)
    assert (found.methodology, found.template) == (version, "customer-service")
    assert (found.agent.name, found.agent.version, found.agent.vendor) == ("Helper", "2.1", "Acme")
    assert (found.evaluator.name, found.evaluator.pass_) == ("Ada", 1)
    assert (found.session.n, found.session.date) == (1, "2026-11-20")
    assert [getattr(found.universal, f"u{n}").score for n in range(1, 7)] == [4] * 6
    assert found.domain.d5.averaged_from is None
    assert found.domain.d5.criteria is not None
    assert {name: given.score for name, given in found.domain.d5.criteria.items()} == dict.fromkeys(
        rubric_sheets.CRITERIA, 4
    )
    assert (found.required_tests is None) == (version == "1.0.0")


def test_dates_and_versions_may_stand_in_quotes() -> None:
    text = rubric_sheets.text().replace("methodology: 1.3.0", 'methodology: "1.3.0"')
    assert parsed(text.replace("date: 2026-11-20", 'date: "2026-11-20"')) == parsed(rubric_sheets.text())


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("0", "is 0"),
        ("6", "is 6"),
        ("3.5", "is 3.5"),
        ("4.0", "is 4.0"),
        ('"4"', 'is the text "4"'),
        (".nan", "is .nan"),
        (".inf", "is inf"),
        ("true", "is true"),
        ("four", 'is the text "four"'),
        ("[4]", "is a list"),
        ("-4", "is -4"),
        ("1" + "0" * 60, "is 1000"),
    ],
)
@pytest.mark.parametrize("beginning", ["U4", "D2"])
def test_a_score_is_a_whole_number_from_1_to_5(written: str, said: str, beginning: str) -> None:
    text = rubric_sheets.text()
    error = refused(changed(text, beginning, "score: 4", f"score: {written}"))
    path = "universal.U4.score" if beginning == "U4" else "domain.D2.criteria.accuracy.score"
    line = rubric_sheets.line_of(text, beginning)
    assert error.message.startswith(
        f"a.yaml, line {line}: {path}: must be a whole number from 1 to 5, and {said}"
    )


@pytest.mark.parametrize("written", ["null", "", "~"])
def test_an_empty_score_asks_to_be_filled_in(written: str) -> None:
    text = rubric_sheets.text()
    error = refused(changed(text, "U4", "score: 4", f"score: {written}"))
    assert error.message == (
        f"a.yaml, line {rubric_sheets.line_of(text, 'U4')}: universal.U4.score: "
        "is empty: rubric 1.3.0 scores in whole numbers from 1 to 5"
    )
    assert error.hint == "fill in the number of the anchor that describes the session"


WRONG: list[tuple[str, str, str, str, str]] = [
    # line, old, new, path, what is said
    ("agent", "vendor: Acme", "vendor: Acme, colour: red", "agent.colour", "not a key"),
    ("agent", "name: Helper", "nmae: Helper", "agent.nmae", "not a key"),
    ("agent", 'version: "2.1"', "version: 2.1", "agent.version", "must be text, and is 2.1"),
    ("agent", "name: Helper", 'name: ""', "agent.name", "is empty"),
    ("agent", "name: Helper", r'name: "a\nb"', "agent.name", "one line of 1 to 200 characters"),
    ("agent", "name: Helper", "name: no", "agent.name", "must be text, and is false"),
    ("agent", "vendor: Acme", r'vendor: "\u00a0\ufeff"', "agent.vendor", "is blank"),
    (
        "conflictOfInterest",
        "none",
        r'"\u2003"',
        "evaluator.conflictOfInterest",
        "is blank",
    ),
    ("pass", "1", "0", "evaluator.pass", "whole number from 1 to 200, and is 0"),
    ("pass", "1", "one", "evaluator.pass", "whole number from 1 to 200"),
    ("n", "1", "201", "session.n", "whole number from 1 to 200, and is 201"),
    ("consentToPublish", "true", "false", "evaluator.consentToPublish", "public permanently"),
    ("consentToPublish", "true", "1", "evaluator.consentToPublish", "public permanently"),
    ("consentToPublish", "true", '"true"', "evaluator.consentToPublish", "public permanently"),
    ("consentToPublish", "true", "", "evaluator.consentToPublish", "public permanently"),
    ("conflictOfInterest", "none", '""', "evaluator.conflictOfInterest", "is empty"),
    ("date", "2026-11-20", "20 November", "session.date", "a date such as 2026-11-22"),
    ("date", "2026-11-20", "2026-11-20T10:00:00Z", "session.date", "a date such as"),
    ("date", "2026-11-20", "2026-02-29", "session.date", "not valid dates: 2026-02-29"),
    ("date", "2026-11-20", "2026-11-31", "session.date", "not valid dates: 2026-11-31"),
    ("repeatabilityTested", "false", "maybe", "disclosures.repeatabilityTested", "true or false"),
    ("multiStep", "single-message", "both", "disclosures.multiStep", "single-message or multi-turn"),
    ("hallucination", "outcome: pass", "outcome: passed", "requiredTests.hallucination.outcome", "pass,"),
    ("hallucination", "note: did well", 'note: ""', "requiredTests.hallucination.note", "is empty"),
    ("U1", "note: so", r'note: "a\u0007"', "universal.U1.note", "control character"),
    ("U1", "note: so", f"note: {'x' * 4001}", "universal.U1.note", "4,001 characters, more than 4,000"),
    ("U1", "evidence: []", "evidence: [{}]", "universal.U1.evidence.0", "needs a file"),
    ("U1", "evidence: []", "evidence: a.md", "universal.U1.evidence", "must be a list"),
    ("U1", "evidence: []", "evidence: [a.md]", "universal.U1.evidence.0", "must be a mapping"),
    ("U1", "evidence: []", "evidence: [{file: 3}]", "universal.U1.evidence.0.file", "must be text"),
    ("D1", "accuracy", "tone", "domain.D1.criteria", "D1 is scored on completeness, tone, usefulness"),
    (
        "D1",
        ", usefulness: {score: 4, note: so}",
        "",
        "domain.D1.criteria",
        "rubric 1.3.0 scores customer-service on acc",
    ),
    ("template", "customer-service", "sales", "template", "sales is not one of rubric 1.3.0"),
    ("template", "customer-service", "Customer Service", "template", "must be a template's name"),
    ("methodology", "1.3.0", "1.2.0", "methodology", "is read under rubric 1.3.0"),
    ("methodology", "1.3.0", "9.0.0", "methodology", "is read under rubric 1.3.0"),
    ("methodology", "1.3.0", "1.3", "methodology", "must be text, and is 1.3"),
]


@pytest.mark.parametrize(
    ("beginning", "old", "new", "path", "says"), WRONG, ids=[f"{w[0]}: {w[2][:30]}" for w in WRONG]
)
def test_faults_name_file_line_path_and_rule(
    beginning: str, old: str, new: str, path: str, says: str
) -> None:
    text = rubric_sheets.text()
    error = refused(changed(text, beginning + ":", old, new))
    start = f"a.yaml, line {rubric_sheets.line_of(text, beginning + ':')}: {path}: "
    [line] = [line for line in error.message.splitlines() if line.startswith(start)]
    assert says in line


@pytest.mark.parametrize(
    ("written", "advice"),
    [
        ("1.3", "did you mean 1.3.0?"),
        ('"1.3"', "did you mean 1.3.0?"),
        ("3", 'put text in quotes: "1.0", "no"'),
    ],
)
def test_a_version_cut_short_is_guessed_and_a_later_one_is_not(written: str, advice: str) -> None:
    assert refused(changed(rubric_sheets.text(), "methodology:", "1.3.0", written)).hint == advice


@pytest.mark.parametrize("name", ["standardisedTask", "hallucination", "invalidInput"])
@pytest.mark.parametrize("version", ["1.1.0", "1.2.0", "1.3.0", "2.0.0"])
def test_a_required_test_that_is_missing_is_demanded_by_its_version(name: str, version: str) -> None:
    lines = rubric_sheets.text(version).splitlines(keepends=True)
    text = "".join(line for line in lines if not line.strip().startswith(name))
    error = refused(text, version)
    assert f"requiredTests.{name}: is missing: rubric {version} requires" in error.message
    assert f"line {rubric_sheets.line_of(text, 'requiredTests:') + 1}" in error.message


@pytest.mark.parametrize("part", ["U4", "D5", "methodology", "agent", "template"])
def test_a_part_that_is_missing_is_named(part: str) -> None:
    lines = rubric_sheets.text().splitlines(keepends=True)
    error = refused("".join(line for line in lines if not line.strip().startswith(part + ":")))
    path = {"U4": "universal.U4", "D5": "domain.D5"}.get(part, part)
    assert f": {path}: is missing: " in error.message


@pytest.mark.parametrize("name", ["repeatabilityTested", "multiStep"])
def test_a_disclosure_that_is_missing_is_demanded(name: str) -> None:
    lines = rubric_sheets.text("1.1.0").splitlines(keepends=True)
    error = refused("".join(line for line in lines if not line.strip().startswith(name)), "1.1.0")
    assert f"disclosures.{name}: rubric 1.1.0 requires every evaluation to state" in error.message


def test_the_first_version_takes_no_tests_and_no_disclosures() -> None:
    """specs/rubric.md: required tests and disclosures come with 1.1.0."""
    text = rubric_sheets.text("1.1.0").replace("methodology: 1.1.0", "methodology: 1.0.0")
    message = refused(text, "1.0.0").message
    assert "requiredTests: rubric 1.0.0 has no required tests" in message
    assert "disclosures.multiStep: rubric 1.0.0 does not ask" in message


@pytest.mark.parametrize("beginning", ["U6", "D1"])
def test_2_0_0_demands_evidence_for_every_score(beginning: str) -> None:
    text = rubric_sheets.text("2.0.0")
    error = refused(changed(text, beginning, '[{excerpt: "as it said in session 1"}]', "[]"), "2.0.0")
    assert f"line {rubric_sheets.line_of(text, beginning)}" in error.message
    assert "rubric 2.0.0 requires evidence for every score" in error.message
    assert parsed(rubric_sheets.text("1.3.0")).universal.u6.evidence == ()


def averaged(version: str) -> str:
    scores = ", ".join(f"{name}: {{score: 4}}" for name in rubric_sheets.CRITERIA)
    asked = ", ".join(f'{{question: "{name}?", criteria: {{{scores}}}}}' for name in ("One", "Two"))
    text = rubric_sheets.text(version)
    line = text.splitlines()[rubric_sheets.line_of(text, "D3") - 1]
    evidence = line.partition(", evidence: ")[2]
    return text.replace(line, f"  D3: {{averagedFrom: [{asked}], evidence: {evidence}")


def test_averaged_questions_are_read_from_1_1_0_on() -> None:
    found = parsed(averaged("1.1.0"), "1.1.0").domain.d3.averaged_from
    assert [asked.question for asked in found or ()] == ["One?", "Two?"]
    error = refused(averaged("1.0.0"), "1.0.0")
    assert (
        "domain.D3.averagedFrom: D3 averages several questions; under rubric 1.0.0 a scenario is one"
        in error.message
    )


@pytest.mark.parametrize(
    ("new", "says"),
    [
        ("averagedFrom: [], criteria", "has either criteria or averagedFrom"),
        ("averagedFrom: [{}], criteria", "has 1 entries, and must have at least 2"),
    ],
)
def test_a_scenario_has_its_scores_in_one_way(new: str, says: str) -> None:
    error = refused(changed(rubric_sheets.text(), "D3", "criteria", new))
    assert "domain.D3" in error.message
    assert says in error.message or "at least 2" in error.message


def test_all_faults_are_told_in_the_order_of_lines() -> None:
    text = changed(rubric_sheets.text(), "U4", "score: 4", "score: 6")
    text = changed(text, "consentToPublish", "true", "false")
    text = changed(text, "D2", "accuracy", "tone")
    text = changed(text, "agent", "vendor", "seller")
    lines = [int(re.findall(r"line (\d+)", line)[0]) for line in refused(text).message.splitlines()]
    assert lines == sorted(lines)
    assert len(lines) == 5, "vendor and seller, consent, the score, the criteria of D2"


def test_no_foreign_word_can_pass_for_a_line_of_ours() -> None:
    text = changed(rubric_sheets.text(), "agent", "vendor", r'"x\nb.yaml, line 1: y": 1, vendor')
    text = changed(text, "multiStep", "single-message", r'"z\nb.yaml, line 1: template: wrong"')
    lines = refused(text).message.splitlines()
    assert all(line.startswith("a.yaml, line ") for line in lines)
    assert len(lines) == 2


def test_twenty_faults_are_told_and_the_rest_counted() -> None:
    message = refused(rubric_sheets.text().replace("score: 4", "score: 9")).message.splitlines()
    assert len(message) == 21
    assert message[-1] == "and 1 more", "6 dimensions and 15 criteria"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"agent: &a {name: x}\n", "line 1: anchors are not allowed"),
        (b"a: 1\nb: *a\n", "line 2: aliases are not allowed"),
        (b"a: 1\nscore: !!int '4'\n", "line 2: the tag 'tag:yaml.org,2002:int' is not allowed"),
        (b"a: !x 1\n", "line 1: the tag '!x' is not allowed"),
        (b"a: 1\nb: 2\na: 3\n", "line 3: 'a' is given twice"),
        (b"a: 1\nb: \xff\n", "line 2: not UTF-8 at byte 8"),
        (b"a: 1\nb: \x07\n", r"line 2: the character U+0007 is not allowed in YAML"),
        (b"a: [1\n", "not YAML"),
        (b"[" * 40, "line 1: nested deeper than 32"),
        (b"a: " + b"x" * (1 << 20), "larger than 1,048,576 bytes"),
        (b"", "methodology: is missing"),
        (b"- a\n", "line 1: the sheet: must be a mapping"),
        (b"just text", "line 1: the sheet: must be a mapping"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_is_no_plain_yaml_is_refused_with_its_line(data: bytes, says: str) -> None:
    assert says in refused(data).message


def test_an_opening_needs_no_rules_and_leaves_other_faults_for_later() -> None:
    text = rubric_sheets.text()
    wanted = ("1.3.0", "customer-service", "Helper", "a.yaml, line 1: methodology")
    assert sheet.opening(text.encode(), where="a.yaml") == wanted
    wrong = changed(text, "U4", "score: 4", "score: 6").encode()
    assert sheet.opening(wrong, where="a.yaml") == wanted
    with pytest.raises(InputError, match=r"line 1: methodology: .*\n.*universal\.U4\.score"):
        sheet.opening(wrong.replace(b"1.3.0", b"7.0"), where="a.yaml")


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        found.extend(places(item, (*path, key)))
    return found


WHOLE = yaml_document.load(averaged("2.0.0").encode(), "a.yaml").value


@given(path=st.sampled_from(places(WHOLE)), value=anything)
@pytest.mark.stories
def test_whatever_stands_in_a_place_is_read_or_refused_with_a_line(path: tuple[Any, ...], value: Any) -> None:
    document = json.loads(json.dumps(WHOLE))
    inside = document
    for part in path[:-1]:
        inside = inside[part]
    inside[path[-1]] = value
    try:
        join.parse(json.dumps(document).encode(), where="a.yaml", methodology=rubric_sheets.rules("2.0.0"))
    except InputError as error:
        assert re.match(r"a\.yaml(, line \d+)?: ", error.message), error.message
        assert error.hint


@pytest.mark.parametrize("note", ['note: ""', 'note: " "', 'note: "\\uFEFF"'])
@pytest.mark.parametrize(
    ("beginning", "path"), [("U6", "universal.U6"), ("D1", "domain.D1.criteria.accuracy")]
)
def test_2_0_0_demands_a_note_for_every_score(beginning: str, path: str, note: str) -> None:
    text = rubric_sheets.text("2.0.0")
    lines = text.splitlines(keepends=True)
    place = rubric_sheets.line_of(text, beginning)
    lines[place - 1] = lines[place - 1].replace("note: so", note, 1)
    message = refused("".join(lines), "2.0.0").message
    assert f"line {place}: {path}.note: rubric 2.0.0 requires a note for every score" in message
    parsed(rubric_sheets.text("1.3.0").replace("note: so", 'note: ""'))


def test_one_question_cannot_be_averaged_with_itself() -> None:
    text = averaged("1.3.0")
    place = rubric_sheets.line_of(text, "D3")
    message = refused(text.replace('"Two?"', '" ONE? "')).message
    assert (
        f"line {place}: domain.D3.averagedFrom.1.question: D3: a sheet scores one question twice" in message
    )
