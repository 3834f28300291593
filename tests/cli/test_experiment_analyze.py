"""Systems compared from the command line, from artifacts of an experiment that was run here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from commands import Run

RUN = ("run", "agents", "--benchmark", "arithmetic-tools", "--task-limit", "4", "--experiment-id", "trial")


def test_the_systems_of_an_experiment_are_compared(benchsite: Run, new: Path) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed: extra `analysis`")
    for system in ("null", "spam-tools"):
        ran = benchsite(*RUN, "--system", system, cwd=new)
        assert ran.code == 0, ran.err
    folder = "artifacts/full_experiment/trial"
    ran = benchsite("experiment", "analyze", folder, "--reference", "null", "--output", "out", cwd=new)
    assert ran.code == 0, ran.err
    assert "arithmetic-tools: 2 systems" in ran.out
    assert "every distance to the centroid is 0.707, whatever the data" in ran.err
    assert (new / "out/topology_metrics.csv").is_file()
    shown = benchsite("experiment", "analyze", folder, "--reference", "null", "--json", cwd=new)
    (found,) = json.loads(shown.out)["benchmarks"]
    assert len(found["tasks"]) == 4
    by_name = {one["system"]: one for one in found["systems"]}
    assert by_name["null"]["metrics"]["C4_tool_calls_total"] == 0
    assert by_name["spam-tools"]["metrics"]["C4_tool_calls_total"] > 0
    assert by_name["null"]["distance_l2_to_reference"] == 0
    assert by_name["spam-tools"]["distance_l2_to_reference"] > 0


def test_what_cannot_be_analyzed_is_refused(benchsite: Run, new: Path) -> None:
    (new / "empty").mkdir()
    (new / "table.csv").write_text("a,b\n1,2\n")
    for path, said in (
        ("empty", "no summary.csv with a row below empty"),
        ("absent", "cannot read absent: not a folder"),
        ("table.csv", "table.csv line 1: no column topology or system or system_label"),
    ):
        refused = benchsite("experiment", "analyze", path, "--output", "out", cwd=new)
        assert (refused.code, said in refused.err) == (4, True), refused.err
        assert "hint: " in refused.err
    assert not (new / "out").exists()


def test_a_build_imports_no_analysis() -> None:
    code = (
        "import sys, benchsite.pipeline.build, benchsite.plugins as p; import benchsite.tracks.agents.pages.receipt_page; [(t.charts, t.paired, t.results, t.fixtures, t.engines) for t in p.tracks().values()]; "
        "print([m for m in ('sklearn', 'umap', 'pandas', 'benchsite.tracks.agents.analysis.geometry') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert out.stdout == "[]\n", out.stdout + out.stderr
