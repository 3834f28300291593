"""The runner as the pipeline calls it: a piece of work, a subject's reference and a fixture's bytes.

Reads a request (made by `command`), resolves nothing, and hands on to `runner`.
"""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import Any

from benchsite.errors import InputError
from benchsite.track import NOTHING, Measurement, Plan, Resolved, RunContext, Work
from benchsite.tracks.retrieval import runner
from benchsite.tracks.retrieval.fixture import Fixture, parse
from benchsite.tracks.retrieval.subject import AdapterSpec
from benchsite.tracks.retrieval.verification import identity

COMMAND = "command:"


class RetrievalRunner:
    """The writing face of the retrieval track."""

    def plan(self, work: Work, resolved: Resolved, context: RunContext) -> Plan:
        """Start the adapter only to hear its version, and say what a run would cost."""
        fixture = _fixture(work, resolved.target)
        settings, spec = _settings(work), _spec(work, resolved.reference)
        found = runner.describe(spec, settings.seed, _granting(work, context))
        config = runner.configuration(fixture, spec, settings, found)
        asked = min(len(fixture.queries), settings.limit or len(fixture.queries)) * settings.repeats
        return Plan(
            identity=identity({"name": found.name, "version": found.version}, config),
            subject=(found.name, found.version),
            config=config,
            target=(fixture.id, fixture.sha256),
            cost=f"{asked:,} queries over {len(fixture.items):,} items, {found.name} {found.version}",
        )

    def run(self, work: Work, resolved: Resolved, context: RunContext) -> Measurement:
        """Measure; raises `InputError` where the fixture is malformed or the adapter does not start."""
        fixture = _fixture(work, resolved.target)
        spec = _spec(work, resolved.reference)
        measured = runner.run(fixture, fixture.sha256, spec, _settings(work), _granting(work, context))
        foreign = measured.payload["faults"]["foreignIds"]
        if foreign and work.request["strict"]:
            raise InputError(
                f"adapter {work.subject}: {foreign} returned ids are not in the scope of their query",
                hint="without --strict they are counted in the receipt instead",
            )
        return measured


def _granting(work: Work, context: RunContext) -> RunContext:
    """The context with what the command line grants besides the configuration."""
    allowed = work.request.get("allowed", NOTHING)
    return replace(context, grants=lambda subject: context.grants(subject).extended(allowed))


def _fixture(work: Work, target: bytes) -> Fixture:
    fixture = parse(target, where=work.target)
    if fixture.id != work.target:
        raise InputError(
            f"fixture {work.target}: the file calls itself {fixture.id!r}",
            hint="rename its folder, or correct the id",
        )
    return fixture


def _settings(work: Work) -> runner.Settings:
    request = work.request
    return runner.Settings(
        ks=request["ks"],
        seed=request["seed"],
        limit=request["limit"],
        repeats=request["repeats"],
        timeout_s=request["timeout"],
    )


def _spec(work: Work, reference: str | None) -> AdapterSpec:
    options: dict[str, Any] = dict(work.request["options"])
    if reference is not None:
        return AdapterSpec(work.subject, reference, None, options)
    try:
        command = tuple(shlex.split(work.subject.removeprefix(COMMAND)))
    except ValueError as error:
        raise InputError(
            f"adapter {work.subject!r}: {error}", hint='quote it: "command:./adapter --flag"'
        ) from None
    return AdapterSpec(work.subject, None, command, options)
