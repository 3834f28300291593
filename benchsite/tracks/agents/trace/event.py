"""A trace: the events of one run, one JSON object a line (specs/agents.md, "Trace"; the seed's ten fields, `id`, `parent`).

Owns the event, its strict parser `parse` with the exact inverse `line`, and `Trace`, which streams the events of a file.
What a source does not tell is None, never 0; an absent member is blank, as null is. Refused, with the number of the line:
what is no strict JSON or no event, an id that occurs twice, more than 100,000 events, and a line above the limit, which is
never held whole. A clock that runs backwards and events out of order are facts about a run: they are recorded as problems.

Members of `payload` that metrics read; every other member is free:

- A model event has `model_requested` or `model_responded`, and may have `finish_reason`, `tokens_cached`,
  `tokens_reasoning`.
- A `tool_call` has `tool` (its name) and `input`. A `tool_result` may have `error`, `status`, `error_code`, `exception`.
- A `finalize` event may have `confidence`, from 0 to 1. An agent states its artifact as `artifact` in any event: text, or
  an object whose `answer_artifact` is text.
- A send, of whatever event type, has `kind: "send"`, `recipients` (a list of names) and, where the actor passes on
  what another one says, `sender`. `"send"` events of type `tool_call` are no tool calls.
- A termination decision has `kind: "termination"` and the seed's fields (`reason`, `mean_delta`, ...), and may have
  `winner`, the signature of the largest group.
- `redo` marks a step that is done over; `source: "tool"` marks an `error` that a tool raised.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import ConfigDict, Field, StringConstraints, ValidationError

from benchsite import canonical
from benchsite.canonical import MAX_BYTES, MAX_INTEGER, JsonError
from benchsite.dates import posix_seconds, utc_text
from benchsite.errors import InputError
from benchsite.schema import Bounded, Text, first_fault
from benchsite.tracks.agents.record.sentences import said

EventType = Literal["plan", "act", "tool_call", "tool_result", "verify", "revise", "finalize", "error"]
EVENT_TYPES: Final[tuple[EventType, ...]] = get_args(EventType)

TIMESTAMP: Final = (
    r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{6}Z$"
)
Timestamp = Annotated[str, StringConstraints(pattern=TIMESTAMP)]
"""RFC 3339 UTC with six decimals, so that the order of texts is the order of times."""
Actor = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f-\x9f]{0,200}$")]
Tokens = Annotated[int, Field(ge=0, le=MAX_INTEGER)]
Milliseconds = Annotated[float, Field(ge=-MAX_INTEGER, le=MAX_INTEGER)]
Dollars = Annotated[float, Field(ge=0, le=MAX_INTEGER)]

MAX_EVENTS: Final = 100_000
"""Events of one run: the longest published transcript has fewer than a hundred."""
MAX_PROBLEMS: Final = 100
"""Problems of one trace that are kept with their place; all are counted."""


class Event(Bounded):
    """One recorded step of a run.

    Attributes:
        id: unique in the trace.
        parent: id of the event, recorded earlier, that caused this one.
        timestamp_start, timestamp_end: when it started and ended.
        actor: who acted; `system` or empty for the harness itself.
        state_id: the state that it found or left, with the round; equal states have equal ids.
        latency_ms: milliseconds; negative where the clock ran backwards, which metrics take for blank.
        cost_usd: US dollars; None where the model has no price.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)

    id: Text
    actor: Actor
    event_type: EventType
    payload: dict[str, Any] = Field(default_factory=dict)
    timestamp_start: Timestamp | None = None
    timestamp_end: Timestamp | None = None
    token_in: Tokens | None = None
    token_out: Tokens | None = None
    latency_ms: Milliseconds | None = None
    cost_usd: Dollars | None = None
    state_id: Text | None = None
    parent: Text | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a trace that can be read all the same.

    Attributes:
        line: from 1.
        code: `half-line`, `clock-backwards`, `negative-latency`, `out-of-order`, `parent-after-child`, `unknown-parent`.
        text: one sentence, quoting nothing.
    """

    line: int
    code: str
    text: str


def parse(data: bytes) -> Event:
    """Read one line, with or without its line feed.

    Raises:
        InputError: it is no strict JSON, or no event; the message names the member.
    """
    try:
        return Event.model_validate(canonical.loads(data))
    except JsonError as error:
        raise InputError(error.message, hint=_HINT) from None
    except ValidationError as error:
        raise InputError(f"no event: {_fault(error)}", hint=_HINT) from None


def _fault(error: ValidationError) -> str:
    """The first fault: the member, and what it must be; quotes nothing of the line."""
    member, _ = first_fault(error)
    kind = error.errors(include_url=False, include_context=False, include_input=False)[0]["type"]
    if not member:
        return "line: must be a JSON object"
    if kind == "extra_forbidden":
        return f"{member[:80]}: unknown member"
    name = member.partition(".")[0]
    return f"{name}: missing" if kind == "missing" else f"{name}: must be {_MUST_BE[name]}"


_NAME: Final = "1 to 200 characters without control characters"
_TIME: Final = "a UTC time with six decimals, such as 2026-11-23T12:00:00.000000Z"
_COUNT: Final = f"a whole number from 0 to {MAX_INTEGER:,}"
_MUST_BE: Final = {
    "id": _NAME,
    "parent": _NAME,
    "state_id": _NAME,
    "actor": "at most 200 characters without control characters",
    "event_type": f"one of {', '.join(EVENT_TYPES)}",
    "payload": "a JSON object",
    "timestamp_start": _TIME,
    "timestamp_end": _TIME,
    "token_in": _COUNT,
    "token_out": _COUNT,
    "latency_ms": "a number",
    "cost_usd": "a number from 0",
}


def line(event: Event) -> bytes:
    """The event as canonical JSON and a line feed: the exact inverse of `parse`, every member stated.

    Raises:
        JsonError: the payload holds what JSON cannot.
    """
    return canonical.dumps(dict(event)) + b"\n"


def lines(events: Sequence[Event]) -> bytes:
    """The events as `line` writes each."""
    return b"".join(part + b"\n" for part in canonical.dumps_each([event.__dict__ for event in events]))


def timestamp(microseconds: int) -> str:
    """A time as a trace states it, from microseconds since 1970."""
    seconds, rest = divmod(microseconds, 1_000_000)
    return f"{utc_text(seconds)[:-1]}.{rest:06}Z"


def microseconds(text: str) -> int:
    """The inverse of `timestamp`."""
    return posix_seconds(text) * 1_000_000 + int(text[20:26])


class Trace:
    """The events of a trace file, streamed once; problems are known as far as it was read.

    Attributes:
        problems: the first 100, in the order found.
        problem_count: all of them.
        half_line: the number of a dropped last line; None where there is none.
        end: bytes of the whole lines read so far.
    """

    def __init__(
        self,
        chunks: Iterable[bytes],
        *,
        name: str = "trace",
        max_line: int = MAX_BYTES,
        drop_half_line: bool = False,
    ) -> None:
        """Read from chunks of bytes, cut anywhere.

        Args:
            chunks: the file's bytes.
            name: what errors call it.
            max_line: largest line, in bytes.
            drop_half_line: whether a last line without line feed, what a crash leaves, is dropped and recorded;
                it is refused otherwise.
        """
        self.problems: list[Problem] = []
        self.problem_count = 0
        self.half_line: int | None = None
        self.end = 0
        self._chunks, self._name, self._max = chunks, name, max_line
        self._drop = drop_half_line
        self._seen: set[str] = set()
        self._orphans: dict[str, int] = {}
        self._latest = ""

    def __iter__(self) -> Iterator[Event]:
        """The events in order.

        Raises:
            InputError: a line is refused; the message has its number.
        """
        for number, data in enumerate(self._lines(), 1):
            if number > MAX_EVENTS:
                raise InputError(f"more than {MAX_EVENTS:,} events: {self._name} line {number}", hint=_HINT)
            if self._drop and not data.strip(_BLANK):  # a file that people write
                raise InputError(f"empty line: {self._name} line {number}", hint=_HINT)
            try:
                event = parse(data)
            except InputError as error:
                raise InputError(f"{error.message}: {self._name} line {number}", hint=_HINT) from None
            self._look(event, number)
            self.end += len(data) + 1
            yield event
        for place in self._orphans.values():
            self._problem(place, "unknown-parent", "the trace has no event with the id of the parent")

    def _lines(self) -> Iterator[bytes]:
        """Whole lines without their line feeds; never more than a piece above the limit is held."""
        parts: list[bytes] = []
        size, number = 0, 1
        for chunk in _pieces(self._chunks):
            for place, part in enumerate(chunk.split(b"\n")):
                if place:
                    yield b"".join(parts)
                    parts, size, number = [], 0, number + 1
                parts.append(part)
                size += len(part)
                if size > self._max:
                    raise InputError(
                        said("line-too-long", bytes=f"{self._max:,}", where=f"{self._name} line {number}"),
                        hint="keep large results outside the trace, and their sha256 in the payload",
                    )
        if size:
            self._ends_halfway(number)

    def _ends_halfway(self, number: int) -> None:
        if not self._drop:
            raise InputError(
                said("half-line", where=f"{self._name} line {number}"),
                hint="the run was cut off while it wrote: re-run it, or remove that line",
            )
        self.half_line = number
        self._problem(number, "half-line", "the last line has no line feed and is dropped")

    def _look(self, event: Event, number: int) -> None:
        """Record what is odd about an event among those before it."""
        if event.id in self._seen:
            raise InputError(said("id-twice", where=f"{self._name} line {number}"), hint=_HINT)
        if event.id in self._orphans:
            place = self._orphans.pop(event.id)
            self._problem(place, "parent-after-child", "the parent is recorded later")
        if event.parent is not None and event.parent not in self._seen:
            self._orphans.setdefault(event.parent, number)
        self._seen.add(event.id)
        start, end = event.timestamp_start, event.timestamp_end
        if start is not None and end is not None and end < start:
            self._problem(number, "clock-backwards", "the event ends before it starts")
        if event.latency_ms is not None and event.latency_ms < 0:
            self._problem(number, "negative-latency", "the latency is negative")
        time = end or start
        if time is not None:
            if time < self._latest:
                self._problem(number, "out-of-order", "the event is earlier than one recorded before it")
            self._latest = max(time, self._latest)

    def _problem(self, number: int, code: str, text: str) -> None:
        self.problem_count += 1
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(number, code, text))


def _pieces(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces that are small enough to be split into lines at once."""
    for chunk in chunks:
        for start in range(0, len(chunk), _PIECE):
            yield chunk[start : start + _PIECE]


_BLANK: Final = b" \t\r"
_PIECE: Final = 1024 * 1024
_HINT: Final = "a trace has one event a line, as the agents methodology describes it"


def each_line(data: bytes) -> Iterator[bytes]:
    """The lines of a file whose last line is whole, one at a time: a hostile file has millions."""
    start = 0
    while (end := data.find(b"\n", start)) >= 0:
        yield data[start:end]
        start = end + 1
