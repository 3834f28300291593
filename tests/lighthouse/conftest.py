"""The exhibits of tests/browser, and their host."""

from __future__ import annotations

from browser.conftest import (  # noqa: F401 - fixtures are found by their names here
    begun_template,
    exhibits,
    hosted,
    secrets,
)
