"""How a published run ended, by the text of its column `error`.

The original records what its agent loop raised, and grades a run with any text as no success. What the text says
about the run is one table, `ENDINGS`, read from above; the first pattern that is in the text decides.

| text | ending | why |
|---|---|---|
| none | `none` | the run came to its own end; success or failure is the evaluator's answer |
| Agent stopped due to iteration limit or time limit. | `limit`, iterations | the harness stopped it: 20 iterations or 120 seconds, and does not say which |
| no row in the published results | `error` | nothing is known of the run |
| Context window exceeded | `limit`, context | the conversation no longer fitted the model's context |
| Error code: 4xx or 5xx that concerns the service; timeouts, connections, rate limits | `error` | the model's provider failed: infrastructure, nothing that the agent did |
| An output parsing error occurred; Could not parse LLM output | `failure`, by the agent | its output was no action and no answer |
| 'str' object has no attribute 'items' | `failure`, by the agent | it wrote a text where an action's arguments belong |
| anything else | `failure`, by a tool | a tool raised on the arguments that the agent gave it |

Of the provider's codes, 401, 403, 404, 408, 409, 425, 429 and 5xx concern the service. Other codes refuse what was sent:
that is the agent's failure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

__all__ = ["ENDINGS", "Ending", "Kind", "Source", "ending"]

Kind = Literal["none", "limit", "error", "failure"]
Source = Literal["none", "harness", "provider", "agent", "tool"]

MAX_TEXT: Final = 10_000


class _Rule(NamedTuple):
    pattern: re.Pattern[str]
    kind: Kind
    limit: str
    source: Source


def _rule(pattern: str, kind: Kind, source: Source, limit: str = "") -> _Rule:
    return _Rule(re.compile(pattern), kind, limit, source)


NO_ROW: Final = "no row in the published results"
"""What stands for the error of a task that a published configuration has no row for, where that is allowed."""

ENDINGS: Final = (
    _rule(rf"\A{NO_ROW}", "error", "none"),
    _rule(r"\AAgent stopped due to iteration limit or time limit\.", "limit", "harness", "iterations"),
    _rule(r"\AContext window exceeded", "limit", "harness", "context"),
    _rule(r"\AError code: (?:40[13489]|425|429|5[0-9]{2})\b", "error", "provider"),
    _rule(r"\AError code: [0-9]{3}\b", "failure", "agent"),
    _rule(
        r"(?i)\A(?:request timed out|read timed out|connection (?:error|aborted|reset)|\('connection aborted"
        r"|httpsconnectionpool|rate limit|server disconnected)",
        "error",
        "provider",
    ),
    _rule(r"\A(?:An output parsing error occurred|Could not parse LLM output)", "failure", "agent"),
    _rule(r"\A'str' object has no attribute 'items'", "failure", "agent"),
)
"""The table; a text that no pattern is in is a failure by a tool."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended: what ended it, which limit (empty where none), who, and the text up to 10,000 characters."""

    kind: Kind
    limit: str
    source: Source
    text: str


def ending(error: str) -> Ending:
    """The ending that the column `error` tells."""
    if not error:
        return Ending("none", "", "none", "")
    for rule in ENDINGS:
        if rule.pattern.search(error):
            return Ending(rule.kind, rule.limit, rule.source, error[:MAX_TEXT])
    return Ending("failure", "", "tool", error[:MAX_TEXT])
