"""The company directory: e-mail addresses of employees."""

from __future__ import annotations

from typing import Any, Final

from benchsite.tracks.agents.benchmarks.workbench.sandbox import Sandbox, Tool
from benchsite.tracks.agents.benchmarks.workbench.tools.search import contains


def find_email_address(box: Sandbox, name: Any = "") -> Any:
    """The e-mail addresses that a name is part of."""
    if name == "":
        return "Name not provided."
    matches = contains(name.lower(), ignore_case=False)
    return [address for address in box.directory if matches(address)]


TOOLS: Final = (Tool("company_directory.find_email_address", find_email_address, changes_state=False),)
