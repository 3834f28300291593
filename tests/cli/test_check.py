from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from commands import Run
from rescoring import SIGNATURE
from rubric_receipts import SIX, draft

from benchsite import canonical
from benchsite.canonical import MAX_BYTES
from benchsite.layout import receipt_path

ROW = {"path", "receiptId", "downloadedFrom", "log", "verdict", "rescore", "steps", "violations"}
RESCORED = {
    "path",
    "receiptId",
    "downloadedFrom",
    "rescore",
    "compared",
    "omitted",
    "differences",
    "violations",
    "further",
}
ID = "00000000-0000-4000-8000-000000000001"
LOGGED = "12808b78-5b3b-482a-9236-9beabac652bf"
"""A receipt of tests/pipeline/data/older.bundle."""


def test_a_receipt_larger_than_any_is_invalid_at_parse(benchsite: Run, tmp_path: Path) -> None:
    """DESIGN.md: INVALID at any step, parse included, ends with 3."""
    large = tmp_path / "large.json"
    large.write_bytes(b" " * (MAX_BYTES + 1))
    ran = benchsite("verify", "--json", large)
    (row,) = json.loads(ran.out)["receipts"]
    assert (ran.code, row["verdict"], row["steps"][0]["name"]) == (3, "INVALID", "parse")
    assert set(row) == ROW
    assert benchsite("rescore", large).code == 3


def test_the_largest_receipt_is_read_whole(benchsite: Run, tmp_path: Path) -> None:
    largest = tmp_path / "largest.json"
    largest.write_bytes(b"[]".ljust(MAX_BYTES))
    ran = benchsite("verify", largest)
    assert ran.code == 3
    assert "a receipt is a JSON object" in ran.out


def test_rows_of_what_cannot_be_read_have_every_key(benchsite: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")  # to open it for reading would wait for a writer
    for name in (tmp_path / "absent.json", tmp_path / "pipe.json", tmp_path):
        ran = benchsite("verify", "--json", name)
        (row,) = json.loads(ran.out)["receipts"]
        assert (ran.code, row["verdict"]) == (4, None)
        assert set(row) == ROW | {"error", "hint"}
        assert row["hint"]
    ran = benchsite("rescore", "--json", "absent.json")
    (row,) = json.loads(ran.out)["receipts"]
    assert ran.code == 4
    assert set(row) == RESCORED | {"error", "hint"}
    assert row["hint"]


def envelope(**changes: object) -> bytes:
    """A draft with nothing but the shared fields."""
    document = {
        "schemaVersion": "1.0.0",
        "track": "retrieval",
        "receiptId": ID,
        "benchVersion": "0.1.0",
        "origin": "native",
        "methodology": {"id": "retrieval", "version": "1.0.0", "sha256": "0" * 64},
        "config": {},
        "supersedes": None,
        "reproduces": None,
        "intentId": None,
        "derivedFrom": None,
        "evidence": [],
        "simulated": False,
        "environment": {
            "python": "3.11.2",
            "platform": "Linux",
            "cpu": None,
            "cores": None,
            "loadAverage": None,
            "runner": None,
            "containerImage": None,
            "git": {"commit": None, "dirty": False, "tag": None},
            "packages": None,
        },
        "logHead": None,
        "ranAt": "2026-11-21T00:00:00Z",
        "ranBy": {"kind": "maintainer", "name": "x"},
        **changes,
    }
    return json.dumps(document).encode()


def test_a_track_that_is_not_installed_is_no_usage_error(benchsite: Run, tmp_path: Path) -> None:
    """DESIGN.md: UNSUPPORTED ends with 5."""
    draft = tmp_path / "draft.json"
    draft.write_bytes(
        envelope(track="juggling", methodology={"id": "juggling", "version": "1.0.0", "sha256": "0" * 64})
    )
    ran = benchsite("rescore", draft)
    assert (ran.code, "no track 'juggling' is installed here" in ran.err) == (5, True), ran.err
    assert ran.err.endswith("  hint: install the package of the track\n")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("verify", ""),
        (
            "rescore",
            f"error: {receipt_path(ID)}: receipt schema '9.0.0' is not one this release can check\n",
        ),
    ],
)
def test_a_record_with_an_unknown_schema_ends_with_5(
    benchsite: Run, new: Path, command: str, said: str
) -> None:
    path = new / receipt_path(ID)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b'{"schemaVersion":"9.0.0"}')
    git = ["git", "-C", str(new), "-c", "user.name=t", "-c", "user.email=t@localhost"]
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-qm", "a receipt of the future"], check=True)
    ran = benchsite(command, "--all", "--json", cwd=new)
    assert ran.code == 5, ran.out + ran.err
    assert "receipt schema '9.0.0'" in ran.out
    told = benchsite(command, "--all", cwd=new)
    assert told.err == f"{said}  hint: update benchsite: a newer release may support it\n"


