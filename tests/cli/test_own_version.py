"""A rubric version of one's own, end to end without code: other weights, a penalty, and a template of its own."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from commands import Run
from publishing import git

pytestmark = pytest.mark.stories

VERSION = "2.1.0"
CRITERIA = ("grounding", "clarity", "restraint")
WEIGHTS = {"universalWeight": "1/3", "domainWeight": "2/3"}


def own(folder: Path) -> None:
    """What a maintainer writes: words, weights, a penalty, one session of one sheet, and a template for librarians."""
    members = json.loads((folder / "parameters.json").read_text())
    members["parameters"] |= {**WEIGHTS, "penalty": 4, "sessions": 1, "sheets": 1, "evidence": False}
    (folder / "parameters.json").write_text(json.dumps(members))
    path = folder / "methodology.yaml"
    text = path.read_text().replace(
        "changes: []", "changes:\n  - type: changed\n    text: Weights, and a template for librarians."
    )
    document = yaml.safe_load(text)
    template = {
        "slug": "library",
        "schemaName": "library_v1",
        "title": "Library desk",
        "criteria": [{"id": name, "title": name.title()} for name in CRITERIA],
        "scenarios": [{"id": f"D{n}", "title": f"Desk {n}", "task": "Find the book."} for n in range(1, 6)],
    }
    document["instrument"]["templates"].append(template)
    instrument = yaml.safe_dump({"instrument": document["instrument"]}, sort_keys=False, allow_unicode=True)
    head, _, tail = text.partition("\ninstrument:\n")
    rest = re.split(r"(?m)^(?=[a-z])", tail, maxsplit=1)[1:]
    path.write_text(f"{head}\n{instrument}{''.join(rest)}")


def filled(sheet: str) -> str:
    """U1 to U6 are 5, 4, 3, 2, 1, 3; every scenario 5, 4, 4."""
    marks = iter([5, 4, 3, 2, 1, 3, *[5, 4, 4] * 5])
    sheet = re.sub(r"(?m)^( *)score:$", lambda found: f"{found[1]}score: {next(marks)}", sheet)
    answers = {
        "kind": "human",
        "consentToPublish": "true",
        "date": "2026-11-20",
        "repeatabilityTested": "false",
        "multiStep": "multi-turn",
        "outcome": "pass",
    }
    for key, value in answers.items():
        sheet = re.sub(rf"(?m)^( *{key}:)$", rf"\1 {value}", sheet)
    return re.sub(r'(?m)^( *\w+): ""(  # required)?$', r"\1: said", sheet)


def published(root: Path) -> dict[str, Any]:
    [path] = (root / "results/published").glob("*/*.json")
    found: dict[str, Any] = json.loads(path.read_bytes())
    return found


def test_a_version_of_ones_own_needs_no_code(benchsite: Run, begun: Path, tmp_path: Path) -> None:
    made = benchsite("methodology", "new", "rubric", VERSION, cwd=begun)
    assert made.code == 0, made.err
    folder = begun / "methodology/rubric" / VERSION
    own(folder)
    checked = benchsite("methodology", "check", folder, cwd=begun)
    assert checked.code == 0, checked.err
    git(begun, "add", "-A")
    git(begun, "commit", "-qm", "rubric 2.1.0")

    sheet = tmp_path / "sheet.yaml"
    blank = benchsite("methodology", "new-sheet", VERSION, "library", "--output", sheet, cwd=begun)
    assert blank.code == 0, blank.err
    sheet.write_text(filled(sheet.read_text()))
    ran = benchsite("run", "rubric", sheet, cwd=begun)
    assert ran.code == 0, ran.err
    keys = {
        f"BENCHSITE_{role.upper()}_KEY_FILE": f"{tmp_path}/kept/{role}.pem" for role in ("receipt", "log")
    }
    sent = benchsite("publish", "--yes", cwd=begun, **keys)
    assert sent.code == 0, sent.err

    document = published(begun)
    assert document["template"] == {"slug": "library", "schemaName": "library_v1"}
    # U = 18/30 = 60; D = 13/15 = 260/3; composite = 1/3 × 60 + 2/3 × 260/3 − 4 = 20 + 520/9 − 4 = 664/9 = 73.78.
    assert document["exact"]["raw_composite"] == "700/9"
    assert document["exact"]["composite_score"] == "664/9"
    assert document["scores"]["composite_score"] == 73.78
    seen = benchsite("verify", "--all", "--json", cwd=begun)
    assert seen.code == 0, seen.err
    [row] = json.loads(seen.out)["receipts"]
    assert (row["verdict"], row["rescore"], row["violations"]) == ("LOGGED", "MATCHES", [])

    built = benchsite("build", "--output", tmp_path / "site", cwd=begun)
    assert built.code == 0, built.err
    page = (
        tmp_path / f"site/receipts/{document['receiptId'][:2]}/{document['receiptId']}/index.html"
    ).read_text()
    assert "1/3: six universal dimensions" in page
    assert "Library desk" in page
    form = (tmp_path / "site/rubric/library/evaluate" / VERSION / "index.html").read_text()
    assert "Universal, 1/3" in form


@pytest.mark.parametrize(
    ("command", "said"),
    [("verify", "'nowhere' does not exist"), ("rescore", "'nowhere' is neither a folder nor a version")],
)
def test_a_methodology_folder_that_is_not_there_is_named(
    benchsite: Run, tmp_path: Path, command: str, said: str
) -> None:
    (tmp_path / "receipt.json").write_text("{}")
    result = benchsite(command, "receipt.json", "--methodology", "nowhere", cwd=tmp_path)
    assert result.code == 2
    assert said in result.err
