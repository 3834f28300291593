"""Unit ids: everything that changes a result changes the id, and nothing else does."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
import tiny_workbench

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.tracks.agents.models import Model
from benchsite.tracks.agents.run.experiment.unit import configuration, first_difference, units

CONFIG: dict[str, Any] = {
    "runsPerTask": 2,
    "seed": 7,
    "limit": None,
    "isolation": "process",
    "budget": {"toolCalls": 200, "messages": None, "tokens": None, "seconds": 60.0},
    "concurrency": 1,
    "prices": None,
    "subjectSha256": "a" * 64,
    "options": {},
    "source": None,
}
SYSTEM: dict[str, Any] = {
    "name": "sas",
    "version": "1.0.0",
    "kind": "single-agent",
    "sizes": {"agents": 1},
    "prompts": "b" * 64,
}


class _Scripted:
    """A model that is only described."""

    requested, simulated, sha256 = "scripted", True, "c" * 64


def _ids(
    config: dict[str, Any] | None = None,
    system: dict[str, Any] | None = None,
    model: Any = None,
    data: Any = None,
) -> list[str]:
    models: dict[str, Model] = {"default": model or _Scripted()}
    benchmark = data or tiny_workbench.benchmark()
    pinned = configuration(benchmark, {**SYSTEM, **(system or {})}, models, {**CONFIG, **(config or {})})
    return [unit.sha256 for unit in units(canonical.digest(pinned), benchmark.tasks[:3], 2)]


def test_a_unit_has_its_own_id_and_equal_configurations_have_equal_ids() -> None:
    found = _ids()
    assert found == _ids(config=deepcopy(CONFIG))
    assert len(set(found)) == 6, "3 tasks, 2 runs each"


@pytest.mark.parametrize(
    "config",
    [
        {"seed": 8},
        {"budget": {**CONFIG["budget"], "tokens": 100}},
        {"prices": "d" * 64},
        {"subjectSha256": "e" * 64},
        {"options": {"agents": 3}},
        {"limit": 3},
        {"runsPerTask": 3},
    ],
    ids=lambda config: next(iter(config)),
)
def test_every_setting_changes_the_id(config: dict[str, Any]) -> None:
    assert not set(_ids()) & set(_ids(config=config))


@pytest.mark.parametrize(
    "system",
    [{"version": "1.0.1"}, {"sizes": {"agents": 2}}, {"prompts": "f" * 64}, {"name": "other"}],
    ids=lambda system: next(iter(system)),
)
def test_so_does_everything_that_the_system_states(system: dict[str, Any]) -> None:
    assert not set(_ids()) & set(_ids(system=system))


def test_so_do_the_model_the_file_of_its_answers_and_the_benchmark() -> None:
    class Other(_Scripted):
        requested = "other"

    class Rewritten(_Scripted):
        sha256 = "0" * 64

    class Live(_Scripted):
        simulated = False

    for model in (Other(), Rewritten(), Live()):
        assert not set(_ids()) & set(_ids(model=model))
    changed = tiny_workbench.benchmark()
    object.__setattr__(changed, "sha256", "9" * 64)
    assert not set(_ids()) & set(_ids(data=changed))


def test_so_do_the_settings_of_a_model_that_answers_depend_on() -> None:
    pinned = [
        configuration(
            tiny_workbench.benchmark(), SYSTEM, {"default": _Scripted()}, CONFIG, {"default": settings}
        )
        for settings in ({}, {"temperature": 0.2}, {"temperature": 0.8})
    ]
    assert len({canonical.digest(one) for one in pinned}) == 3
    assert list(first_difference(pinned[1], pinned[2])) == [("models.default.settings.temperature", 0.2, 0.8)]


def test_how_many_runs_go_on_at_once_changes_no_id() -> None:
    assert _ids() == _ids(config={"concurrency": 8})


def test_a_difference_is_named_by_its_place() -> None:
    one, other = {"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}, "d": 4}
    assert list(first_difference(one, other)) == [("a.c", 2, 3), ("d", None, 4)]


def test_tasks_that_share_an_id_or_cannot_be_recorded_are_refused_before_anything_is_run() -> None:
    first, second = tiny_workbench.benchmark().tasks[:2]
    with pytest.raises(InputError, match="occurs 2 times"):
        units("a" * 64, [first, replace(second, id=first.id)], 1)
    for name in ("../up", "a/b", "", "A", "x" * 81, "a\nb"):
        with pytest.raises(InputError, match="cannot be recorded"):
            units("a" * 64, [replace(first, id=name)], 1)
