"""A system in its own process: its start, its description, and what becomes of one task in it.

A failure of the system is data: the outcome of that run is `limit` or `error`, its process is started again, and the
next run goes on. The words of its failure are for the terminal and never enter a receipt.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import Annotated, Any, Final, Literal

from pydantic import Field, ValidationError

from benchsite import canonical
from benchsite.errors import InputError, PrerequisiteError
from benchsite.isolation.process import METHOD_NOT_FOUND, Fault, Reply
from benchsite.isolation.subject import Program, Subject
from benchsite.schema import Schema, Slug, Text, first_fault
from benchsite.track import COMMAND
from benchsite.tracks.agents.benchmarks import Task, harness_ending
from benchsite.tracks.agents.record.config import Count
from benchsite.tracks.agents.record.payload import MAX_ROLES, Metric
from benchsite.tracks.agents.run.service import MAX_NAME, Service
from benchsite.tracks.agents.systems.options import OPTIONS, checked
from benchsite.tracks.agents.tools import Tool

__all__ = ["Described", "Ended", "described", "program", "solved"]

HOST: Final = "benchsite.tracks.agents.run.host"
DESCRIBE_S: Final = 60.0
NO_LIMIT_S: Final = 86_400.0
MAX_ANSWER: Final = 100_000
"""Characters of an answer."""


_Edge = Annotated[tuple[Text, Text], Field(strict=False)]


class _Graph(Schema):
    """Nodes, and edges between them."""

    nodes: Annotated[tuple[Text, ...], Field(strict=False, max_length=1000)] = ()
    edges: Annotated[tuple[_Edge, ...], Field(strict=False, max_length=10_000)] = ()


class Described(Schema):
    """What a system states of itself besides name and version (`systems.System.describe`)."""

    kind: Literal["baseline", "single-agent", "multi-agent"] = "single-agent"
    roles: Annotated[tuple[Slug, ...], Field(strict=False, max_length=MAX_ROLES)] = ()
    agents: _Graph = _Graph()
    control_flow: _Graph = _Graph()
    sizes: Annotated[dict[Metric, Count], Field(default_factory=dict, max_length=MAX_ROLES)]
    prompts: Annotated[dict[Text, str], Field(max_length=1000)] | None = None

    @property
    def prompts_sha256(self) -> str | None:
        """The digest of the prompts, as canonical JSON; None without any."""
        return None if self.prompts is None else canonical.digest(dict(self.prompts))


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended: the answer, or the text of the error that ended it; `detail` is for the terminal.

    Attributes:
        confidence: how sure the system is of its answer, from 0 to 1; None if it does not say.
        actor: who gave the answer; empty for the system.
    """

    answer: str | None
    error: str = ""
    detail: str = ""
    confidence: float | None = None
    actor: str = ""


_OURS: Final = "benchsite.tracks.agents.systems."


def program(
    subject: str, reference: str | None, options: Mapping[str, Any], offered: Mapping[str, Any]
) -> Program:
    """Return how to start a named system: a class by its reference, or `command:PROGRAM ARGS`.

    Raises:
        InputError: the command's quotes do not close, or an option of a system of ours is missing or out of range.
        PrerequisiteError: a system of ours needs a package that is not installed.
    """
    command = None
    if reference is not None and reference.startswith(_OURS) and subject in OPTIONS:
        takes = OPTIONS[subject].model_fields
        checked(subject, {name: value for name, value in {**offered, **options}.items() if name in takes})
        if find_spec("langgraph") is None:
            raise PrerequisiteError(
                f"system {subject}: the package langgraph is not installed",
                hint="run: pip install 'benchsite[agents]'",
            )
    if reference is None:
        try:
            command = tuple(shlex.split(subject.removeprefix(COMMAND)))
        except ValueError as error:
            raise InputError(
                f"system {subject!r}: {error}", hint='quote it: "command:./mine --flag"'
            ) from None
    return Program("system", HOST, subject, reference, command, dict(options), dict(offered))


