"""What the harness serves a system in one run: tools, models and its trace, counted and limited here.

The system asks over its channel; each call is carried out, counted and recorded before its result goes back, so that a
system cannot forge its trace of calls, its tokens or its cost. A limit that is reached ends the run: every later request
is refused. What the system records itself (plan, act, verify, revise) cannot look like a call. A call that the tool's
policy denies is not carried out: the records have it as a text, which no evaluator takes for a call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, TypeAlias, TypedDict, get_args

from benchsite import canonical
from benchsite.canonical import JsonError
from benchsite.isolation.requests import METHOD_NOT_FOUND, RefusedError
from benchsite.tracks.agents.models import Completion, Model, ProviderError
from benchsite.tracks.agents.models.recorded import request_sha256
from benchsite.tracks.agents.models.recording import Recording
from benchsite.tracks.agents.record.action_log import MAX_ACTIONS, MAX_RUN_TEXT, as_json, size_of
from benchsite.tracks.agents.record.config import Budget
from benchsite.tracks.agents.run.conversation import require_conversation, require_settings
from benchsite.tracks.agents.run.paid import Paid
from benchsite.tracks.agents.run.perturbation import UNAVAILABLE
from benchsite.tracks.agents.run.recorder import Recorder
from benchsite.tracks.agents.tools import Action, Call, Observation, Policy, Workspace
from benchsite.tracks.agents.trace.event import MAX_EVENTS

__all__ = ["DENIED", "LIMIT_REACHED", "Approve", "Service"]

DENIED: Final = "denied by policy"
Approve: TypeAlias = Callable[[Call], bool]
"""Ask a person whether a call may be carried out."""

LIMIT_REACHED: Final = -32010
MAX_ARGUMENTS: Final = 100_000
"""Characters of the arguments of a call, or of an event's payload, as JSON."""
MAX_MESSAGES: Final = 2_000_000
"""Characters of the messages of one completion, as JSON."""
MAX_RESULT: Final = 1_000_000
"""Characters of a tool's result, as JSON."""
MAX_NAME: Final = 200
SEED_STEP: Final = 1_000_003
"""Between the seeds of one request in two runs of a task."""
SPARE_EVENTS: Final = 10
"""Events that are kept for a call's result and the end of the run."""

Own = Literal["plan", "act", "verify", "revise"]
_OWN: Final[Mapping[Any, Own]] = {kind: kind for kind in get_args(Own)}
_RESERVED: Final = frozenset(
    {*("action", "tool", "input", "model_requested", "model_responded", "partial", "request", "resumed")}
)
"""Members of a payload that only the harness states."""


class _Who(TypedDict):
    actor: str
    state_id: str


