"""Inspect AI where it is installed; a stand-in that reads the same `.json` logs elsewhere."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


class Told(dict[str, Any]):
    """An object of a log by its members; a missing one is None."""

    def __getattr__(self, name: str) -> Any:
        return self.get(name)

    def model_dump(self, **_: Any) -> dict[str, Any]:
        return dict(self)


def stand_in() -> ModuleType:
    """A module with the functions of `inspect_ai.log` that the importer calls."""
    module = ModuleType("inspect_ai.log")

    def read(path: str, **_: Any) -> Any:
        return json.loads(Path(path).read_bytes(), object_hook=Told)

    def summaries(path: str) -> Any:
        found = read(path).get("samples") or []
        return [Told(one, retries=len(one.get("error_retries") or ())) for one in found]

    module.read_eval_log = read  # type: ignore[attr-defined]
    module.read_eval_log_sample_summaries = summaries  # type: ignore[attr-defined]
    module.read_eval_log_samples_by_id = None  # type: ignore[attr-defined]
    return module


@pytest.fixture
def inspect_ai(monkeypatch: pytest.MonkeyPatch) -> None:
    if importlib.util.find_spec("inspect_ai") is None:
        package = ModuleType("inspect_ai")
        package.log = stand_in()  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "inspect_ai", package)
        monkeypatch.setitem(sys.modules, "inspect_ai.log", package.log)
