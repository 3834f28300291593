"""Benchmarks and published results from the command line, with invented data of WorkBench's shape."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import tiny_workbench
from commands import Run
from packaged_benchmarks import SHIPPED

from benchsite import canonical
from benchsite.tracks.agents.scores.scoring import score


@pytest.fixture
def root(new: Path, tmp_path: Path) -> Path:
    """A new instance beside the published files."""
    write(tmp_path / "data", tiny_workbench.published())
    write(tmp_path / "results", tiny_workbench.results("gpt-9_all"))
    return new


def write(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


@pytest.fixture
def bare(root: Path) -> Path:
    """The instance without the benchmarks that ship with benchsite."""
    for name in SHIPPED:
        shutil.rmtree(root / "fixtures" / name)
    return root


def test_a_new_instance_lists_the_shipped_benchmarks(benchsite: Run, root: Path) -> None:
    listed = json.loads(benchsite("benchmark", "list", "--json", cwd=root).out)["benchmarks"]
    assert [item["id"] for item in listed] == list(SHIPPED)
    facts = json.loads(benchsite("benchmark", "info", "arithmetic-tools", "--json", cwd=root).out)
    assert facts["doingNothing"]["num"] == 0
    assert facts["toolNames"] == ["calculator"]


def test_a_benchmark_is_imported_listed_and_described(benchsite: Run, bare: Path) -> None:
    root = bare
    assert "no benchmarks" in benchsite("benchmark", "list", cwd=root).out
    ran = benchsite("benchmark", "import", "workbench", "../data", cwd=root)
    assert ran.code == 0, ran.err
    assert "imported workbench -> .benchsite/fixtures/workbench/fixture.json" in ran.out
    listed = json.loads(benchsite("benchmark", "list", "--json", cwd=root).out)["benchmarks"]
    assert [(item["id"], item["tasks"]) for item in listed] == [("workbench", 7)]
    assert "7" in benchsite("benchmark", "list", cwd=root).out
    facts = json.loads(benchsite("benchmark", "info", "workbench", "--json", cwd=root).out)
    assert facts["doingNothing"] == {"num": 2, "den": 7}
    assert (facts["tools"], len(facts["toolNames"])) == (26, 26)
    assert facts["companyDirectory"] == ["company_directory.find_email_address"]
    assert (facts["publish"], facts["license"], facts["data"]) == ("full", "MIT", "altered data")
    assert (
        "doingNothingByDomain: analytics 0/1, calendar 1/2"
        in benchsite("benchmark", "info", "workbench", cwd=root).out
    )


def test_a_benchmark_in_both_folders_is_listed_once(benchsite: Run, bare: Path) -> None:
    """The id is read from the repository first, so that is the one shown."""
    root = bare
    assert benchsite("benchmark", "import", "workbench", "../data", cwd=root).code == 0
    imported = root / ".benchsite/fixtures/workbench/fixture.json"
    kept = root / "fixtures/workbench/fixture.json"
    kept.parent.mkdir()
    kept.write_bytes(imported.read_bytes().replace(b'"license":"MIT"', b'"license":"CC0"'))
    (only,) = json.loads(benchsite("benchmark", "list", "--json", cwd=root).out)["benchmarks"]
    assert only["sha256"] == canonical.digest(json.loads(kept.read_bytes()))
    (same,) = [
        row
        for row in json.loads(benchsite("fixture", "list", "--json", cwd=root).out)["fixtures"]
        if row["id"] == "workbench"
    ]
    assert same["sha256"] == only["sha256"]
    listed = benchsite("benchmark", "list", cwd=root).out
    assert (listed.count("workbench"), "CC0" in listed) == (1, True)


def test_one_altered_cell_is_other_data_under_the_same_name(
    benchsite: Run, root: Path, tmp_path: Path
) -> None:
    assert benchsite("benchmark", "import", "workbench", "../data", cwd=root).code == 0
    emails = tmp_path / "data/processed/emails.csv"
    emails.write_bytes(emails.read_bytes().replace(b"Lunch", b"Brunch"))
    refused = benchsite("benchmark", "import", "workbench", "../data", cwd=root)
    assert refused.code == 4
    assert "is used for other content" in refused.err
    assert "--id" not in refused.err, "the command has no such option"
    held = root / ".benchsite/fixtures/workbench"
    assert f"hint: if no receipt refers to the existing one, remove {held}" in refused.err
    shutil.rmtree(held)
    assert benchsite("benchmark", "import", "workbench", "../data", cwd=root).code == 0


def test_a_folder_too_deep_is_said_to_be_it(benchsite: Run, root: Path) -> None:
    processed = benchsite("benchmark", "import", "workbench", "../data/processed", cwd=root)
    assert processed.code == 4
    assert "hint: this folder is processed/ itself: name its parent" in processed.err


def test_what_cannot_be_imported_is_named(benchsite: Run, root: Path) -> None:
    for arguments, code, said in (
        (("benchmark", "import", "workbnch", "../data"), 2, "did you mean 'workbench'?"),
        (("benchmark", "import", "workbench", "../nowhere"), 4, "not a folder"),
        (("benchmark", "import", "workbench", "../results"), 4, "11 files are missing"),
        (("run", "agents", "--system", "null"), 2, "no benchmark given"),
        (
            ("run", "agents", "--benchmark", "absent", "--system", "null"),
            2,
            "no benchmark named 'absent'\n          available: arithmetic-tools, code-repair, kb-lookup, table-ops; `benchsite benchmark import` adds one",
        ),
        (("benchmark", "info", "absent"), 2, "no benchmark named 'absent'"),
        (
            ("run", "retrieval", "--adapter", "bm25", "--fixture", "absent"),
            2,
            "no dataset named 'absent'\n          available: lifeboat-logbook-v1, limit-small, three-notebooks-v1; `benchsite fixture import`",
        ),
        (
            ("import", "workbench-results", "../results", "--configuration", "gpt-8_all"),
            4,
            "available: gpt-9_all",
        ),
        (("import", "workbench-results", "../nowhere", "--configuration", "x"), 4, "not a folder"),
    ):
        ran = benchsite(*arguments, cwd=root)
        assert (ran.code, said in ran.err, "Traceback" in ran.err) == (code, True, False), (
            arguments,
            ran.err,
        )
    assert not list((root / ".benchsite").rglob("*.json")), "nothing half-written"


def test_baselines_run_and_published_results_are_graded(benchsite: Run, root: Path) -> None:
    assert benchsite("benchmark", "import", "workbench", "../data", cwd=root).code == 0
    ran = benchsite(
        "run", "agents", "--benchmarks", "workbench", "--system", "null", "--system", "constant", cwd=root
    )
    assert ran.code == 0, ran.err
    assert "null on workbench: success 28.6%" in ran.out
    dry = benchsite("run", "agents", "--benchmark", "workbench", "--system", "null", "--dry-run", cwd=root)
    assert "7 runs of null 1.0.0 on workbench" in dry.out
    imported = benchsite(
        "import", "workbench-results", "../results", "--configuration", "gpt-9_all", "--json", cwd=root
    )
    assert imported.code == 0, imported.err
    (made,) = json.loads(imported.out)["runs"]
    told = benchsite("import", "workbench-results", "../results", "--configuration", "gpt-9_all", cwd=root)
    assert "measured  gpt-9-all (all tools) on workbench: success 100.0%" in told.out
    assert made["headline"] == "success 100.0%"
    draft = root / f".benchsite/drafts/{made['receiptId']}.json"
    document = json.loads(draft.read_bytes())
    assert document["origin"] == "import"
    assert {item["name"]: item.get("mirrored", False) for item in document["evidence"]} == {
        "actions.jsonl": False,
        "traces.jsonl": True,
    }
    deep = json.loads(benchsite("rescore", "--evaluate", "--json", draft, cwd=root).out)["receipts"][0]
    assert deep["rescore"] == "MATCHES"
    assert [(step["name"], step["state"]) for step in deep["further"]] == [
        ("traces", "pass"),
        ("agreement", "pass"),
        ("evaluation", "pass"),
    ]
    assert (
        f"; imported {document['ranAt']}, methodology agents 1.0.0"
        in benchsite("drafts", "list", cwd=root).out
    )
    plain = benchsite("rescore", draft, cwd=root)
    assert (
        "was not evaluated: run `benchsite rescore --evaluate`, after `benchsite benchmark import workbench PATH`"
        in plain.out
    )
    assert benchsite("rescore", "--all", "--evaluate", cwd=root).code == 2
    held = root / ".benchsite/fixtures/workbench/fixture.json"
    held.write_bytes(held.read_bytes().replace(b"Lunch", b"Brunch"))
    other = benchsite("rescore", "--evaluate", draft, cwd=root)
    assert "benchmark workbench at hand is other data (SHA-256 " in other.out
    assert "benchmark benchmark" not in other.out
    assert "benchmark import" not in other.out


@pytest.mark.full
def test_an_imported_receipt_is_published_without_its_transcripts(
    benchsite: Run, begun: Path, tmp_path: Path
) -> None:
    write(tmp_path / "data", tiny_workbench.published())
    write(tmp_path / "results", tiny_workbench.results("gpt-9_all"))
    keys = {
        f"BENCHSITE_{role.upper()}_KEY_FILE": str(tmp_path / f"kept/{role}.pem")
        for role in ("receipt", "log")
    }
    assert benchsite("benchmark", "import", "workbench", "../data", cwd=begun).code == 0
    assert (
        benchsite("import", "workbench-results", "../results", "--configuration", "gpt-9_all", cwd=begun).code
        == 0
    )
    ran = benchsite("publish", "--yes", cwd=begun, **keys)
    assert ran.code == 0, ran.err
    kept = [path for path in (begun / "results/evidence").rglob("*") if path.is_file()]
    assert len(kept) == 1, "the actions; the transcripts stay outside git"
    assert b'"actions"' in kept[0].read_bytes()
    for command in (("verify", "--all"), ("audit",), ("status",)):
        found = benchsite(*command, cwd=begun)
        assert found.code == 0, (command, found.out, found.err)
    receipt = next((begun / "results/published").rglob("*.json"))
    assert len(list((begun / ".benchsite/attachments").iterdir())) == 1, (
        "the transcripts are kept for a mirror"
    )
    assert benchsite("build", cwd=begun).code == 0
    again = benchsite("rescore", receipt, cwd=begun)
    assert "values of the traced columns follow from traces.jsonl" in again.out


def test_a_trace_is_shown_without_a_receipt(benchsite: Run, tmp_path: Path) -> None:
    path = tmp_path / "run_1.trace.jsonl"
    path.write_bytes(
        b'{"actor":"a","event_type":"plan","id":"e1"}\n{"actor":"a","event_type":"finalize","id":"e2"}\n'
    )
    ran = benchsite("trace", path)
    assert ran.code == 0, ran.err
    assert "runs: 1, 1 complete" in ran.out
    (run,) = json.loads(benchsite("trace", path, "--json").out)["runs"]
    assert (run["columns"]["steps"], run["columns"]["latencyMs"]) == (2, None)
    path.write_bytes(path.read_bytes() + b"half a line")
    shown = benchsite("trace", path, "--json")
    assert json.loads(shown.out)["runs"][0]["problems"][0]["code"] == "half-line"
    for data in (b"[]\n", b"", b"\0" * 100):
        path.write_bytes(data)
        refused = benchsite("trace", path, "--json")
        assert (refused.code, refused.out) == (4, "")
        assert path.name in refused.err
    assert benchsite("trace", tmp_path / "none").code == 4


@pytest.mark.full
def test_outcomes_that_the_benchmark_refutes_are_not_signed(
    benchsite: Run, begun: Path, tmp_path: Path
) -> None:
    write(tmp_path / "data", tiny_workbench.published())
    keys = {
        f"BENCHSITE_{role.upper()}_KEY_FILE": str(tmp_path / f"kept/{role}.pem")
        for role in ("receipt", "log")
    }
    assert benchsite("benchmark", "import", "workbench", "../data", cwd=begun).code == 0
    assert benchsite("run", "agents", "--benchmark", "workbench", "--system", "null", cwd=begun).code == 0
    (draft,) = (begun / ".benchsite/drafts").iterdir()
    forged = json.loads(draft.read_bytes())
    forged["runs"]["outcome"] = ["success"] * 7
    forged |= score(forged["tasks"], forged["runs"]).sections(seed=forged["config"]["seed"])
    draft.write_bytes(canonical.dumps(forged))
    refused = benchsite("publish", "--yes", cwd=begun, **keys)
    assert refused.code == 3
    assert "runs.outcome[0] recorded 'success', recomputed 'failure'" in refused.err
    assert not list((begun / "results/published").rglob("*.json"))


def test_what_the_evaluator_never_saw_is_not_signed(benchsite: Run, begun: Path, tmp_path: Path) -> None:
    """Pages quote skipped actions and the difference of the final state from the evidence that a receipt pins."""
    write(tmp_path / "data", tiny_workbench.published())
    keys = {
        f"BENCHSITE_{role.upper()}_KEY_FILE": str(tmp_path / f"kept/{role}.pem")
        for role in ("receipt", "log")
    }
    assert benchsite("benchmark", "import", "workbench", "../data", cwd=begun).code == 0
    assert benchsite("run", "agents", "--benchmark", "workbench", "--system", "null", cwd=begun).code == 0
    (path,) = (begun / ".benchsite/drafts").iterdir()
    draft = json.loads(path.read_bytes())
    (pinned,) = (item for item in draft["evidence"] if item["name"] == "actions.jsonl")
    lines = (begun / ".benchsite/attachments" / pinned["sha256"]).read_bytes().splitlines()
    first = next(i for i, line in enumerate(lines) if json.loads(line)["difference"])
    invented = {"table": "emails", "row": "1", "column": None, "before": "present", "after": "absent"}
    for name, forged in (
        ("skipped", [{"action": 0, "reason": "no such tool"}]),
        ("difference", [invented]),
    ):
        changed = [*lines]
        changed[first] = canonical.dumps({**json.loads(lines[first]), name: forged})
        data = b"".join(line + b"\n" for line in changed)
        pinned |= {"sha256": canonical.sha256_hex(data), "size": len(data)}
        (begun / ".benchsite/attachments" / pinned["sha256"]).write_bytes(data)
        path.write_bytes(canonical.dumps(draft))
        refused = benchsite("publish", "--yes", cwd=begun, **keys)
        assert refused.code == 3
        assert f"actions.jsonl[{first}].{name} recorded" in refused.err
    assert not list((begun / "results/published").rglob("*.json"))
