"""The part for Every Eval Ever: a run of a task is an agentic interaction, whose transcript stays with the receipt's evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from benchsite.receipt import Document
from benchsite.track.table import EvalModel
from benchsite.tracks.agents.items import rows

__all__ = ["SCALE", "model", "samples"]

SCALE: Final = (0.0, 1.0)


def model(document: Document) -> EvalModel:
    """Return the system's model; a system of several models, or of none, goes by its own name."""
    system = document["system"]
    uses = list(system["models"].values())
    names = {name for use in uses if (name := use["responded"] or use["requested"])}
    details = {"system": system["name"], "system_version": system["version"], "system_kind": system["kind"]}
    if names:
        details["models"] = ", ".join(sorted(names))
    if uses and all(use.get("sha256") for use in uses):
        details |= {"deployment_type": "self_deployed", "model_availability": "open_weights"}
    if len(names) != 1:
        return EvalModel(system["name"], "", details)
    developer, _, name = names.pop().rpartition("/")
    return EvalModel(name, developer, details)


def samples(document: Document, texts: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
    """Yield an interaction without messages for each run."""
    for row in rows(document, "success"):
        calls = row.get("toolCalls")
        yield {
            "sample_id": row["item"],
            "interaction_type": "agentic",
            "input": {"raw": texts.get(row["item"], ""), "reference": []},
            "messages": [],
            "evaluation": {
                "score": row["value"],
                "is_correct": row["value"] == 1,
                "tool_calls_count": calls,
                "num_turns": row.get("turns") or None,
            },
            "performance": {"latency_ms": row.get("latencyMs")},
            "error": row["outcome"] if row["outcome"] in ("error", "limit") else None,
            "metadata": {"run": str(row["run"]), "domain": row["category"], "outcome": row["outcome"]},
        }
