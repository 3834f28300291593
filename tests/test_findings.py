"""The findings and the README against the record of this repository: each number with a receipt is the receipt's."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from sentences import LONGEST, sentences
from snapshots import opened

from benchsite.pipeline.building.quoted_findings import Written, written_findings
from benchsite.pipeline.claims import Claim, Status, Text, claims
from benchsite.pipeline.claims.numbers import numbers
from benchsite.pipeline.workspace import Workspace

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "content/findings").glob("*.md"))]
FINDINGS = written_findings(ROOT / "content")
TRUE = (Status.MATCHES, Status.NOT_SIGNIFICANT)
"""A finding may be about a system that isn't better than the baseline."""


@pytest.fixture(scope="module")
def found() -> list[Claim]:
    texts = [
        Text(path.relative_to(ROOT).as_posix(), ".md", path.read_text(encoding="utf-8")) for path in PAGES
    ]
    return list(claims(opened(Workspace(ROOT)), texts))


def test_every_number_with_a_receipt_is_the_receipts(found: list[Claim]):
    wrong = [
        f"{one.file}:{one.line}: {one.number} {one.status}: {one.detail}"
        for one in found
        if one.status not in TRUE and not _is_said_to_be_limited(one)
    ]
    assert wrong == []


def test_the_readme_quotes_the_first_three_findings_with_their_numbers(found: list[Claim]):
    """Each has at least two numbers; a finding that the README forgets would leave fewer."""
    quoted = [one for one in found if one.file == "README.md"]
    assert len(quoted) >= 6
    assert all(one.number for one in quoted)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [one.finding.title for one in FINDINGS[:3] if f"({_source(one)})" not in readme] == []


@pytest.mark.parametrize("one", FINDINGS, ids=lambda one: one.finding.path)
def test_the_numbers_of_a_result_are_in_its_page(one: Written):
    """The text of the page has them beside their receipts or their command, where they are checked."""
    body = (ROOT / _source(one)).read_text(encoding="utf-8").partition("\n---\n")[2]
    known = {number.text for number in numbers(body)}
    assert [number.text for number in numbers(one.finding.sentence) if number.text not in known] == []


@pytest.mark.parametrize("one", FINDINGS, ids=lambda one: one.finding.path)
def test_a_finding_is_one_sentence_of_at_most_25_words_and_answers_a_question(one: Written):
    assert one.question.endswith("?")
    (sentence,) = sentences(one.finding.sentence)
    assert sentence.words <= LONGEST


@pytest.mark.parametrize("one", FINDINGS, ids=lambda one: one.finding.path)
def test_a_finding_says_what_it_does_not_show(one: Written):
    assert "\n## What it doesn't show\n" in (ROOT / _source(one)).read_text(encoding="utf-8")


def _source(one: Written) -> str:
    return f"content/{one.finding.path.rstrip('/')}.md"


def _is_said_to_be_limited(one: Claim) -> bool:
    """The number is that of a receipt that isn't ranked because some tasks were not run, and the page says so."""
    limited = one.status is Status.OTHER_SETTINGS and one.detail.startswith("not ranked: limited run")
    return limited and "not ranked" in (ROOT / one.file).read_text(encoding="utf-8")


@pytest.mark.full
def test_the_grid_of_locomo_over_the_record_is_that_of_its_finding(tmp_path: Path, shared: Path):
    """Each row of the finding's table has the claim, the measured range and its place, as `grid` says them of this record."""
    copy = tmp_path / "record"
    subprocess.run(["git", "clone", "-q", ROOT, copy], check=True)
    for granularity in ("turn", "session"):
        for errata in ([], ["--errata", str(shared / "data/locomo_errata.json")]):
            options = ["--granularity", granularity, "--adversarial", *errata]
            _benchsite(copy, "fixture", "import", "locomo", str(shared / "data/locomo10.json"), *options)
    grid = json.loads(_benchsite(copy, "grid", "locomo", "--json"))
    page = (ROOT / "content/findings/settings-of-a-benchmark.md").read_text(encoding="utf-8")
    rows = [
        line for line in page.splitlines() if line.startswith("| ") and "https://" in line and " k = " in line
    ]
    rows = [line for line in rows if line.endswith(") |")]
    assert len(rows) == len(grid["claims"]) == 30
    for row, claim in zip(rows, grid["claims"], strict=True):
        unit = "%" if claim["unit"] == "percent" else ""
        assert f"| {claim['value']:g}{unit} |" in row
        if claim["low"] is not None:
            assert f"| {claim['low']:.3f}–{claim['high']:.3f}, {claim['where']} |" in row
        own = claim["methodology"]["where"] if claim["methodology"]["scores"] else "–"
        assert f"| {own if claim['needs'] else 'the same'} |" in row
    assert (grid["scored"], grid["combinations"], len(grid["systems"])) == (840, 3456, 34)
    spread, text = grid["distribution"], " ".join(page.split())
    assert f"{len(grid['systems'])} systems of this record under {grid['scored']} combinations" in text
    assert (
        f"{grid['combinations'] - grid['scored']:,} of {grid['combinations']:,} combinations weren't scored"
        in text
    )
    assert f"scores run from {spread['low']:.3f} to {spread['high']:.3f}" in text
    for one in grid["spreads"]:
        moved = " | ".join(f"{one[name]:.3f}" for name in ("least", "median", "most"))
        assert f"| {moved} |" in page


def _benchsite(folder: Path, *words: str) -> str:
    command = [sys.executable, "-m", "benchsite", *words]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
