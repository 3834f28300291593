"""What an adapter wrote to stderr, cut down to the lines that say why it failed.

Reads the kept tail. A Node program ends a crash with frames of its runtime and its own version, which say nothing; the
line that names the error is kept however far above the end it is. For the terminal only: no receipt holds such text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

__all__ = ["LINES", "reason", "relevant", "shown"]

LINES: Final = 10
LINE_LENGTH: Final = 300
_NOISE = re.compile(r"\s*(Node\.js v[0-9.]+$|at .*\(?node:internal/)")
_ERROR = re.compile(r"\s*(Uncaught )?\w*(Error|Exception)\b")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def relevant(tail: bytes) -> tuple[str, ...]:
    """The last ten lines that are not blank, each at most 300 characters, with the last error's name among them."""
    text = tail.decode("utf-8", "replace").split("\n")
    said = [_CONTROL.sub(" ", line)[:LINE_LENGTH].rstrip() for line in text if line.strip()]
    said = [line for line in said if not _NOISE.match(line)] or said
    last = said[-LINES:]
    errors = [line for line in said if _ERROR.match(line)]
    if errors and errors[-1] not in last:
        last[0] = errors[-1]
    return tuple(last)


def reason(tail: bytes) -> str:
    """The one line that says most: the last, or of a Node program the last that begins with an error's name."""
    lines = relevant(tail)
    if b"Node.js v" in tail:
        lines = tuple(line for line in lines if _ERROR.match(line)) or lines
    return lines[-1].strip() if lines else ""


def shown(lines: Sequence[str]) -> str:
    """The lines for the terminal: one beside its label, several below it; empty for none."""
    if len(lines) < 2:
        return "".join(f"stderr: {line.strip()}" for line in lines)
    return "\n  ".join(("stderr:", *lines))
