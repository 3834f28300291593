"""The configuration file: its keys become settings, and every fault is named by file, line and key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.errors import InputError, UsageError
from benchsite.tracks.agents.run.config_file import line_of, settings
from benchsite.tracks.agents.run.settings import Settings

WHOLE = """\
# an experiment
[models]
default = "simulated:script.json"
judge = { provider = "simulated", model = "judge.json" }

[mas]
agents = 4
rounds = 2
termination_consensus_mode = "lexical"

[mas.sas]
agents = 1

[run]
benchmarks = ["workbench"]
systems = [
    "null",
    "sas",
]
task_limit = 3
runs_per_task = 2
experiment_id = "trial"
output_root = "out"
"""


def read(tmp_path: Path, text: str, **flags: Any) -> Settings:
    path = tmp_path / "experiment.toml"
    path.write_text(text, encoding="utf-8")
    return settings(str(path), flags)


def test_every_table_is_read(tmp_path: Path) -> None:
    found = read(tmp_path, WHOLE)
    assert (found.benchmarks, found.systems) == (("workbench",), ("null", "sas"))
    assert (found.task_limit, found.runs_per_task) == (3, 2)
    assert (found.experiment.root, found.experiment.name) == ("out", "trial")
    null, sas = found.works()
    assert null.request["options"] == {}
    assert sas.request["options"] == {"agents": 1}, (
        "a table of one system is for it alone, and it must take it"
    )
    assert null.request["experiment"]["options"] == {
        "agents": 4,
        "rounds": 2,
        "termination_consensus_mode": "lexical",
    }, "the others are for the systems that take them"
    assert null.request["experiment"]["models"]["judge"] == {"provider": "simulated", "model": "judge.json"}


def test_an_option_of_the_command_line_overrides_a_key(tmp_path: Path) -> None:
    found = read(tmp_path, WHOLE, runs_per_task=5, name="other", systems=("sas",))
    assert (found.runs_per_task, found.experiment.name, found.systems) == (5, "other", ("sas",))
    assert found.task_limit == 3


def test_a_budget_of_tokens_is_part_of_a_name() -> None:
    found = settings(None, {"benchmarks": ("b",), "systems": ("sas_majority@2000", "sas", "command:./x@3")})
    works = list(found.works())
    assert [work.subject for work in works] == ["sas-majority", "sas", "command:./x@3"]
    assert [work.request["options"] for work in works] == [{"budget": 2000}, {}, {}]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("[run]\ntask_limit = 0\n", 2, "run.task_limit: must be at least 1"),
        ("[run]\n\nworker = 2\n", 3, "run.worker: unknown key"),
        ('[run]\nworkers = "two"\n', 2, "run.workers: must be a whole number"),
        ("[run]\nexperiment_id = '../up'\n", 2, "run.experiment_id: "),
        ("[run]\noutput_root = 3\n", 2, "run.output_root: must be text"),
        ('[run]\nbenchmarks = "workbench"\n', 2, "run.benchmarks: "),
        ("[run]\nsystems = [1]\n", 2, "run.systems.0: must be text"),
        ("[run]\nmodels = 1\n", 2, "run.models: unknown key"),
        ("[mas]\nagents = [4]\n", 2, "mas.agents: "),
        ("[mas.sass]\nagents = 1\n", 1, "mas.sass: no system of this name"),
        ("[run]\nseed = 1\n[models]\ndefault = 3\n", 4, "models.default: "),
        ("[ran]\nseed = 1\n", 1, "ran: unknown table"),
        ("seed = 1\n", 1, "seed: unknown key"),
        ("[run]\nseed = 1\nseed = 2\n", 3, ""),
        ("[run\n", 1, ""),
        ("[run]\nseed = \n", 2, ""),
    ],
)
def test_a_fault_names_the_line_and_the_key(tmp_path: Path, text: str, line: int, said: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert caught.value.message.startswith("experiment.toml")
    assert f"line {line}" in caught.value.message
    assert said in caught.value.message


def test_a_fault_of_an_option_names_the_option(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--experiment-id: "):
        read(tmp_path, WHOLE, name="a/b")
    with pytest.raises(UsageError, match="--workers: "):
        settings(None, {"workers": 0})


@pytest.mark.parametrize("data", [b"\xff", b"[run]\nseed = " + b"[" * 100_000])
def test_what_is_no_toml_is_one_error(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "experiment.toml").write_bytes(data)
    with pytest.raises(InputError, match=r"experiment\.toml"):
        settings(str(tmp_path / "experiment.toml"), {})
    with pytest.raises(InputError, match="no such file"):
        settings(str(tmp_path / "absent.toml"), {})


KEYS = st.lists(st.sampled_from(["seed", "workers", "task_limit", "retries"]), unique=True, min_size=1)


@given(keys=KEYS, blanks=st.integers(0, 3), table=st.sampled_from(["run", "mas"]))
def test_the_line_of_a_key_is_where_it_was_written(keys: list[str], blanks: int, table: str) -> None:
    lines = ["# first"] * blanks + [f"[{table}]"] + [f"{key} = 1" for key in keys]
    for place, key in enumerate(keys):
        assert line_of("\n".join(lines), (table, key)) == blanks + 2 + place
    assert line_of("\n".join(lines), (table, "absent")) == blanks + 1
    assert line_of("\n".join(lines), ("absent",)) == 0


TEAM = '[models]\ndefault = "simulated"\n[mas]\nagents = 3\n[run]\nbenchmarks = ["b"]\nsystems = ["only_voting"]\n'


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("agents = 3", "agent = 3", "line 4: mas.agent: no system takes this option"),
        ("agents = 3", "agents = -1", "line 4: mas.agents: must be at least 2"),
        ("agents = 3", 'agents = "3"', "line 4: mas.agents: must be a whole number"),
        ("[mas]\nagents = 3", "[mas.voting]\nagents = 1", "line 4: mas.voting.agents: must be at least 2"),
        ("[mas]", 'jugde = "simulated"\n[mas]', "line 3: models.jugde: no system has this role"),
    ],
)
def test_an_option_or_a_role_that_has_no_effect_is_refused(
    tmp_path: Path, old: str, new: str, place: str
) -> None:
    assert old in TEAM
    with pytest.raises(InputError) as caught:
        read(tmp_path, TEAM.replace(old, new))
    assert place in str(caught.value)


def test_a_system_of_another_author_may_have_any_option_and_role(tmp_path: Path) -> None:
    text = (
        TEAM.replace("only_voting", "command:./mine")
        .replace("agents", "depth")
        .replace("[mas]", 'boss = "simulated"\n[mas]')
    )
    (work,) = read(tmp_path, text).works()
    assert work.request["experiment"]["options"] == {"depth": 3}


def test_of_several_systems_each_takes_the_models_that_it_has_a_role_for() -> None:
    models = {"default": "simulated", "judge": "simulated:1", "boss": "simulated:2"}
    several = settings(None, {"benchmarks": ("b",), "systems": ("null", "sas"), "models": models})
    for work in several.works():
        assert work.request["models"] == {"boss": "simulated:2"}, (
            "a role of no system of ours is never left out"
        )
        assert work.request["experiment"]["models"] == {"default": "simulated", "judge": "simulated:1"}
    (one,) = settings(None, {"benchmarks": ("b",), "systems": ("null",), "models": models}).works()
    assert one.request["models"] == models, "a model for a system without one is a mistake"


@pytest.mark.parametrize(
    "table", ["voting", "majority-voting", "only_voting", "only-voting", "majority_voting"]
)
@pytest.mark.parametrize("system", ["voting", "only_voting", "only-voting"])
def test_a_table_under_another_name_of_the_system_counts(tmp_path: Path, table: str, system: str) -> None:
    text = TEAM.replace("only_voting", system).replace("[mas]", f"[mas.{table}]")
    (work,) = read(tmp_path, text).works()
    assert (work.subject, work.request["options"]) == ("only-voting", {"agents": 3})
