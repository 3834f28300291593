"""The browsers of this machine: which program each is, and what is said where there is none."""

from __future__ import annotations

import os
import shutil

import pytest


def program(variable: str, name: str) -> str:
    """A browser's program. Missing, it is a failure where root could have installed it, else a loud skip."""
    found = shutil.which(os.environ.get(variable) or name)
    if found is not None:
        return found
    said = f"NO BROWSER: install Debian's {name}, or set {variable}; nothing was tried in it"
    if os.geteuid() == 0 and shutil.which("apt-get"):
        pytest.fail(f"{said} (`make browsers` installs it)")
    pytest.skip(said)


def chromium_program() -> str:
    return program("BENCHSITE_CHROMIUM", "chromium")


def firefox_program() -> str:
    return program("BENCHSITE_FIREFOX", "firefox-esr")
