"""The analysis of whole systems: hand-made summaries, and the tables of MAS_Analyzer value by value."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from mas_tree_files import write_tree

from benchsite.errors import InputError
from benchsite.tracks.agents.analysis.folder import Options, analyses, write
from benchsite.tracks.agents.analysis.summaries import read_summary
from benchsite.tracks.agents.analysis.systems import over_tasks

pytest.importorskip("sklearn", reason="scikit-learn is not installed: extra `analysis`")

HEAD = "task_id,benchmark,system_label,eval_avg_score,Q1_success_rate,C1_latency_p95,C2_tokens_total,C3_cost_total,P3_loop_score"
OPTIONS = Options("sas")


def write_summaries(root: Path, **systems: list[str]) -> Path:
    for name, rows in systems.items():
        (root / "shop" / name).mkdir(parents=True)
        lines = [HEAD, *(f"{row.split(',')[0]},shop,{name},{row.partition(',')[2]}" for row in rows)]
        (root / "shop" / name / "summary.csv").write_text("\n".join(lines) + "\n")
    return root


def three(root: Path) -> Path:
    return write_summaries(
        root,
        sas=["a,0,0,10,100,,0", "b,1,1,20,140,,0", "c,1,1,20,900,,0"],
        team=["b,1,1,50,500,,0", "a,1,1,30,300,,0"],
        vote=["a,0,0,80,400,,0.5", "b,1,1,90,520,,0.1"],
    )


def test_systems_are_compared_over_their_common_tasks(tmp_path: Path) -> None:
    (found,) = analyses(three(tmp_path), OPTIONS)
    assert (found["benchmark"], found["reference"], found["tasks"]) == ("shop", "sas", ["a", "b"])
    by_name = {one["system"]: one for one in found["systems"]}
    assert by_name["sas"]["metrics"]["C2_tokens_total"] == 120
    assert by_name["team"]["metrics"]["C1_latency_p95"] == 40
    # vote is worse than sas in everything but the score, which is equal; team has the best score.
    assert [by_name[name]["pareto_frontier"] for name in ("sas", "team", "vote")] == [True, True, False]
    # Lost: sas 1, 1, 0, 0, 0 (score, success, tokens, latency, loop); team 0, 0, 280/340, 25/70, 0; vote 1 in all.
    assert by_name["sas"]["d_ideal"] == pytest.approx(2**0.5)
    assert by_name["team"]["d_ideal"] == pytest.approx(((280 / 340) ** 2 + (25 / 70) ** 2) ** 0.5)
    assert by_name["vote"]["d_ideal"] == pytest.approx(5**0.5)
    assert [by_name[name]["selection_rank"] for name in ("sas", "team", "vote")] == [2, 1, 3]
    assert by_name["sas"]["distance_l2_to_reference"] == 0
    (row,) = (row for row in found["over_tasks"] if row["system"] == "sas")
    assert (row["task_count"], row["avg_tokens"], row["median_tokens"]) == (3, 380, 140)


def test_everything_that_limits_the_analysis_is_said(tmp_path: Path) -> None:
    (found,) = analyses(three(tmp_path), Options("absent"))
    said = "\n".join(found["notes"])
    assert "every distance to the centroid is 1.155, whatever the data" in said
    assert "no system 'absent'" in said
    assert "features without a mean in any system, without effect: C3_cost_total" in said
    assert "compared over 2 tasks that all systems have; some have more: sas 3" in said
    assert found["mahalanobis"]["is_constant"] is True
    assert "a rough guide at most" in said


def test_a_blank_objective_is_excluded_and_a_blank_feature_replaced(tmp_path: Path) -> None:
    write_summaries(tmp_path, sas=["a,0,0,10,100,,0"], team=["a,1,1,,300,,0"])
    (found,) = analyses(tmp_path, OPTIONS)
    assert found["objectives_excluded"] == ["C1_latency_p95"]
    said = "\n".join(found["notes"])
    assert "1 blank replaced by the mean of the other systems; first C1_latency_p95 of team" in said
    assert "shrunk Mahalanobis distance: blank, because nothing varies among the tasks of a system" in said
    assert [one["mahalanobis_shrunk"] for one in found["systems"]] == [None, None]


def test_a_column_is_averaged_over_tasks_for_which_every_system_states_it(tmp_path: Path) -> None:
    write_summaries(
        tmp_path,
        sas=["a,0,0,10,100,,0", "b,1,1,20,,,0"],
        team=["a,1,1,30,300,,0", "b,1,1,50,900,,0"],
        vote=["a,1,1,30,,,0", "b,1,1,50,,,0"],
    )
    (found,) = analyses(tmp_path, OPTIONS)
    # Only task a has tokens of sas and team; vote states none and has no mean.
    tokens = {one["system"]: one["metrics"]["C2_tokens_total"] for one in found["systems"]}
    assert tokens == {"sas": 100, "team": 300, "vote": None}
    assert {one["system"]: one["metrics"]["C1_latency_p95"] for one in found["systems"]} == {
        "sas": 15,
        "team": 40,
        "vote": 40,
    }
    said = "\n".join(found["notes"])
    assert (
        "1 column averaged only over tasks without a blank; first C2_tokens_total: 1 of 2 tasks, blanks in sas"
        in said
    )


def test_tables_are_written_and_a_table_of_means_is_read(tmp_path: Path) -> None:
    documents = analyses(three(tmp_path / "in"), OPTIONS)
    assert write(tmp_path / "out", documents) == [tmp_path / "out"]
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {
        *("topology_metrics.csv", "pareto_frontier.csv", "scaled_descriptor_matrix.csv", "embedding_pca.csv"),
        *("system_level_metrics.csv", "topology_analysis.json"),
    }
    assert json.loads((tmp_path / "out/topology_analysis.json").read_bytes())["benchmark"] == "shop"
    (again,) = analyses(tmp_path / "out/topology_metrics.csv", OPTIONS)
    assert [one["scaled"] for one in again["systems"]] == [one["scaled"] for one in documents[0]["systems"]]


def test_what_cannot_be_compared_is_refused(tmp_path: Path) -> None:
    cases: dict[str, dict[str, list[str]]] = {
        "1 system with a summary, but a comparison needs two": {"sas": ["a,0,0,1,1,,0"]},
        "no task is common to all of 2 systems": {"sas": ["a,0,0,1,1,,0"], "team": ["b,0,0,1,1,,0"]},
        "no summary.csv with a row": {"sas": []},
    }
    for place, (said, systems) in enumerate(cases.items()):
        with pytest.raises(InputError, match=said):
            analyses(write_summaries(tmp_path / str(place), **systems), OPTIONS)
    with pytest.raises(InputError, match="not a folder"):
        analyses(tmp_path / "absent", OPTIONS)
    twice = three(tmp_path / "twice")
    write_summaries(twice / "copy", sas=["a,0,0,1,1,,0"])
    with pytest.raises(
        InputError, match="system 'sas' has two summaries: copy/shop/sas/summary.csv, shop/sas/summary.csv"
    ):
        analyses(twice, OPTIONS)


def test_runs_without_a_summary_are_summarized_from_their_traces(tmp_path: Path) -> None:
    write_tree(tmp_path)
    (found,) = analyses(tmp_path, Options("solo"))
    assert [(one["system"], one["task_count"]) for one in found["over_tasks"]] == [("solo", 2), ("team", 1)]
    first = found["over_tasks"][0]
    assert (first["avg_tokens"], first["avg_tool_calls"], first["avg_handoffs"]) == (57, 2, 3)
    assert (first["avg_latency_ms"], first["avg_score"], first["avg_verification_density"]) == (
        298.5,
        0.5,
        0.4,
    )
    (tmp_path / "shop/solo/summary.csv").write_text("task_id,C2_tokens_total,P3_loop_score\nt_1,60,0\n")
    (found,) = analyses(tmp_path, Options("solo"))
    assert [one["avg_tokens"] for one in found["over_tasks"]] == [60, 57]


def test_traces_and_summaries_of_mas_analyzer_agree(shared: Path, tmp_path: Path) -> None:
    tree = shared / "data/mas_analyzer/workbench"
    if not tree.is_dir():
        pytest.skip("the transcribed runs of MAS_Analyzer are not at hand")
    shutil.copytree(tree, tmp_path / "workbench", ignore=shutil.ignore_patterns("summary.csv"))
    (stated,), (counted,) = analyses(tree, OPTIONS), analyses(tmp_path / "workbench", OPTIONS)
    held = {one["system"]: one for one in stated["over_tasks"]}
    for one in counted["over_tasks"]:
        if one["task_count"] == held[one["system"]]["task_count"]:
            assert one == {
                name: value if name == "system" else pytest.approx(value, rel=1e-12)
                for name, value in held[one["system"]].items()
            }


def oracle(shared: Path, name: str) -> tuple[Path, list[dict[str, str]]]:
    path = shared / "data/mas_analyzer" / name
    if not path.is_file():
        pytest.skip("the tables of MAS_Analyzer are not at hand")
    return path, list(csv.DictReader(path.read_text().splitlines()))


def close(value: str) -> Any:
    return pytest.approx(float(value), rel=1e-9, abs=1e-9)


def test_the_tables_of_mas_analyzer_are_met_value_by_value(shared: Path) -> None:
    path, rows = oracle(shared, "topology_analysis/topology_metrics.csv")
    (found,) = analyses(path, OPTIONS)
    _, scaled = oracle(shared, "topology_analysis/scaled_descriptor_matrix.csv")
    _, plane = oracle(shared, "topology_analysis/embedding_pca.csv")
    _, front = oracle(shared, "topology_analysis/pareto_frontier.csv")
    assert [one["system"] for one in found["systems"]] == [row["topology"] for row in rows]
    for one, row, cells, point in zip(found["systems"], rows, scaled, plane, strict=True):
        assert one["mahalanobis"]["to_centroid"] == close(row["distance_mahalanobis_to_centroid"])
        assert one["mahalanobis"]["to_reference"] == close(row["distance_mahalanobis_to_sas"])
        assert one["distance_l2_to_reference"] == close(row["distance_l2_to_sas"])
        assert one["d_ideal"] == close(row["d_ideal"])
        assert one["pareto_frontier"] == (row["pareto_frontier"] == "True")
        assert one["selection_rank"] == int(row["selection_rank"])
        assert one["scaled"].keys() | {"topology"} == cells.keys()
        assert one["scaled"] == {name: close(cells[name]) for name in one["scaled"]}
        assert one["pca"] == [close(point["pca_1"]), close(point["pca_2"])]
    assert [one["system"] for one in found["systems"] if one["pareto_frontier"]] == [
        row["topology"] for row in front
    ]
    assert "every distance to the centroid is 2.268, whatever the data" in found["notes"][0]


def test_the_metrics_of_mas_analyzer_are_met_value_by_value(shared: Path) -> None:
    path, rows = oracle(shared, "analysis/system_level_metrics.workbench.csv")
    whole = 0
    for row in rows:
        summary = path.parent.parent / "workbench" / row["system_label"] / "summary.csv"
        found = over_tasks(read_summary(summary.read_bytes(), summary.name))
        if found["task_count"] != int(row["task_count"]):
            continue  # rows were removed there
        whole += 1
        assert found == {name: close(row[name]) for name in found}
    assert whole == 5
    documents = analyses(path.parent.parent, OPTIONS)
    (workbench,) = (one for one in documents if one["benchmark"] == "workbench")
    assert (len(workbench["systems"]), len(workbench["tasks"])) == (7, 5)
