"""Importing what a command needs."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def lasting() -> Iterator[None]:
    """Imports of what lives until the end, so that a search for cycles there finds none.

    Without such searches a build of three thousand receipts takes 4% less processor time, most of it while it starts.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()
