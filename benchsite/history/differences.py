"""Two trees of numbers, recorded and computed again, held against each other down to the single number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from benchsite.history.verdict import Difference


def differences(recorded: Any, computed: Any, field: str) -> Iterator[Difference]:
    """Every place in which they differ, members in the order of their names; what is not there is None."""
    if recorded == computed:
        return
    if isinstance(recorded, Mapping) and isinstance(computed, Mapping):
        for key in sorted(recorded.keys() | computed.keys()):
            yield from differences(recorded.get(key), computed.get(key), f"{field}.{key}")
    else:
        yield Difference(field, recorded, computed)
