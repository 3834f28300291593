"""What a run is asked for: the settings of one measurement, those of an experiment, and the work that they come to.

Owns names, bounds and defaults, the same for options of `run agents`, for keys of its configuration file and for entries of
the suite. Refuses unknown keys and values of another type.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Final

from pydantic import ConfigDict, Field, StringConstraints

from benchsite.schema import Bounded
from benchsite.track import COMMAND, Work
from benchsite.tracks.agents.record.action_log import MAX_ACTIONS
from benchsite.tracks.agents.record.config import MAX_REPEATS
from benchsite.tracks.agents.run import perturbation, policies
from benchsite.tracks.agents.run.experiment.place import ROOT, Experiment
from benchsite.tracks.agents.systems import names
from benchsite.tracks.agents.tools import Policy

__all__ = ["DEFAULT_SEED", "MAX_SEED", "OPTION", "Entry", "ModelSpec", "Scalar", "Settings"]

DEFAULT_SEED: Final = 20260101
MAX_SEED: Final = 2**53 - 1
MAX_TOOL_CALLS: Final = 200
"""Tool calls of one run by default."""
MAX_SECONDS: Final = 600.0
OPTION: Final = "^[A-Za-z_][A-Za-z0-9_]{0,63}$"

Scalar = str | int | float | bool
ModelSpec = str | dict[str, Any]
"""`PROVIDER:TEXT`, or a table with `provider`, `model` and whatever else the provider takes."""
Options = dict[Annotated[str, StringConstraints(pattern=OPTION)], Scalar]


class _Measured(Bounded):
    """What changes the result of a run."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    models: dict[str, ModelSpec] = Field(default_factory=dict)
    options: Options = Field(default_factory=dict)
    runs_per_task: Annotated[int, Field(ge=1, le=MAX_REPEATS)] = 1
    task_limit: Annotated[int, Field(ge=1)] | None = None
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)] = DEFAULT_SEED
    max_tool_calls: Annotated[int, Field(ge=1, le=MAX_ACTIONS)] = MAX_TOOL_CALLS
    max_seconds: Annotated[float, Field(gt=0, le=86_400, strict=False)] = MAX_SECONDS
    max_tokens: Annotated[int, Field(ge=1, le=MAX_SEED)] | None = None
    max_messages: Annotated[int, Field(ge=0, le=MAX_SEED)] | None = None
    tool_policies: dict[Annotated[str, Field(pattern=f"^{policies.NAME}$")], Policy] = Field(
        default_factory=dict
    )
    perturb: Annotated[str, StringConstraints(pattern=perturbation.PATTERN)] = ""
    methodology: str = ""

    def request(self) -> dict[str, Any]:
        """The track's part of a piece of work."""
        return {
            "runs_per_task": self.runs_per_task,
            "limit": self.task_limit,
            "seed": self.seed,
            "budget": {
                "toolCalls": self.max_tool_calls,
                "messages": self.max_messages,
                "tokens": self.max_tokens,
                "seconds": self.max_seconds,
            },
            "models": dict(self.models),
            "options": dict(self.options),
            "perturbation": perturbation.of_text(self.perturb),
            "policies": {tool: policy for tool, policy in self.tool_policies.items() if policy != "auto"},
        }


class Entry(_Measured):
    """One entry of `extra.benchsite.suite`."""

    track: str
    benchmark: str
    system: str

    def work(self) -> Work:
        """The work that it asks for."""
        return Work("agents", names.resolve(self.system), self.benchmark, self.methodology, self.request())


class Settings(_Measured):
    """What `run agents` is asked for.

    Attributes:
        mas: options of systems, as the file has them: those that a system takes, and a table for one system alone.
        offered: models that a file names; a system that has no such role leaves them.
        experiment: where the artifacts are and how the runs are carried out.
    """

    benchmarks: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    mas: dict[str, Scalar | Options] = Field(default_factory=dict)
    offered: dict[str, ModelSpec] = Field(default_factory=dict)
    experiment: Experiment = Experiment(root=ROOT)

    def _agents(self) -> int | None:
        """How many agents are configured, for the system `auto`."""
        found = self.options.get("agents", self.mas.get("agents"))
        return found if isinstance(found, int) else None

    def _own(self, name: str, system: str) -> dict[str, Scalar]:
        """The options of one system: of the tables under any of its names, last of that under the name given."""
        agents = self._agents()
        tables = [key for key in self.mas if names.resolve(key, agents=agents) == system and key != name]
        found: dict[str, Scalar] = {}
        for key in (*tables, name):
            table = self.mas.get(key)
            found.update(table if isinstance(table, dict) else {})
        return found

    def works(self) -> Iterator[Work]:
        """Every pair of a benchmark and a system; of several systems, each takes the models of the roles that it has."""
        shared = {name: value for name, value in self.mas.items() if not isinstance(value, dict)}
        left = names.ROLES if len(dict.fromkeys(self.systems)) > 1 else frozenset[str]()
        offered = {role: spec for role, spec in self.models.items() if role in left}
        for benchmark in dict.fromkeys(self.benchmarks):
            for stated in dict.fromkeys(self.systems):
                name, budget = (stated, None) if stated.startswith(COMMAND) else names.budgeted(stated)
                system = names.resolve(name, agents=self._agents())
                own = self._own(name, system)
                request = self.request()
                request["models"] = {role: spec for role, spec in self.models.items() if role not in left}
                request["options"] = {
                    **own,
                    **request["options"],
                    **({"budget": budget} if budget is not None else {}),
                }
                request["experiment"] = {
                    **self.experiment.model_dump(),
                    "options": shared,
                    "models": {**self.offered, **offered},
                }
                yield Work("agents", system, benchmark, self.methodology, request)