class Service:
    """One run's tools, models and trace; called with the method and the parameters of each request.

    Attributes:
        actions: calls carried out, and texts of those denied or made to fail, in order.
        limit: the limit that was reached; empty for none.
        provider_failed: why a model's provider failed; empty if none did.
        is_permanent: whether repeating the run cannot help then.
        responded: models that responded, by role.
        fails: asked before each call of a perturbed run, in order: whether it fails without being carried out.
    """

    def __init__(  # noqa: PLR0913 - what one run is served with, each part by name
        self,
        workspace: Workspace,
        models: Mapping[str, Model],
        budget: Budget,
        recorder: Recorder,
        *,
        most_text: int = MAX_RUN_TEXT,
        policies: Mapping[str, Policy] | None = None,
        approve: Approve | None = None,
        paid: Paid | None = None,
        run: int = 1,
    ) -> None:
        """Serve one run.

        Args:
            workspace: the tools and their state.
            models: by role.
            budget: limits.
            recorder: keeps the events.
            most_text: characters that the calls may have together.
            policies: of tools by name; a tool without one is `auto`.
            approve: asked before a call of a tool whose policy is `ask`; if None, such a call is denied.
            paid: completions of an attempt that was cut off.
            run: number of the run of its task; runs draw different samples, though a system knows of none but its own.
        """
        self.actions: list[Action] = []
        self.limit = ""
        self.provider_failed = ""
        self.is_permanent = False
        self.responded: dict[str, set[str]] = {}
        self.fails: Callable[[], bool] | None = None
        self._workspace, self._models, self._budget, self._recorder = workspace, models, budget, recorder
        self._tools = {tool.name: tool for tool in workspace.tools}
        self._tokens = self._messages = 0
        self._text_left = most_text
        self._policies, self._approve = policies or {}, approve
        self._paid = paid if paid is not None else Paid()
        self._run = run
        self._methods: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
            "tool.call": self._tool,
            "model.complete": self._model,
            "trace.event": self._event,
        }

    def __call__(self, method: str, params: Mapping[str, Any]) -> Any:
        """Carry out a request; raises `RefusedError`."""
        serve = self._methods.get(method)
        if serve is None:
            raise RefusedError(f"no method {method[:MAX_NAME]}", METHOD_NOT_FOUND)
        if self.limit:
            raise RefusedError(f"limit reached: {self.limit}", LIMIT_REACHED)
        if len(self._recorder.events) >= MAX_EVENTS - SPARE_EVENTS:
            raise RefusedError(f"more than {MAX_EVENTS - SPARE_EVENTS:,} events in one run")
        return serve(params)

    def _reach(self, limit: str) -> None:
        self.limit = limit
        raise RefusedError(f"limit reached: {limit}", LIMIT_REACHED)

    def _tool(self, params: Mapping[str, Any]) -> Mapping[str, Any]:
        name, arguments = _text(params, "name"), _object(params, "arguments", MAX_ARGUMENTS)
        if len(self.actions) >= (self._budget.tool_calls or MAX_ACTIONS):
            self._reach("tool-calls")
        call = Call(name, arguments)
        refusal = self._refusal(call)
        action = _refused(refusal, call) if refusal else call
        self._text_left -= size_of(action)
        if self._text_left < 0:
            raise RefusedError("the calls of this run have more characters than evidence can hold")
        start, actor = self._recorder.clock.now(), _optional(params, "actor")
        self.actions.append(action)
        asked = self._recorder.add("tool_call", _called(action), start, start, actor=actor)
        seen = Observation(refusal, failed=True) if refusal else self._carried_out(call)
        found = {"result": seen.result, "error": seen.failed}
        end = self._recorder.clock.now()
        self._recorder.add("tool_result", found, start, end, actor=actor, parent=asked.id)
        return {"result": seen.result, "failed": seen.failed}

    def _carried_out(self, call: Call) -> Observation:
        """Return what a tool gives; one that raises, or whose result no trace can hold, has failed."""
        try:
            seen = self._workspace.call(call.tool, call.arguments)
            _require_json("result", seen.result, MAX_RESULT)
        except RefusedError as refused:
            return Observation(f"tool {call.tool} failed: {refused}", failed=True)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a plug-in's tool; its words may name paths
            return Observation(f"tool {call.tool} failed: {type(error).__name__}", failed=True)
        return seen

    def _refusal(self, call: Call) -> str:
        """Why a call is not carried out; empty if it is."""
        if self.fails is not None and self.fails():
            return UNAVAILABLE
        policy = self._policies.get(call.tool, "auto")
        if policy == "ask" and self._approve is not None and self._approve(call):
            return ""
        return "" if policy == "auto" else DENIED

    def _model(self, params: Mapping[str, Any]) -> Mapping[str, Any]:
        role, kind = _text(params, "role"), _own(params.get("event", "act"), "event")
        model = self._models.get(role) or self._models.get("default")
        if model is None:
            raise RefusedError(f"no model for role {role}")
        budget = self._budget.tokens
        if budget is not None and self._tokens >= budget:
            self._reach("tokens")
        messages = require_conversation(params.get("messages"))
        _require_json("messages", messages, MAX_MESSAGES)
        names = params.get("tools") or []
        if not isinstance(names, list) or not all(
            isinstance(name, str) and name in self._tools for name in names
        ):
            raise RefusedError("tools: names of tools of this run")
        settings = _object({"settings": params.get("settings") or {}}, "settings", MAX_ARGUMENTS)
        require_settings(settings)
        if type(seed := settings.get("seed")) is int:
            settings["seed"] = (seed + SEED_STEP * (self._run - 1)) % 2**31
        offered = [self._tools[name] for name in names]
        request = None if model.simulated else request_sha256(model.requested, messages, offered, settings)
        start = self._recorder.clock.now()
        # A recording has them too, and counts what it was asked: it gives each answer once.
        paid = None if isinstance(model, Recording) else self._paid.take(model.requested, request)
        try:
            found = paid or model.complete(messages, offered, settings)
        except ProviderError as error:
            self.provider_failed, self.is_permanent = error.message, error.permanent
            raise RefusedError("the model's provider failed") from None
        self.responded.setdefault(role, set()).add(found.responded)
        self._tokens += (found.usage.tokens_in or 0) + (found.usage.tokens_out or 0)
        unstated = None in (found.usage.tokens_in, found.usage.tokens_out)
        end, payload = (
            self._recorder.clock.now(),
            _recorded(role, model, found, request, is_resumed=paid is not None or found.recalled),
        )
        self._recorder.add(kind, payload, start, end, completion=found, **_who(params))
        if budget is not None and unstated:
            self.provider_failed = (
                f"model {model.requested} states no tokens, so that the limit of tokens can't be kept"
            )
            self.is_permanent = True
            raise RefusedError("the model's provider failed")
        return _answered(found, (end - start) / 1000)

    def _event(self, params: Mapping[str, Any]) -> Mapping[str, Any]:
        kind, payload = _own(params.get("eventType"), "eventType"), _object(params, "payload", MAX_ARGUMENTS)
        if reserved := sorted(_RESERVED & payload.keys()):
            raise RefusedError(f"payload.{reserved[0]}: only the harness states this")
        if payload.get("kind") == "send":
            if self._budget.messages is not None and self._messages >= self._budget.messages:
                self._reach("messages")
            self._messages += 1
        now = self._recorder.clock.now()
        self._recorder.add(kind, payload, now, now, **_who(params))
        return {}