def test_a_file_that_is_no_receipt_is_not_said_to_lack_evidence(benchsite: Run, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(b'{"a":1,"a":2}')
    ran = benchsite("verify", tmp_path / "x.json")
    assert ran.code == 3
    assert ran.out.rstrip().endswith("Scores: NOT RE-SCORABLE: the file could not be read as a receipt.")


def test_a_receipt_that_its_rules_would_not_have_accepted_is_not_called_impossible(
    benchsite: Run, tmp_path: Path
) -> None:
    """Three sessions whose disclosure denies them: rubric 1.3.0 refuses that, and anybody can have scored so."""
    document = draft("1.3.0", SIX, tested=False) | {"signature": SIGNATURE}
    (tmp_path / "receipt.json").write_bytes(canonical.dumps(document))
    ran = benchsite("verify", "receipt.json")
    assert ran.code == 3
    assert "Scores: AGAINST THE RULES. The version that the receipt names would not" in ran.out
    assert "IMPOSSIBLE" not in ran.out


@pytest.mark.parametrize(
    ("data", "hint"),
    [
        (b'{"a":1,"a":2}', "look at line 1, column 8 of the file: od -c -j 7 -N 60 FILE"),
        (b"[]", "a receipt is never edited: fetch the published file, or re-run the benchmark"),
        (b'{"schemaVersion":"9.0.0"}', "update benchsite: a newer release may support it"),
        (b'{"a":1,"signature":1}', "the project that published the file can say what checks it"),
    ],
)
def test_the_next_step_is_shown_wherever_the_refusal_is(
    benchsite: Run, tmp_path: Path, data: bytes, hint: str
) -> None:
    """STYLE.md, habit 15: what stopped `verify` is a step of an examination, and an error of `rescore`."""
    (tmp_path / "x.json").write_bytes(data)
    assert benchsite("verify", "x.json").err == f"  hint: {hint}\n"
    assert benchsite("rescore", "x.json").err.endswith(f"  hint: {hint}\n")
    (row,) = json.loads(benchsite("rescore", "--json", "x.json").out)["receipts"]
    assert row["hint"] == hint


def test_a_file_that_cannot_be_read_has_its_next_step(benchsite: Run) -> None:
    for command in ("verify", "rescore"):
        assert benchsite(command, "absent.json").err.endswith("  hint: check the path and its permissions\n")


def test_status_says_what_to_do_about_a_key_that_it_cannot_use(
    benchsite: Run, new: Path, tmp_path: Path
) -> None:
    (tmp_path / "key").write_bytes(b"\xff")
    found = json.loads(benchsite("status", "--json", cwd=new, BENCHSITE_LOG_KEY_FILE=tmp_path / "key").out)
    assert "not a text file" in found["keys"]["log"]
    assert any("`benchsite keys init`" in step for step in found["next"] if "not a text file" in step)


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """A record of seven receipts."""
    bundle = Path(__file__).parents[1] / "pipeline" / "data" / "older.bundle"
    subprocess.run(["git", "clone", "-q", "-b", "main", str(bundle), str(tmp_path / "older")], check=True)
    return tmp_path / "older"


def test_only_receipts_are_counted_as_receipts(benchsite: Run, tmp_path: Path) -> None:
    """A file that cannot be read is a problem, and no receipt that was verified."""
    (tmp_path / "one.json").write_bytes(b"[]")
    ran = benchsite("verify", tmp_path / "one.json", tmp_path / "none.json")
    assert ran.out.splitlines()[-1] == "1 receipt verified: 1 INVALID; 2 problems"


def test_each_receipt_of_a_record_is_named(benchsite: Run, older: Path) -> None:
    ran = benchsite("verify", "--all", cwd=older)
    assert ran.code == 0, ran.err
    assert "\nLOGGED  70ba5eb7-ed5c-4958-97a0-4069db91af74  bm25 1.0.0 on small-v1\n" in ran.out


def test_matching_scores_of_an_altered_file_are_a_warning_and_its_last_line(
    benchsite: Run, older: Path
) -> None:
    """As on verify.html. The signature covers `cpu`, which no score is computed from."""
    document = json.loads((older / receipt_path(LOGGED)).read_bytes())
    document["environment"]["cpu"] = "another one"
    (older / "altered.json").write_bytes(canonical.dumps(document))
    ran = benchsite("verify", "altered.json", cwd=older)
    assert ran.code == 3
    assert ran.out.splitlines()[-1] == "  △ Re-score: scores match the altered file only"
    assert "recomputed and equal" not in ran.out
    (row,) = json.loads(benchsite("verify", "--json", "altered.json", cwd=older).out)["receipts"]
    assert [step["state"] for step in row["steps"] if step["name"] == "re-score"] == ["warning"]
