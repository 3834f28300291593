"""The outcome of a call to a measured program: a result, or how the call failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

__all__ = ["Fault", "FaultKind", "Reply", "fault_of"]

NOT_JSON: Final = -32001
MESSAGE_LENGTH: Final = 500

FaultKind = Literal["raised", "timeout", "crashed", "protocol"]


@dataclass(frozen=True, slots=True)
class Fault:
    """How a call failed; `detail` is for the terminal and never enters a receipt.

    `code` and `data` are those of a JSON-RPC error answer.
    """

    kind: FaultKind
    detail: str
    data: Any = None
    code: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """The outcome of one call: a result or a fault, and the time between first byte out and last byte in."""

    result: Any = None
    fault: Fault | None = None
    elapsed_ns: int = 0


def fault_of(error: Mapping[str, Any]) -> Fault:
    """The fault in an error answer: the program raised, or its result could not be written as JSON."""
    code = error.get("code")
    kind: FaultKind = "protocol" if code == NOT_JSON else "raised"
    detail = str(error.get("message", ""))[:MESSAGE_LENGTH]
    return Fault(kind, detail, error.get("data"), code if isinstance(code, int) else 0)
