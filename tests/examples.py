"""How many examples the property tests try whose examples are slow or whose faults are rare."""

from __future__ import annotations

from hypothesis import settings


def examples(count: int, *, full: int) -> int:
    """`count` in `make test`, `full` in `make test-full`: a number written at a test outweighs the profile's."""
    return full if settings.get_current_profile_name() == "full" else count
