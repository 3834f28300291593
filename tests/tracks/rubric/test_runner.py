from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import rubric_record
import rubric_sheets
from rubric_rules import RULES

from benchsite.errors import InputError
from benchsite.track import Measurement, Resolved, RunContext, Work
from benchsite.tracks.rubric import runner
from benchsite.tracks.rubric.source import SheetFile
from benchsite.tracks.rubric.verification import check, summary
from benchsite.tracks.rubric.violations import violations


@pytest.fixture
def context(tmp_path: Path) -> RunContext:
    """A runner that scores sheets asks for the day, and times nothing."""

    def never() -> Any:
        raise AssertionError

    return RunContext(
        now=lambda: "2026-11-22T00:00:00Z",
        perf_counter_ns=never,
        load_average=never,
        cores=1,
        progress=lambda _done, _total, _label: None,
        temp_dir=str(tmp_path),
    )


def work(folder: Path, texts: dict[str, str]) -> Work:
    files = tuple(SheetFile(folder / name, text.encode()) for name, text in texts.items())
    return Work("rubric", "Helper", "customer-service", "1.3.0", {"sheets": files})


def measured(context: RunContext, texts: dict[str, str], version: str = "1.3.0") -> Measurement:
    resolved = Resolved(rubric_sheets.rules(version))
    return runner.run(work(Path(context.temp_dir), texts), resolved, context)


def test_the_configuration_pins_the_sheets_in_the_order_of_the_payload(context: RunContext) -> None:
    one, two = rubric_sheets.text(evaluator="Zoe"), rubric_sheets.text(evaluator="Ada")
    found = measured(context, {"one.yaml": one, "two.yaml": two})
    assert found.config == {
        "sheets": [hashlib.sha256(text.encode()).hexdigest() for text in (two, one)],
        "subjectSha256": None,
    }
    assert [item["evaluator"] for item in found.payload["sheets"]] == [0, 1]


@pytest.mark.parametrize("version", sorted(RULES))
def test_what_a_version_accepts_breaks_none_of_its_demands(context: RunContext, version: str) -> None:
    """Sheets and receipts are refused by the same rules."""
    several = RULES[version].sessions
    texts = {
        f"{session}{number}.yaml": rubric_sheets.text(version, session=session, number=number)
        for session in range(1, several + 1)
        for number in range(1, RULES[version].sheets + 1)
    }
    found = measured(context, texts, version)
    document = {
        **found.payload,
        "config": found.config,
        "methodology": rubric_sheets.rules(version).reference,
        "evidence": [],
        "ranAt": "2026-11-20T23:00:00Z",
    }
    check(document)
    assert list(violations(document, RULES[version])) == []


def test_evidence_is_pinned_by_its_bytes(context: RunContext) -> None:
    (Path(context.temp_dir) / "t.md").write_text("It declined.\n")
    text = rubric_sheets.text().replace(
        "note: so, evidence: []", "note: so, evidence: [{file: t.md, excerpt: declined}]"
    )
    found = measured(context, {"a.yaml": text})
    sha256 = hashlib.sha256(b"It declined.\n").hexdigest()
    assert [(item.name, item.data) for item in found.evidence] == [("t.md", b"It declined.\n")]
    assert found.payload["universal"]["U4"][0]["evidence"] == [{"sha256": sha256, "excerpt": "declined"}]


def test_a_plan_is_what_the_receipt_will_be(context: RunContext) -> None:
    texts = {"a.yaml": rubric_sheets.text()}
    resolved = Resolved(rubric_sheets.rules())
    plan = runner.plan(work(Path(context.temp_dir), texts), resolved, context)
    found = measured(context, texts)
    document = {
        **found.payload,
        "config": found.config,
        "methodology": resolved.rules.reference,
    }
    assert (plan.identity, plan.config) == (summary(document, None).identity, found.config)
    assert plan.target == ("customer-service", resolved.rules.sha256)
    assert plan.subject == ("Helper", "2.1")
    assert plan.cost == (
        "composite 70.00 under rubric 1.3.0, from 1 sheet, 1 session, 1 evaluator, 0 evidence files"
    )


def noted(context: RunContext, *texts: str) -> str:
    return "\n".join(measured(context, {f"{place}.yaml": text for place, text in enumerate(texts)}).notes)


def test_one_evaluator_is_said(context: RunContext) -> None:
    assert noted(context, rubric_sheets.text()) == (
        "one evaluator: agreement between evaluators is not measured"
    )


