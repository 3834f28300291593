"""A started system with its models, and what follows from them: the receipt's `config`, its `system`, and the bench of its units.

The same for the command and for a worker on another machine, so that both compare equal configurations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from benchsite.errors import UsageError
from benchsite.isolation.subject import Description, Program, Subject
from benchsite.track import RunContext, Work
from benchsite.tracks.agents.benchmarks import Benchmark, suggested_options
from benchsite.tracks.agents.models import Model
from benchsite.tracks.agents.record import action_log
from benchsite.tracks.agents.record.config import Budget
from benchsite.tracks.agents.redaction import redacted
from benchsite.tracks.agents.run import policies
from benchsite.tracks.agents.run.experiment.attempt import Bench
from benchsite.tracks.agents.run.experiment.place import asked, concurrency, prices_sha256
from benchsite.tracks.agents.run.experiment.unit import configuration
from benchsite.tracks.agents.run.measured import Described, described, program
from benchsite.tracks.agents.run.perturbation import Perturbation
from benchsite.tracks.agents.run.recorder import Clock
from benchsite.tracks.agents.run.role_models import as_scalars, role_models, role_settings
from benchsite.tracks.agents.systems.names import at_budget

__all__ = ["Started", "config_of", "start"]


def config_of(work: Work, description: Description | None, context: RunContext) -> dict[str, Any]:
    """Return the receipt's `config`, known before anything is run."""
    request, taken = work.request, description.taken if description is not None else {}
    return {
        "runsPerTask": request["runs_per_task"],
        "seed": request["seed"],
        "limit": request["limit"],
        "isolation": None if work.imported else "process",
        "budget": None if work.imported else dict(request["budget"]),
        "concurrency": None if work.imported else concurrency(work, context),
        "prices": None if work.imported else prices_sha256(work),
        "subjectSha256": description.subject_sha256 if description is not None else None,
        "options": {**taken, **request.get("options", {}), **policies.options(request.get("policies", {}))},
        "perturbation": request.get("perturbation"),
        "source": request.get("source"),
    }


@dataclass
class Started:
    """A started system, as a context manager.

    Attributes:
        responded: models that responded so far, by role.
    """

    work: Work
    context: RunContext
    benchmark: Benchmark
    program: Program
    reference: str | None
    subject: Subject
    told: Described
    models: Mapping[str, Model]
    responded: dict[str, set[str]] = field(default_factory=dict)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, failed: type[BaseException] | None, *_: object) -> None:
        self.subject.__exit__(failed)

    @property
    def config(self) -> dict[str, Any]:
        """The receipt's `config`."""
        return config_of(self.work, self.subject.description, self.context)

    @property
    def system(self) -> dict[str, Any]:
        """The receipt's `system`, with the models that responded so far."""
        told, description = self.told, self.subject.description
        settings = role_settings(self.work, told)
        return {
            "name": description.name,
            "version": description.version,
            "kind": told.kind,
            "models": {
                role: {
                    "requested": model.requested,
                    "responded": ", ".join(sorted(self.responded.get(role, ()))) or None,
                    "sha256": model.sha256,
                    "settings": as_scalars(settings.get(role, {})),
                }
                for role, model in self.models.items()
            },
            "sizes": dict(told.sizes),
            "prompts": told.prompts_sha256,
        }

    @property
    def label(self) -> str:
        """The system's name in recordings and folders; two budgets of one control are two."""
        return at_budget(self.subject.description.name, self.config["options"])

    def again(self) -> Subject:
        """Start the system in another process."""
        return Subject(self.program, self.work.request["seed"], self.context)

    @property
    def pinned(self) -> dict[str, Any]:
        """Everything that changes the result of a run, without secrets."""
        settings = role_settings(self.work, self.told)
        found = configuration(self.benchmark, self.system, self.models, self.config, settings)
        return dict(redacted(found, self.context.secrets))

    @property
    def bench(self) -> Bench:
        """What every unit needs."""
        request = self.work.request
        repeats = request["runs_per_task"]
        tasks = self.benchmark.tasks[: request["limit"]]
        return Bench(
            self.benchmark,
            tasks,
            self.subject,
            self.models,
            self.reference,
            Budget.model_validate(request["budget"]),
            request["seed"],
            repeats,
            min(action_log.MAX_RUN_TEXT, action_log.MAX_TEXT // max(1, len(tasks) * repeats)),
            Clock(self.context),
            asked(self.work).retries,
            self.context.secrets,
            request.get("policies", {}),
            Perturbation.of(self.config),
            self.label,
        )


def start(work: Work, reference: str | None, benchmark: Benchmark, context: RunContext) -> Started:
    """Start a system and connect its models.

    Args:
        reference: `module:attribute` of the system's class; None for a command.

    Raises:
        InputError: its description is malformed, or it cannot be started.
        UsageError: it needs a model that is not given.
        PrerequisiteError: it asks for what it was not granted.
    """
    granting = replace(context, grants=lambda subject: context.grants(subject).extended(work.grant))
    how = asked(work)
    offered = {**suggested_options(benchmark), **how.options}
    started = program(work.subject, reference, work.request.get("options", {}), offered)
    subject = Subject(started, work.request["seed"], granting)
    try:
        told = described(subject, work.subject)
        return Started(
            work,
            granting,
            benchmark,
            started,
            reference,
            subject,
            told,
            role_models(work, told, context.secrets),
        )
    except BaseException:
        subject.__exit__(UsageError)
        raise