def _refused(refusal: str, call: Call) -> str:
    """The text that records such a call: no expression, so that no evaluator takes it for a call."""
    return f"{refusal}: {call.tool} {canonical.dumps(dict(call.arguments)).decode('utf-8')}"


def _called(action: Action) -> dict[str, Any]:
    """The payload of a tool call: the action, and the tool and input that it states."""
    if isinstance(action, str):
        return {"tool": None, "input": action, "action": action}
    return {"tool": action.tool, "input": action.arguments, "action": as_json(action)}


def _own(value: object, name: str) -> Own:
    if not isinstance(value, str) or value not in _OWN:
        raise RefusedError(f"{name}: one of {', '.join(_OWN)}")
    return _OWN[value]


def _recorded(
    role: str, model: Model, found: Completion, request: str | None, *, is_resumed: bool
) -> dict[str, Any]:
    """The payload of a model event; what the provider does not state is absent."""
    payload: dict[str, Any] = {
        "request": request,
        "resumed": is_resumed or None,
        "role": role,
        "model_requested": model.requested,
        "model_responded": found.responded,
        "finish_reason": found.finish_reason,
        "text": found.text,
        "calls": [{"tool": call.tool, "arguments": dict(call.arguments)} for call in found.calls],
        "tokens_cached": found.usage.tokens_cached,
        "tokens_reasoning": found.usage.tokens_reasoning,
    }
    return {name: value for name, value in payload.items() if value is not None}


def _answered(found: Completion, latency_ms: float) -> dict[str, Any]:
    """A completion as the system gets it."""
    return {
        "text": found.text,
        "calls": [{"tool": call.tool, "arguments": dict(call.arguments)} for call in found.calls],
        "finishReason": found.finish_reason,
        "responded": found.responded,
        "tokensIn": found.usage.tokens_in,
        "tokensOut": found.usage.tokens_out,
        "costUsd": found.cost_usd,
        "latencyMs": latency_ms,
    }


def _text(params: Mapping[str, Any], name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str) or len(value) > MAX_NAME or not value.isprintable():
        raise RefusedError(f"{name}: text of at most {MAX_NAME} characters")
    return value


def _optional(params: Mapping[str, Any], name: str) -> str:
    return _text({name: "", **params}, name)


def _who(params: Mapping[str, Any]) -> _Who:
    """Who acted in an event, and in which state."""
    return {"actor": _optional(params, "actor"), "state_id": _optional(params, "stateId")}


def _object(params: Mapping[str, Any], name: str, most: int) -> dict[str, Any]:
    value = params.get(name)
    if not isinstance(value, dict):
        raise RefusedError(f"{name}: an object")
    _require_json(name, value, most)
    return value


def _require_json(name: str, value: Any, most: int) -> None:
    """Refuse what evidence cannot hold: NaN, lone surrogates, more than so many characters."""
    try:
        size = len(canonical.dumps(value))
    except JsonError as error:
        raise RefusedError(f"{name}: {error.message}") from None
    if size > most:
        raise RefusedError(f"{name}: more than {most:,} characters")
