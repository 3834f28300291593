"""The part for Every Eval Ever: a query is a single turn, whose reference is its relevant items and whose output is the ranking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from benchsite.receipt import Document
from benchsite.track.table import EvalModel
from benchsite.tracks.retrieval.items import rows
from benchsite.tracks.retrieval.record.verification import HEADLINE_K, label

__all__ = ["SCALE", "model", "samples"]

SCALE: Final = (0.0, 1.0)


def model(document: Document) -> EvalModel:
    """Return the retrieval system."""
    adapter = document["adapter"]
    details = {"version": adapter["version"], "configuration": label(adapter, document.get("config", {}))}
    if adapter.get("hosted"):
        details["deployment_type"] = "externally_managed"
    return EvalModel(adapter["name"], adapter.get("author") or "", details)


def samples(document: Document, texts: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
    """Yield a single turn for each scored query: correct if a relevant item is among the first ten results."""
    for row in rows(document, f"ndcg_at_{HEADLINE_K}"):
        if row["value"] is None:
            continue
        yield {
            "sample_id": row["item"],
            "interaction_type": "single_turn",
            "input": {"raw": texts.get(row["item"], ""), "reference": row["relevant"]},
            "output": {"raw": row["retrieved"]},
            "evaluation": {"score": row["value"], "is_correct": row["success"] == 1},
            "performance": {"latency_ms": row["latencyMs"]},
            "error": row["error"],
            "metadata": {name: row[name] for name in ("scope", "category", "split") if row[name] is not None},
        }
