"""Folders of MAS_Analyzer at any depth, in part, and damaged: which runs are imported, and why others are not."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from mas_tree_files import evaluation, metrics, write_run, write_tree

from benchsite.errors import InputError
from benchsite.pipeline.workspace.files import Folder
from benchsite.tracks.agents.importers.mas_finished import means
from benchsite.tracks.agents.importers.mas_runs import SUFFIXES
from benchsite.tracks.agents.importers.mas_tree import Tree, read_tree, task_list


def read(root: Path) -> Tree:
    return read_tree(Folder(root, SUFFIXES, 10**8), root.name)


def named(tree: Tree) -> list[tuple[str, str, list[str]]]:
    return [(one.benchmark, one.label, list(one.runs)) for one in tree.systems]


def test_systems_are_found_with_their_runs(tmp_path: Path) -> None:
    tree = read(write_tree(tmp_path / "all"))
    assert named(tree) == [("shop", "solo", ["t_1", "t_2"]), ("shop", "team", ["t_1"])]
    assert [(one.kind, one.version) for one in tree.systems] == [
        ("single-agent", "20260102T030405Z"),
        ("multi-agent", "20260102T030405Z"),
    ]
    assert not tree.skipped
    assert means(tree.systems[0]) == {
        "tasks": 2,
        "runs": 2,
        "success": 1,
        "tokens": 57,
        "tool_calls_with_sends": 2,
        "communication": 1,
        "handoffs": 3,
        "steps": 10,
        "latency_ms": 298.5,
        "cost_usd": 0,
        "loop_score": 0,
        "verification_density": 0.4,
    }


@pytest.mark.parametrize(
    ("folder", "start", "label"),
    [
        ("a/b/c/shop/Équipe 7/t_1", ".", "Équipe 7"),
        ("shop/solo/t_1", "shop", "solo"),
        ("shop/solo/t_1", "shop/solo", "voting"),
        ("shop/solo/t_1", "shop/solo/t_1", "voting"),
        ("team/20260304T215653Z/t_1", ".", "team"),
        ("shop/20260304T215653Z/shop/t_1", ".", "voting"),
    ],
)
def test_names_come_from_files_then_from_folders(tmp_path: Path, folder: str, start: str, label: str) -> None:
    write_run(tmp_path / "x" / folder, "t_1")
    assert named(read(tmp_path / "x" / start)) == [("shop", label, ["t_1"])]


def test_settings_and_summaries_name_what_runs_do_not(tmp_path: Path) -> None:
    write_run(tmp_path / "shop/solo/t_1", "t_1")
    settings = {
        "experiment_id": "e-1",
        "models": {"default": "m/1", "judge": "m/2"},
        "system": {"system_label": "duo", "mas": {"number_of_agents": 2}},
        "benchmark_root": "/Users/ann/x",
    }
    (tmp_path / "shop/solo/experiment_settings.json").write_text(json.dumps(settings))
    (one,) = read(tmp_path).systems
    assert (one.label, one.version, one.agents) == ("duo", "e-1", 2)
    assert one.models == {"default": "m/1", "judge": "m/2"}
    (tmp_path / "shop/solo/experiment_settings.json").unlink()
    (tmp_path / "shop/solo/summary.csv").write_text("task_id,system_label,agents\r\nt_1,trio,3\r\n")
    (one,) = read(tmp_path).systems
    assert (one.label, one.agents) == ("trio", 3)


def test_names_have_no_path_of_a_machine_and_no_endless_length(tmp_path: Path) -> None:
    run = write_run(tmp_path / "shop/solo/t_1", "t_1")
    told = metrics("/Users/ann/t" + "x" * 10_000, success=False, benchmark="/home/ann/shop")
    run.with_suffix(".trace_metrics.json").write_text(json.dumps(told))
    run.with_suffix(".eval.json").unlink()
    settings = {"models": {"default": "/Users/ann/m.gguf"}, "experiment_id": " \u200b"}
    (tmp_path / "experiment_settings.json").write_text(json.dumps(settings))
    (one,) = read(tmp_path).systems
    names = [one.benchmark, one.label, one.version, *one.models.values(), *one.runs]
    assert all(1 <= len(name) <= 200 and "ann" not in name for name in names), names
    assert one.version == "not stated"


def test_a_number_written_twice_is_one_run(tmp_path: Path) -> None:
    first = write_run(tmp_path / "shop/solo/t_1", "t_1")
    for part in ("trace.jsonl", "eval.json"):
        shutil.copy(first.with_suffix(f".{part}"), first.parent / f"run_00.{part}")
    tree = read(tmp_path)
    assert [item.path for item in tree.skipped] == ["shop/solo/t_1/run_00"]
    assert len(tree.systems[0].every) == 1


def half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda run: half(run.with_suffix(".trace.jsonl")), "run_0.trace.jsonl line "),
        (lambda run: half(run.with_suffix(".eval.json")), "run_0.eval.json: "),
        (lambda run: half(run.with_suffix(".trace_metrics.json")), "run_0.trace_metrics.json: "),
        (lambda run: run.with_suffix(".trace.jsonl").unlink(), "run_0.trace.jsonl is missing"),
        (lambda run: run.with_suffix(".trace.jsonl").write_text(""), "no event"),
        (
            lambda run: run.with_suffix(".eval.json").write_text(
                json.dumps(evaluation("t_2", success=False))
            ),
            "contradictory outcomes: eval.json: success is false, trace_metrics.json: outcome.success is true",
        ),
        (lambda run: run.with_suffix(".eval.json").write_text("[]"), "must be a JSON object"),
        (
            lambda run: run.with_suffix(".eval.json").write_text(
                json.dumps(evaluation("t_2", success=True) | {"error": "boom"})
            ),
            "a success and an error are stated",
        ),
    ],
)
def test_a_damaged_run_is_skipped_and_listed(
    tmp_path: Path, damage: Callable[[Path], None], said: str
) -> None:
    damage(write_tree(tmp_path / "all") / "shop/solo/t_2/run_0")
    tree = read(tmp_path / "all")
    assert named(tree) == [("shop", "solo", ["t_1"]), ("shop", "team", ["t_1"])]
    (skipped,) = tree.skipped
    assert skipped.path == "shop/solo/t_2/run_0"
    assert said in skipped.reason
    assert str(tmp_path) not in skipped.reason


def test_any_file_that_states_the_outcome_is_enough(tmp_path: Path) -> None:
    for part in ("eval.json", "trace_metrics.json"):
        run = write_run(tmp_path / part / "shop/solo/t_1", "t_1", success=True)
        run.with_suffix(f".{part}").unlink()
        (one,) = read(tmp_path / part).systems
        assert [each.success for each in one.every] == [True]
    write_run(tmp_path / "none/shop/solo/t_1", "t_1")
    for part in ("eval.json", "trace_metrics.json"):
        (tmp_path / f"none/shop/solo/t_1/run_0.{part}").unlink()
    with pytest.raises(InputError) as refused:
        read(tmp_path / "none")
    assert (
        "no run can be imported: 1 run skipped; first shop/solo/t_1/run_0: no outcome"
        in refused.value.message
    )


def test_every_task_keeps_the_same_number_of_runs(tmp_path: Path) -> None:
    for task, count in (("t_1", 3), ("t_2", 2), ("t_10", 2), ("t_3", 1)):
        for number in range(count):
            write_run(tmp_path / "shop/team" / task, task, number=number + 1)
    tree = read(tmp_path)
    (one,) = tree.systems
    assert (one.repeats, list(one.runs)) == (2, ["t_1", "t_2", "t_10"])
    assert [item.reason for item in tree.skipped] == [
        "run 3 of t_1: 2 runs of every task are imported",
        "run 1 of t_3: its task has 1 run, but 2 are imported",
    ]


def test_one_system_in_two_folders_is_refused(tmp_path: Path) -> None:
    write_tree(tmp_path / "all")
    shutil.copytree(tmp_path / "all/shop/solo", tmp_path / "all/copy/shop/solo")
    with pytest.raises(InputError) as refused:
        read(tmp_path / "all")
    assert "system solo of experiment 20260102T030405Z on shop is in two folders" in refused.value.message
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="it has no file run_N"):
        read(tmp_path / "empty")


def test_the_id_of_a_task_list_follows_from_its_content() -> None:
    one = task_list("Shop", {"Tea & co": "q", "tea-co": "", "茶": ""}, license_text="MIT", source="here")
    same = task_list("Shop", {"Tea & co": "q", "tea-co": "", "茶": ""}, license_text="MIT", source="here")
    other = task_list("Shop", {"Tea & co": "r", "tea-co": "", "茶": ""}, license_text="MIT", source="here")
    assert (one.id, one.imported.data) == (same.id, same.imported.data)
    assert one.id != other.id
    assert len(set(one.ids.values())) == 3
    assert json.loads(one.imported.data)["publish"] == "full"


def test_totals_that_files_state_otherwise_are_named(tmp_path: Path) -> None:
    run = write_run(tmp_path / "shop/team/t_1", "t_1")
    told = metrics("t_1", success=False)
    told["metrics"]["tokens_total"] = 58.0
    run.with_suffix(".trace_metrics.json").write_text(json.dumps(told))
    (one,) = read(tmp_path).systems
    assert one.every[0].unlike == ("tokens_total is 58, its trace gives 57",)
