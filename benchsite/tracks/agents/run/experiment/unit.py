"""Units of work: one run of one task, named by everything that changes its result (specs/agents.md, "Running").

Owns the configuration of a system on a benchmark, its digest, and the ids of its units. Two units have one id only if they
are the same run of the same task under the same configuration, so that no attempt of another one is taken for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from benchsite import __version__, canonical
from benchsite.errors import InputError
from benchsite.schema import Slug
from benchsite.tracks.agents.benchmarks import Benchmark, Task
from benchsite.tracks.agents.models import Model
from benchsite.words import one_line

__all__ = ["Unit", "configuration", "first_difference", "units"]

_SLUG: TypeAdapter[str] = TypeAdapter(Slug)


@dataclass(frozen=True, slots=True)
class Unit:
    """One run of one task.

    Attributes:
        place: of its task among those that are run, from 0.
        run: from 1.
        sha256: its id.
    """

    place: int
    task: str
    run: int
    sha256: str


def configuration(
    benchmark: Benchmark,
    system: Mapping[str, Any],
    models: Mapping[str, Model],
    config: Mapping[str, Any],
    settings: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """Return everything that changes the result of a run, known before one starts.

    Args:
        benchmark: pinned by its digest, which covers tasks, tools and worked examples.
        system: the receipt's `system`: name, version, sizes and the digest of the prompts.
        models: by role; a simulated one is pinned by the digest of its file.
        config: the receipt's `config`: seed, budget, prices, options, digest of the program, and the rest; how many runs
            go on at once changes no result.
        settings: of the models by role, those that answers depend on; a role without any may be absent.
    """
    shaped = {role: {"settings": dict(some)} for role, some in (settings or {}).items() if some}
    return {
        "benchVersion": __version__,
        "benchmark": {"id": benchmark.id, "sha256": benchmark.sha256},
        "system": {name: system[name] for name in ("name", "version", "kind", "sizes", "prompts")},
        "models": {
            role: {
                "requested": model.requested,
                "sha256": model.sha256,
                "simulated": model.simulated,
                **shaped.get(role, {}),
            }
            for role, model in sorted(models.items())
        },
        "config": {name: value for name, value in config.items() if name != "concurrency"},
    }


def units(configuration_sha256: str, tasks: Sequence[Task], repeats: int) -> list[Unit]:
    """Return every unit of a configuration, in the order of tasks and runs.

    Raises:
        InputError: a task's id can be neither a path nor recorded, or two tasks share one.
    """
    for task, times in Counter(task.id for task in tasks).items():
        if times > 1:
            raise InputError(f"task {task!r} occurs {times} times", hint="give each task its own id")
        try:
            _SLUG.validate_python(task)
        except ValidationError:
            raise InputError(
                f"task {one_line(task, 80)!r}: its id cannot be recorded",
                hint="use at most 80 lower-case letters, digits and hyphens",
            ) from None
    return [
        Unit(place, task.id, run, canonical.digest([configuration_sha256, task.id, run]))
        for place, task in enumerate(tasks)
        for run in range(1, repeats + 1)
    ]


def first_difference(one: Any, other: Any, name: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield where two configurations differ: member, value in the first, value in the second."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in sorted({*one, *other}):
            place = f"{name}.{key}" if name else str(key)
            yield from first_difference(one.get(key), other.get(key), place)
    elif one != other:
        yield name, one, other