def test_agreement_says_whose_it_is(context: RunContext) -> None:
    text = rubric_sheets.text()
    passes = noted(context, text, rubric_sheets.text(number=2))
    assert "intra-rater agreement of 2 passes of one evaluator over 21 scores: not defined" in passes
    # One of 21 units differs, 4 against 5. Kappa: observed disagreement 1/21; expected by the margins
    # (20/21, 1/21) and (21/21, 0): 1/21; so 1 - 1 = 0.
    other = rubric_sheets.text(evaluator="Zoe").replace("U1: {score: 4", "U1: {score: 5")
    both = noted(context, text, other)
    assert "inter-rater agreement of 2 evaluators over 21 scores: Krippendorff's alpha 0.00" in both
    assert "weighted kappa 0.00" in both


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("None.", False),
        ("no conflicts of interest", False),
        ("n/a", False),
        ("nothing at all", False),
        ("I work for Acme", True),
        ("none, but I work for Acme", True),
        ("Nothing Compares advises me", True),
    ],
)
def test_a_conflict_of_interest_is_said(context: RunContext, statement: str, told: bool) -> None:  # noqa: FBT001
    text = rubric_sheets.text().replace("Interest: none", f'Interest: "{statement}"')
    assert ("Ada states a conflict of interest" in noted(context, text)) == told


def test_scores_without_a_word_are_counted(context: RunContext) -> None:
    text = rubric_sheets.text().replace("U1: {score: 4, note: so", "U1: {score: 4, note: ' '")
    assert "1 score has no note" in noted(context, text)
    assert "2 scores have no note" in noted(
        context, text.replace("accuracy: {score: 4, note: so}", "accuracy: {score: 4}", 1)
    )


def test_a_session_of_two_days_is_told(context: RunContext) -> None:
    other = rubric_sheets.text(number=2).replace("2026-11-20", "2026-11-21")
    told = noted(context, rubric_sheets.text(), other)
    assert "session 1 is dated 2026-11-20 in" in told
    assert "and 2026-11-21 in" in told


@pytest.mark.parametrize(("now", "begun"), [("2026-11-19T09:59:59Z", False), ("2026-11-19T10:00:00Z", True)])
def test_no_sheet_is_of_a_day_that_has_begun_nowhere_on_earth(
    context: RunContext,
    now: str,
    begun: bool,  # noqa: FBT001
) -> None:
    """The sheet says 2026-11-20, which begins at UTC+14, fourteen hours before it begins in UTC."""
    then, resolved = replace(context, now=lambda: now), Resolved(rubric_sheets.rules())
    text = rubric_sheets.text()
    asked = work(Path(context.temp_dir), {"a.yaml": text})
    line = rubric_sheets.line_of(text, "date:")
    for ask in (runner.plan, runner.run):
        if begun:
            ask(asked, resolved, then)
            continue
        with pytest.raises(
            InputError, match=rf"a\.yaml, line {line}: session\.date: .*: 2026-11-20"
        ) as caught:
            ask(asked, resolved, then)
        assert "write the date of the session" in caught.value.hint


def test_a_note_of_a_byte_order_mark_is_none(context: RunContext) -> None:
    """What the browser's form and `violations` call blank is blank here too: `unseen.is_blank`."""
    text = rubric_sheets.text().replace("U1: {score: 4, note: so", 'U1: {score: 4, note: "\\uFEFF"')
    assert "1 score has no note" in noted(context, text)


def test_a_fault_in_any_sheet_stops_all(context: RunContext) -> None:
    bad = rubric_sheets.text(number=2).replace("U4: {score: 4", "U4: {score: 6")
    with pytest.raises(InputError, match=r"b\.yaml, line \d+: universal\.U4\.score"):
        measured(context, {"a.yaml": rubric_sheets.text(), "b.yaml": bad})


REAL = Path(__file__).parents[3] / "fixtures" / "rubric-smollm2-135m"


@pytest.mark.parametrize(("version", "count"), [("1.3.0", 2), ("2.0.0", 6)])
def test_the_real_sheets_are_accepted_and_break_nothing(
    context: RunContext, version: str, count: int
) -> None:
    files = tuple(SheetFile(path, path.read_bytes()) for path in sorted(REAL.glob(f"{version}-*.yaml")))
    assert len(files) == count
    rules = rubric_record.rules(version)
    work = Work("rubric", "SmolLM2-135M-Instruct", "design-writing", version, {"sheets": files})
    found = runner.run(work, Resolved(rules), context)
    pins = [{"sha256": hashlib.sha256(item.data).hexdigest()} for item in found.evidence]
    document = {
        **found.payload,
        "config": found.config,
        "methodology": rules.reference,
        "evidence": pins,
        "ranAt": "2026-11-22T00:00:00Z",
    }
    check(document)
    assert list(violations(document, RULES[version])) == []
