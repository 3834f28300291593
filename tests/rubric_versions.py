"""Five small versions of the rubric, each with the parameters that specs/rubric.md gives it."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from typing import Any

from builders import commit
from documents import version_files

from benchsite.methodology import FILES
from benchsite.pipeline.workspace import Workspace

VERSIONS = ("1.0.0", "1.1.0", "1.2.0", "1.3.0", "2.0.0")
PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    "1.0.0": {"requiredTests": False, "disclosures": False, "averaging": False},
    "1.1.0": {},
    "1.2.0": {},
    "1.3.0": {"penalty": 10, "repeatabilityShown": True},
    "2.0.0": {"sessions": 3, "sheets": 2, "evidence": True, "intervals": True, "repeatabilityShown": True},
}
"""specs/rubric.md, "Versions": how each departs from 1.1.0."""
SHARED = {
    "universalWeight": "2/5",
    "domainWeight": "3/5",
    "lowest": 1,
    "highest": 5,
    "requiredTests": True,
    "disclosures": True,
    "averaging": True,
    "penalty": 0,
    "sessions": 1,
    "sheets": 1,
    "evidence": False,
    "intervals": False,
    "repeatabilityShown": False,
}
DATES = dict(
    zip(VERSIONS, ("2026-03-31", "2026-04-01", "2026-04-01", "2026-04-09", "2026-11-01"), strict=True)
)


def rules(version: str, *, changes: str = "changes: [{type: added, text: It.}]", **parameters: Any) -> bytes:
    """A small version of the rubric track, as `documents.version_files` takes it."""
    said = {**SHARED, **PARAMETERS[version], **parameters}
    place = VERSIONS.index(version)
    based = [f"basedOn: {VERSIONS[place - 1]}"] if place else []
    lines = [
        f"  {name}: {str(value).lower() if isinstance(value, bool) else value}"
        for name, value in said.items()
    ]
    return "\n".join(
        [
            "track: rubric",
            f"version: {version}",
            f"title: Rubric {version}",
            f'published: "{DATES[version]}"',
            "summary: Small.",
            *based,
            "receiptSchema: 1.0.0",
            "measures: []",
            "parameters:",
            *lines,
            changes,
            "",
        ]
    ).encode()


def folder(version: str) -> str:
    return f"methodology/rubric/{version}"


def put(instance: Workspace, version: str, data: bytes | None = None) -> None:
    """Commit a version."""
    files = version_files(data or rules(version), f"## 1 Rules of {version}\n".encode())
    commit(instance, {f"{folder(version)}/{name}": held for name, held in files.items()})
    instance.refresh()


def without(instance: Workspace, version: str) -> None:
    """Commit that a version's files are gone."""
    names = tuple(f"{folder(version)}/{name}" for name in FILES)
    commit(instance, {}, removes=names)
    shutil.rmtree(instance.root / folder(version), ignore_errors=True)
    instance.refresh()
