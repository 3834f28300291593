"""The 26 tools of WorkBench over its five tables, and the company directory: six groups.

Each does what the original's tool of that name does, refusals word for word. No tool takes a path or runs code.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from benchsite.tracks.agents.benchmarks.workbench.sandbox import Tool
from benchsite.tracks.agents.benchmarks.workbench.tools import (
    analytics,
    calendar,
    company_directory,
    customers,
    email,
    project_management,
)

__all__ = ["CATALOG"]

CATALOG: Final[Mapping[str, Tool]] = {
    tool.name: tool
    for group in (calendar, email, analytics, project_management, customers, company_directory)
    for tool in group.TOOLS
}
"""Each tool by its name."""
