"""Traces of the repository MAS_Analyzer (`run_N.trace.jsonl`), as the events of ours, and the totals as the source counts them.

The source has the seed's ten fields and other conventions. Its totals follow from its events as they are (`Counted`). Events that
are kept follow ours (`kept`), one for each of its lines:

- times are blank: its clock is synthetic, and parallel agents are laid end to end. A latency of exactly 1 ms is its placeholder;
- a cost of 0 is blank, because it records 0 where the provider states none, and so are tokens of events that are no completion;
- `inter_agent_send` is a send and no tool call; `judge` and `descriptor` are the harness, and no agents that a handoff goes to;
- a `verify` without an answer of a model is a note of the harness: an `act` whose `kind` is `view`, `termination` or `note`;
- an `error` of no tool is a note as well, except the one that ended the run.

Members of a payload that only benchsite states get the prefix `source_`. Texts over 10,000 characters are cut. Refuses lines that are
no strict JSON object or no event, with their number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from benchsite import canonical
from benchsite.canonical import JsonError
from benchsite.errors import InputError
from benchsite.schema import first_fault
from benchsite.tracks.agents.importers.foreign_text import truncated
from benchsite.tracks.agents.importers.messages import MAX_TEXT
from benchsite.tracks.agents.record.action_log import MAX_ACTIONS, MAX_RUN_TEXT, read_action, size_of
from benchsite.tracks.agents.tools import Action
from benchsite.tracks.agents.trace.event import MAX_EVENTS, Event
from benchsite.tracks.agents.trace.metrics import RunMetrics, is_agent, is_send, measure

__all__ = ["HINT", "Counted", "actions_of", "counted", "kept", "read_trace", "short"]

SEND: Final = "inter_agent_send"
PLACEHOLDER_MS: Final = 1
MAX_LINE: Final = 16 * 1024 * 1024
MAX_PAYLOAD: Final = 1_000_000
"""Bytes of one payload, once its texts are cut."""
LONGEST_NAME: Final = 200
SYSTEM: Final = "system"
_HARNESS: Final = frozenset({"judge", "descriptor", "monitor"})
"""Actors of the source that are no agents."""
_RESERVED: Final = frozenset(
    {*("action", "tool", "input", "output", "model_requested", "model_responded", "partial", "totals")}
    | {*("request", "resumed", "ending", "limit", "kind", "sender", "recipients", "confidence", "artifact")}
    | {*("winner", "source_actor", "judged")}
)
HINT: Final = "content/docs/import-mas-analyzer.md describes the folders that are read"


@dataclass(frozen=True, slots=True)
class Counted:
    """Totals of a run as the source counts them.

    Attributes:
        measured: metrics of its events as they are.
        tool_calls_with_sends: `tool_call` events, messages between agents included.
    """

    measured: RunMetrics
    tool_calls_with_sends: int

    def figures(self) -> dict[str, float]:
        """Return the totals by the names of `run_N.trace_metrics.json`; what nothing states is 0, as there."""
        found = self.measured
        return {
            "steps_total": found.steps,
            "tokens_total": found.tokens_total or 0,
            "latency_total": found.latency_total or 0.0,
            "cost_total": found.cost_total or 0.0,
            "tool_calls_total": self.tool_calls_with_sends,
            "tool_fail_total": found.tool_failures,
            "communication_count": found.communication,
            "handoff_count": found.handoffs,
            "backtrack_rate": found.backtrack_rate,
            "loop_score": found.loop_score,
            "verification_density": found.verification_density,
        }


def read_trace(data: bytes, where: str) -> tuple[Event, ...]:
    """Read the lines of a trace as events in the source's conventions; blank lines are skipped.

    Raises:
        InputError: the trace is empty or a line is refused; the line is named.
    """
    found: list[Event] = []
    calls: list[tuple[Any, str]] = []
    for number, text in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not text.strip():
            continue
        at = f"{where} line {number}"
        if len(found) >= MAX_EVENTS:
            raise InputError(f"{at}: more than {MAX_EVENTS:,} events", hint=HINT)
        raw = _object(text.strip(), at)
        name = f"e{len(found) + 1}"
        payload = raw.get("payload", {})
        if not isinstance(payload, dict):
            raise InputError(f"{at}: payload: must be an object", hint=HINT)
        kind = raw.get("event_type")
        parent = _answered(calls, payload.get("tool_name")) if kind == "tool_result" else None
        if kind == "tool_call":
            calls.append((payload.get("tool_name"), name))
        found.append(_event(name, parent, raw, _payload(kind, payload, at), at))
    if not found:
        raise InputError(f"{where}: no event: the file has no line", hint=HINT)
    return tuple(found)


def _answered(calls: list[tuple[Any, str]], tool: Any) -> str | None:
    """The earliest call of this tool that has no result yet, which then has one."""
    for place, (name, call) in enumerate(calls):
        if name == tool:
            del calls[place]
            return call
    return None


def _object(text: bytes, at: str) -> Mapping[str, Any]:
    try:
        value = canonical.loads(text, max_bytes=MAX_LINE)
    except JsonError as error:
        raise InputError(f"{at}: {error.message}", hint=error.hint or HINT) from None
    if not isinstance(value, dict):
        raise InputError(f"{at}: must be a JSON object", hint=HINT)
    return value


def _event(name: str, parent: str | None, raw: Mapping[str, Any], payload: dict[str, Any], at: str) -> Event:
    actor, state = raw.get("actor") or "", raw.get("state_id")
    try:
        return Event.model_validate(
            {
                "id": name,
                "parent": parent,
                "actor": short(actor) if isinstance(actor, str) else actor,
                "event_type": raw.get("event_type"),
                "payload": payload,
                "token_in": raw.get("token_in"),
                "token_out": raw.get("token_out"),
                "latency_ms": raw.get("latency_ms"),
                "cost_usd": raw.get("cost_usd"),
                "state_id": (short(state) or None) if isinstance(state, str) else state,
            }
        )
    except ValidationError as error:
        place, fault = first_fault(error)
        raise InputError(f"{at}: {place or 'event'}: {fault}", hint=HINT) from None


def _payload(kind: Any, raw: Mapping[str, Any], at: str) -> dict[str, Any]:
    """A payload in our names, with texts that are cut."""
    told = {name: value for name, value in raw.items() if name not in ("tool_name", "arguments")}
    found: dict[str, Any] = {}
    if raw.get("tool_name") == SEND and kind == "tool_call":
        found |= {
            "kind": "send",
            "recipients": _names(told.pop("to", None)),
            "packet": told.pop("kind", None),
        }
        if isinstance(sender := told.get("sender"), str):
            found["sender"] = short(sender)
            del told["sender"]
    elif kind == "tool_call":
        tool = raw.get("tool_name")
        tool, arguments = short(tool) if isinstance(tool, str) else None, raw.get("arguments", {})
        if tool and isinstance(arguments, dict):
            found |= {"tool": tool, "input": arguments, "action": {"tool": tool, "arguments": arguments}}
        else:
            text = f"{tool or 'tool'} {canonical.dumps(arguments).decode('utf-8')}"
            found |= {"tool": None, "input": text, "action": text}
    elif kind == "tool_result":
        found |= {"tool": raw.get("tool_name"), "observation": told.pop("output_preview", None)}
    elif kind == "finalize":
        found["output"] = told.pop("final_answer", told.pop("output", None))
    elif kind == "error":
        found["text"] = next(
            (value for name in ("text", "message", "error") if isinstance(value := raw.get(name), str)), ""
        )
    if isinstance(model := raw.get("model"), str) and model:
        found["model_responded"] = short(model)
    found = {
        **{
            f"source_{name}" if name in _RESERVED or name in found else name: _cut(value)
            for name, value in told.items()
        },
        **found,
    }
    if len(canonical.dumps(found)) > MAX_PAYLOAD:
        raise InputError(f"{at}: payload: above {MAX_PAYLOAD:,} bytes", hint=HINT)
    return found


def _names(value: Any) -> list[str]:
    listed = value if isinstance(value, list) else [value]
    return [short(name) for name in listed if isinstance(name, str)]


def _cut(value: Any) -> Any:
    if isinstance(value, str):
        return truncated(value, MAX_TEXT, "…")
    if isinstance(value, dict):
        return {name[:LONGEST_NAME]: _cut(item) for name, item in value.items()}
    return [_cut(item) for item in value] if isinstance(value, list) else value


def short(name: str) -> str:
    """Return a name without control characters; of one over 200 characters the beginning and 8 digits of its SHA-256."""
    clean = "".join(char if char.isprintable() else " " for char in name)
    if len(clean) <= LONGEST_NAME:
        return clean
    digest = canonical.sha256_hex(name.encode("utf-8", "replace"))[:8]
    return f"{clean[: LONGEST_NAME - 10]}… {digest}"


def counted(events: Sequence[Event]) -> Counted:
    """Return the totals of events that `read_trace` gave."""
    return Counted(measure(events), sum(event.event_type == "tool_call" for event in events))


def actions_of(events: Sequence[Event]) -> tuple[Action, ...]:
    """Return the actions of a run: its tool calls without sends.

    Raises:
        InputError: there are more than an action record can hold.
    """
    found = tuple(
        read_action(event.payload["action"])
        for event in events
        if event.event_type == "tool_call" and not is_send(event)
    )
    if len(found) > MAX_ACTIONS or sum(map(size_of, found)) > MAX_RUN_TEXT:
        raise InputError(
            f"more than {MAX_ACTIONS:,} tool calls, or {MAX_RUN_TEXT:,} characters of them", hint=HINT
        )
    return found


def kept(events: Sequence[Event], *, model: str | None, error: str, ending: str) -> tuple[Event, ...]:
    """Return the events in our conventions.

    Args:
        events: as `read_trace` gave them.
        model: that the source states for the whole run; None if it states none.
        error: the text that ended the run; empty if it ended by itself.
        ending: the outcome that this text belongs to.
    """
    found = [_kept(event, model) for event in events]
    if not error:
        return tuple(found)
    payload = {"text": error[:MAX_TEXT], "source": "import", "ending": ending, "limit": None}
    if len(error) > MAX_TEXT:
        payload["text_sha256"] = canonical.sha256_hex(error.encode("utf-8"))
    if events[-1].event_type == "error":
        last = found[-1]
        found[-1] = last.model_copy(update={"event_type": "error", "payload": {**last.payload, **payload}})
    else:
        found.append(Event(id=f"e{len(found) + 1}", actor=SYSTEM, event_type="error", payload=payload))
    return tuple(found)


def _kept(event: Event, model: str | None) -> Event:
    is_completion = _is_completion(event)
    payload, kind = dict(event.payload), event.event_type
    if is_completion and model is not None and "model_responded" not in payload:
        payload["model_requested"] = model
    if kind == "verify" and not _has_answer(event):
        kind, payload = "act", _note(payload)
    elif kind == "error" and not (payload.get("source") == "tool" or payload.get("tool")):
        kind, payload = "act", {"kind": "error", **payload}
    elif kind == "error":
        payload["source"] = "tool"
    actor = event.actor
    if actor.strip().lower() in _HARNESS:
        payload["source_actor"], actor = actor, SYSTEM
    no_tokens = not is_completion and kind != "finalize"
    return event.model_copy(
        update={
            "actor": actor,
            "event_type": kind,
            "payload": payload,
            "latency_ms": None if event.latency_ms == PLACEHOLDER_MS else event.latency_ms,
            "cost_usd": event.cost_usd or None,
            "token_in": None if no_tokens or kind == "finalize" else event.token_in,
            "token_out": None if no_tokens else event.token_out,
        }
    )


def _is_completion(event: Event) -> bool:
    """Whether a model answered: tokens were read, or there is its answer."""
    return bool(event.token_in) or _has_answer(event)


def _has_answer(event: Event) -> bool:
    return event.event_type != "finalize" and is_agent(event.actor) and "response_preview" in event.payload


def _note(payload: Mapping[str, Any]) -> dict[str, Any]:
    """A note of the harness: what an agent was shown, a decision to go on or to stop, or anything else."""
    decision = payload.get("termination")
    if isinstance(decision, dict):
        told = {name: value for name, value in payload.items() if name != "termination"}
        clean = {f"source_{name}" if name in _RESERVED else name: value for name, value in decision.items()}
        return {**clean, **told, "kind": "termination"}
    is_view = "visible_message_count" in payload or "prompt_messages" in payload
    return {**payload, "kind": "view" if is_view else "note"}
