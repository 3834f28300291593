"""Filled-in sheets as text, one part a line, so that a test changes one line and knows its number; and small rules."""

from __future__ import annotations

from functools import cache
from typing import Any

import yaml
from documents import version_files
from rubric_rules import RULES

from benchsite import methodology
from benchsite.methodology import Methodology

CRITERIA = ("accuracy", "completeness", "usefulness")
ANCHORS = {level: f"What {level} means" for level in "12345"}


@cache
def rules(version: str = "1.3.0") -> Methodology:
    """A version with two templates, customer-service and data-analysis."""
    demands = RULES[version]
    data: dict[str, Any] = {
        "track": "rubric",
        "version": version,
        "title": "T",
        "published": "2026-01-01",
        "summary": "S",
        "receiptSchema": "1.0.0",
        "measures": [],
        "parameters": demands.model_dump(by_alias=True),
        "changes": [{"type": "added", "text": "x"}],
        "instrument": {
            "requiredTests": [
                {"id": name, "title": name, "instruction": "Ask.", "desired": "Well.", "failure": "Badly."}
                for name in ("standardisedTask", "hallucination", "invalidInput")
                if demands.required_tests
            ],
            "disclosures": [
                {"id": name, "title": name, "text": "Say it."}
                for name in ("repeatabilityTested", "multiStep")
                if demands.disclosures
            ],
            "dimensions": [
                {"id": f"U{number}", "title": "Task", "question": "Does it?", "anchors": ANCHORS}
                for number in range(1, 7)
            ],
            "criterionAnchors": ANCHORS,
            "templates": [
                _template("customer-service", CRITERIA),
                _template("data-analysis", ("queryAccuracy", "visualizationFit", "insightQuality")),
            ],
        },
    }
    files = version_files(yaml.safe_dump(data, sort_keys=False).encode())
    words = yaml.safe_load(files[methodology.DATA_FILE])
    return methodology.parse(words, files=files, where=f"methodology/rubric/{version}")


def _template(slug: str, criteria: tuple[str, ...]) -> dict[str, Any]:
    return {
        "slug": slug,
        "schemaName": f"{slug.replace('-', '_')}_v1",
        "title": slug,
        "criteria": [{"id": name, "title": name} for name in criteria],
        "scenarios": [{"id": f"D{number}", "title": "S", "task": "Do."} for number in range(1, 6)],
    }


def text(
    version: str = "1.3.0",
    *,
    score: int = 4,
    evaluator: str = "Ada",
    number: int = 1,
    session: int = 1,
    tested: bool | None = None,
) -> str:
    """A sheet that its version accepts; every score is `score`; 2.0.0 tests repeatability, and each session has its words."""
    demands = RULES[version]
    tested = demands.sessions > 1 if tested is None else tested
    lines = [
        f"methodology: {version}",
        "template: customer-service",
        'agent: {name: Helper, version: "2.1", vendor: Acme}',
        "evaluator:",
        f"  name: {evaluator}",
        "  kind: human",
        f"  pass: {number}",
        "  conflictOfInterest: none",
        "  consentToPublish: true",
        "session:",
        f"  n: {session}",
        "  date: 2026-11-20",
    ]
    if demands.disclosures:
        lines += [
            "disclosures:",
            f"  repeatabilityTested: {str(tested).lower()}",
            "  multiStep: single-message",
        ]
    if demands.required_tests:
        lines.append("requiredTests:")
        lines += [
            f"  {name}: {{outcome: pass, note: did well, evidence: []}}"
            for name in ("standardisedTask", "hallucination", "invalidInput")
        ]
    evidence = f'[{{excerpt: "as it said in session {session}"}}]' if demands.evidence else "[]"
    lines.append("universal:")
    lines += [f"  U{place}: {{score: {score}, note: so, evidence: {evidence}}}" for place in range(1, 7)]
    lines.append("domain:")
    criteria = ", ".join(f"{name}: {{score: {score}, note: so}}" for name in CRITERIA)
    lines += [f"  D{place}: {{criteria: {{{criteria}}}, evidence: {evidence}}}" for place in range(1, 6)]
    return "\n".join(lines) + "\n"


def line_of(sheet: str, beginning: str) -> int:
    """The number of the one line that begins so."""
    found = [place for place, line in enumerate(sheet.splitlines(), 1) if line.strip().startswith(beginning)]
    assert len(found) == 1, f"{beginning!r} begins {len(found)} lines"
    return found[0]