def described(subject: Subject, name: str) -> Described:
    """Ask a system to describe itself; one without this method is a single agent without a model.

    Raises:
        InputError: its description is malformed.
    """
    reply = subject.call("describe", {}, timeout_s=DESCRIBE_S)
    if reply.fault is not None and reply.fault.code == METHOD_NOT_FOUND:
        return Described(sizes={})
    if reply.fault is not None:
        raise InputError(f"system {name}: describe: {reply.fault.detail}", hint="see its messages above")
    try:
        return Described.model_validate(reply.result or {})
    except ValidationError as error:
        place, fault = first_fault(error)
        raise InputError(
            f"system {name}: describe: {place or 'result'}: {fault}",
            hint="content/docs/agents.md lists what a system states",
        ) from None


def solved(
    subject: Subject,
    task: Task,
    tools: list[Tool],
    service: Service,
    *,
    given: Mapping[str, Any] | None,
    seconds: float | None,
) -> Ended:
    """Let a system work on one task, from a fresh state.

    Args:
        subject: the running system; a process that died is started again first.
        task: without its expected answer, and without `needs_action`.
        tools: those of the workspace.
        service: carries out what the system asks for.
        given: the calls of a baseline; None for every other system.
        seconds: of wall-clock time; None for no limit.
    """
    if not subject.alive and (fault := subject.restart()) is not None:
        return _failed(fault, "did not restart")
    reply = subject.call("reset", {}, timeout_s=DESCRIBE_S)
    if reply.fault is not None and reply.fault.code != METHOD_NOT_FOUND:
        return _failed(reply.fault, "failed in reset")
    params = {
        "task": _told(task),
        "tools": [
            {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
            for tool in tools
        ],
        **({"given": given} if given is not None else {}),
    }
    reply = subject.call("solve", params, timeout_s=seconds or NO_LIMIT_S, serve=service)
    return _stopped(service, reply) or _answered(reply)


def _told(task: Task) -> dict[str, Any]:
    """A task as its system gets it."""
    return {
        "id": task.id,
        "domain": task.domain,
        "query": task.query,
        "split": task.split,
        "instructions": task.instructions,
        "examples": [asdict(example) for example in task.examples],
    }


def _stopped(service: Service, reply: Reply) -> Ended | None:
    """A run that a limit, a provider or the system's own failure ended; None for every other."""
    fault = reply.fault
    if service.limit:
        return Ended(None, harness_ending("limit", service.limit), f"limit reached: {service.limit}")
    if service.provider_failed:
        return Ended(None, harness_ending("error", "the model's provider failed"), service.provider_failed)
    if fault is not None and fault.kind == "timeout":
        return Ended(None, harness_ending("limit", "seconds"), fault.detail)
    return _failed(fault, _WORDS[fault.kind]) if fault is not None else None


def _answered(reply: Reply) -> Ended:
    answer = reply.result.get("answer") if isinstance(reply.result, dict) else False
    if answer is not None and not (isinstance(answer, str) and _is_recordable(answer)):
        return _breach(f"answer: text of at most {MAX_ANSWER:,} characters, or null")
    confidence, actor = reply.result.get("confidence"), reply.result.get("actor", "")
    if confidence is not None and not (type(confidence) in (int, float) and 0 <= confidence <= 1):
        return _breach("confidence: a number from 0 to 1, or null")
    if not isinstance(actor, str) or len(actor) > MAX_NAME or not actor.isprintable():
        return _breach(f"actor: text of at most {MAX_NAME} characters")
    return Ended(answer, confidence=confidence, actor=actor)


def _breach(fault: str) -> Ended:
    return _failed(Fault("protocol", fault), _WORDS["protocol"])


_WORDS: Final[Mapping[str, str]] = {
    "raised": "raised an exception",
    "crashed": "ended during the run",
    "protocol": "broke the protocol",
}


def _failed(fault: Fault, words: str) -> Ended:
    return Ended(None, harness_ending("error", f"the system {words}"), fault.detail)


def _is_recordable(answer: str) -> bool:
    """Whether evidence can hold an answer: not too long, no lone surrogate."""
    return len(answer) <= MAX_ANSWER and answer.encode("utf-8", "replace").decode("utf-8") == answer
