"""The executor `dask` without Dask: a worker that is a function of this process and is given what travels as bytes."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from agents_receipts import context, document, resolved, work
from examples import some
from untimed_artifacts import descriptors

from benchsite import environment
from benchsite.errors import IntegrityError, PrerequisiteError, UsageError
from benchsite.executors import cluster
from benchsite.pipeline.measure.surroundings import elsewhere
from benchsite.track import Grant, Measurement
from benchsite.tracks.agents.run import runner
from benchsite.tracks.agents.run.experiment import inputs, worker

PLANTED = "sk-planted-0123456789"
NAME = "tcp://there:1"


class There:
    """A worker with another working folder, which returns the last unit first."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.travelled = folder, b""
        self.installed: Callable[[tuple[str, ...]], tuple[str, ...]] = lambda found: found
        self.alter: Callable[[worker.Order], worker.Order] = lambda order: order
        self.damage = b""

    def ask(self, function: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
        found = function(*self._sent(arguments))
        return {NAME: self.installed(found) if function is worker.runs_on else found}

    def held(self, data: bytes, sha256: str) -> bytes:
        return data + self.damage

    def results(
        self, work: Any, order: Any, data: Sequence[bytes], units: Iterable[Any], **_: Any
    ) -> Iterator[tuple[Any, Any]]:
        order = self.alter(self._sent(order))
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            done = [(unit, *work(NAME, order, data, self._sent([unit]))) for unit in units]
        yield from reversed(done)

    def _sent(self, value: Any) -> Any:
        data = pickle.dumps(value)
        self.travelled += data
        return pickle.loads(data)  # noqa: S301 - just written


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> There:
    (tmp_path / "there").mkdir()
    monkeypatch.setenv("OPENAI_API_KEY", PLANTED)
    found = There(tmp_path / "there")

    @contextmanager
    def connected(_address: str, _workers: int) -> Iterator[There]:
        yield found

    monkeypatch.setattr(cluster, "connected", connected)
    return found


def measured(folder: Path, executor: str, **experiment: Any) -> Measurement:
    how = {"root": str(folder), "name": "e", "executor": executor, "workers": 1, **experiment}
    asked = work("random-choice", runs_per_task=2, limit=2, experiment=how)
    made = replace(
        context(),
        secrets=(PLANTED,),
        new_id=lambda: "id",
        elsewhere=elsewhere,
        installed=environment.runs_on,
    )
    return runner.run(asked, resolved("random-choice"), made)


def test_results_in_any_order_end_in_the_same_descriptors_and_files(there: There, tmp_path: Path) -> None:
    here = document(measured(tmp_path / "one", "inline"))
    away = document(measured(tmp_path / "two", "dask"))
    assert descriptors(tmp_path / "two/e") == descriptors(tmp_path / "one/e")
    names = [sorted(path.name for path in (tmp_path / one).rglob("*")) for one in ("one", "two")]
    assert names[0] == names[1]
    assert (away["tasks"], away["scores"]) == (here["tasks"], here["scores"])
    assert list(there.folder.iterdir()) == []


def test_no_value_of_a_variable_travels(there: There, tmp_path: Path) -> None:
    measured(tmp_path, "dask")
    assert b"random_choice" in there.travelled
    assert PLANTED.encode() not in there.travelled


@pytest.mark.parametrize(
    "changed",
    some(
        [
            {"grant": Grant()},
            {"hidden": ("/answers",)},
            {"sealed": ("/answers",)},
            {"reference": "other:System"},
        ],
        gate=1,
    ),
    ids=lambda changed: next(iter(changed)),
)
def test_a_worker_makes_another_bench_when_a_permission_changes(
    changed: dict[str, Any], there: There, tmp_path: Path
) -> None:
    orders: list[worker.Order] = []
    there.alter = lambda order: orders.append(order) or order  # type: ignore[func-returns-value]
    measured(tmp_path, "dask")
    before = replace(orders[0], grant=Grant(network=True, environment=("API_KEY",)))
    assert replace(before, **changed).sha256 != before.sha256


@pytest.mark.parametrize(
    ("installed", "words"),
    some(
        [
            (lambda found: (*found, "zz-extra==9.1"), "zz-extra 9.1 there, absent here"),
            (lambda found: ("python==3.99.0", *found[1:]), "python 3.99.0 there, "),
            (lambda found: tuple(one for one in found if "click" not in one), "click is absent there, "),
        ],
        gate=1,
    ),
)
def test_a_worker_that_runs_on_other_packages_is_named_and_refused(
    there: There, tmp_path: Path, installed: Callable[[Any], Any], words: str
) -> None:
    there.installed = installed
    with pytest.raises(PrerequisiteError, match=words) as refused:
        measured(tmp_path, "dask")
    assert f"worker {NAME} runs on other packages" in refused.value.message
    assert not (tmp_path / "e/workbench/random-choice/runs.jsonl").exists()


def test_a_worker_that_comes_later_is_refused_as_well(there: There, tmp_path: Path) -> None:
    there.alter = lambda order: replace(order, installed=(*order.installed, "zz-extra==9.1"))
    with pytest.raises(PrerequisiteError, match=r"zz-extra is absent there, 9\.1 here"):
        measured(tmp_path, "dask")


def test_another_program_of_the_system_is_refused(there: There, tmp_path: Path) -> None:
    there.alter = lambda order: replace(order, reference="benchsite.tracks.agents.systems.baselines:null")
    with pytest.raises(PrerequisiteError, match=r"has another configuration: config\.subjectSha256 is "):
        measured(tmp_path, "dask")


@pytest.mark.full
def test_damaged_data_is_refused_and_a_repeated_command_completes(there: There, tmp_path: Path) -> None:
    there.damage = b" "
    with pytest.raises(IntegrityError, match="data arrived with another digest"):
        measured(tmp_path, "dask")
    there.damage = b""
    assert len(document(measured(tmp_path, "dask"))["runs"]["taskId"]) == 4


def test_files_of_a_request_travel_and_are_found_where_they_arrived(tmp_path: Path) -> None:
    script, prices, answers = (tmp_path / name for name in ("s.json", "p.json", "a.jsonl"))
    for path in (script, prices, answers):
        path.write_text(path.name)
    models = {
        "default": f"simulated:{script}",
        "judge": {"provider": "replay", "model": f"{answers}#m", "seed": 1},
        "worker": "simulated:7",
    }
    how = {"executor": "dask", "scheduler": "tcp://a:1", "prices": str(prices), "models": {}}
    asked = work("null", models=models, experiment=how)
    found = inputs.files(asked)
    assert found == {str(prices): b"p.json", str(script): b"s.json", str(answers): b"a.jsonl"}
    moved = inputs.relocated(asked, {path: f"/there/{Path(path).name}" for path in found}).request
    assert moved["models"] == {
        "default": "simulated:/there/s.json",
        "judge": {"provider": "replay", "model": "/there/a.jsonl#m", "seed": 1},
        "worker": "simulated:7",
    }
    assert moved["experiment"]["prices"] == "/there/p.json"
    assert moved["experiment"]["executor"] == "inline"


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"policies": {"email.send": "ask"}, "experiment": {"executor": "dask"}}, "needs a person"),
        ({"experiment": {"executor": "dask", "record": "a.jsonl"}}, "--record cannot be combined"),
    ],
)
def test_what_one_machine_alone_can_do_is_refused(request_: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        inputs.require_portable(work("null", **request_))


@pytest.mark.parametrize(
    ("last", "turnaround", "units"),
    [
        ((1, 0.002), 0.004, 50),  # 0.1 s of work at 2 ms a unit
        ((50, 0.1), 0.25, 50),  # 0.05 s on the way, which 0.1 s of work hides
        ((10, 0.1), 0.7, 50),  # 0.5 s on the way: as much work
        ((1, 3.0), 6.0, 1),
        ((1, 0.0), 0.1, 256),
    ],
)
def test_a_batch_takes_as_long_as_its_way(last: tuple[int, float], turnaround: float, units: int) -> None:
    assert cluster._count(*last, turnaround) == units


def test_without_dask_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(PrerequisiteError, match="needs the package distributed") as refused:
        cluster.size("tcp://127.0.0.1:9")
    assert refused.value.hint == "run: pip install 'benchsite[dask]'"
