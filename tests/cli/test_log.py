"""`benchsite log` as a person meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Run

from benchsite.log import Proof, Witness, decode_cosignatures

NAME = "witness.example/w1"


def test_the_head_has_the_shape_that_scripts_rely_on(benchsite: Run, begun: Path) -> None:
    shown = json.loads(benchsite("log", "head", "--json", cwd=begun).out)
    assert list(shown) == ["origin", "size", "root", "vkey"]
    assert shown["size"] == 3
    assert shown["vkey"].startswith(f"{shown['origin']}+")
    assert shown["root"] in benchsite("log", "head", cwd=begun).out


@pytest.mark.stories
def test_a_witness_makes_a_key_and_a_line_and_nothing_else_on_stdout(
    benchsite: Run, begun: Path, tmp_path: Path
) -> None:
    made = benchsite("log", "witness-key", "--name", NAME, "--out", tmp_path / "w", cwd=begun)
    assert made.code == 0, made.err
    witness = Witness.parse(made.out.strip())
    file = tmp_path / "w" / "witness.pem"
    assert f"export BENCHSITE_WITNESS_KEY_FILE={file}" in made.err
    assert "PRIVATE KEY" not in made.out + made.err

    key = {"BENCHSITE_WITNESS_KEY_FILE": str(file), "PYTHONIOENCODING": "ascii"}
    done = benchsite("log", "cosign", "--name", NAME, cwd=begun, **key)
    assert done.code == 0, done.err
    # Whatever the terminal can show: the dash of a signature line is part of the format.
    (found,) = decode_cosignatures(done.out.encode())
    assert witness.claims(found.line)
    assert str(witness) in done.err
    assert "your first cosignature" in done.err
    again = benchsite("log", "cosign", "--name", NAME, cwd=begun, **key)
    assert "consistent with the 3 you signed last" in again.err


def test_cosigning_without_a_key_says_how_to_make_one(benchsite: Run, begun: Path) -> None:
    done = benchsite("log", "cosign", "--name", NAME, cwd=begun)
    assert done.code == 5
    assert "no witness key" in done.err
    assert "benchsite log witness-key" in done.err


def test_a_witness_key_in_the_repository_is_refused(benchsite: Run, begun: Path, tmp_path: Path) -> None:
    (begun / "w.pem").write_text("x")
    done = benchsite(
        "log", "cosign", "--name", NAME, cwd=begun, BENCHSITE_WITNESS_KEY_FILE=str(begun / "w.pem")
    )
    assert done.code == 5
    assert "inside the repository" in done.err


def test_events_are_a_table_and_json(benchsite: Run, begun: Path) -> None:
    table = benchsite("log", "events", cwd=begun)
    assert table.code == 0, table.err
    assert [line.split()[:3] for line in table.out.splitlines()[1:]] == [
        ["0", "key", "root"],
        ["1", "key", "receipt"],
        ["2", "key", "log"],
    ]
    events = json.loads(benchsite("log", "events", "--json", cwd=begun).out)["events"]
    assert [(event["index"], event["type"], event["role"]) for event in events] == [
        (0, "key-add", "root"),
        (1, "key-add", "receipt"),
        (2, "key-add", "log"),
    ]
    unknown = benchsite("log", "events", "00000000", cwd=begun)
    assert unknown.code == 2


@pytest.mark.stories
def test_a_proof_goes_to_stdout_or_into_a_file(benchsite: Run, begun: Path, tmp_path: Path) -> None:
    keys = {
        f"BENCHSITE_{role}_KEY_FILE": str(tmp_path / "kept" / f"{role.lower()}.pem")
        for role in ("RECEIPT", "LOG")
    }
    ran = benchsite(
        *("run", "retrieval", "--adapter", "recency", "--fixture", "three-notebooks-v1", "--limit", "2"),
        "--json",
        cwd=begun,
    )
    assert ran.code == 0, ran.err
    told = benchsite("publish", "--yes", "--no-push", "--json", cwd=begun, **keys)
    assert told.code == 0, told.err
    (receipt,) = json.loads(told.out)["published"]
    printed = benchsite("log", "proof", receipt, cwd=begun, PYTHONIOENCODING="ascii")
    assert printed.code == 0, printed.err
    assert Proof.parse(printed.out.encode()).index == 5
    file = tmp_path / "r.tlog-proof"
    written = benchsite("log", "proof", receipt[:8], "--output", file, cwd=begun)
    assert written.code == 0, written.err
    assert written.out == ""
    assert file.read_text() == printed.out
    nowhere = benchsite("log", "proof", receipt, "--output", tmp_path / "none" / "x", cwd=begun)
    assert nowhere.code == 4
    for path in ("results/log/checkpoint", "keys/manifest.json", "results/new.tlog-proof"):
        assert benchsite("log", "proof", receipt, "--output", path, cwd=begun).code == 2, path
    (tmp_path / "loop").symlink_to("loop")
    assert benchsite("log", "proof", receipt, "--output", tmp_path / "loop", cwd=begun).code == 4
    assert benchsite("audit", cwd=begun).code == 0
    about = benchsite("log", "events", receipt, cwd=begun)
    assert "no later entry about this receipt" in about.out
