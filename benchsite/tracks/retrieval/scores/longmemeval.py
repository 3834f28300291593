"""LongMemEval's own retrieval metrics of a receipt, to compare with figures that its users published.

They differ from ours (src/retrieval/eval_utils.py and run_retrieval.py of xiaowu0162/LongMemEval): nDCG discounts rank i by
log2(i) from rank 2 on, so that ranks 1 and 2 count alike; an item is relevant only if a turn of the user has the answer; questions
without such an item, and those whose id has `_abs`, are skipped. They aren't scores of a receipt.

Equal to the original if each session of a haystack has its own id, and sessions with evidence, and no others, have `answer` in it:
the original reads labels from ids, and counts a session twice that is there twice.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from benchsite.errors import UsageError
from benchsite.receipt import Document

__all__ = ["KIND", "NOT_OF_THE_USER", "ndcg", "report"]

KIND: Final = "longmemeval"
NOT_OF_THE_USER: Final = "answeredByAssistant"
"""The import's option with the relevant items in which only the assistant says the answer: a JSON list of ids."""
_ABSTENTION: Final = "_abs"


def ndcg(ranks: Sequence[int], relevant: int, k: int) -> float:
    """Return nDCG at k as LongMemEval computes it.

    Args:
        ranks: of the relevant items that were found, from 1.
        relevant: how many relevant items there are, at least 1.
        k: the cut-off.
    """
    gained = math.fsum(_discount(rank) for rank in ranks if rank <= k)
    return gained / math.fsum(_discount(rank) for rank in range(1, min(relevant, k) + 1))


def _discount(rank: int) -> float:
    return 1.0 if rank == 1 else 1 / math.log2(rank)


def report(document: Document) -> dict[str, Any]:
    """Return the metrics at each cut-off of a receipt, as means and by question.

    Raises:
        UsageError: the receipt is not of LongMemEval, or its dataset was imported by a release that did not record who said
            the answers.
    """
    importer = (document.get("config") or {}).get("importer") or {}
    if importer.get("kind") != KIND:
        raise UsageError(
            f"dataset {document['fixture']['id']} is not LongMemEval",
            hint="its metrics are those of datasets that benchsite fixture import longmemeval made",
        )
    unsaid = _ids(importer["options"].get(NOT_OF_THE_USER))
    if unsaid is None:
        raise UsageError(
            f"dataset {document['fixture']['id']} does not say which answers only the assistant gives",
            hint="import it with this release and another --id, then measure on it",
        )
    found, skipped = dict[str, dict[str, float]](), {"abstention": 0, "notAnsweredByUser": 0}
    for row in document["perQuery"]:
        relevant = {entry["id"] for entry in row["expected"] if entry["grade"] >= 1} - unsaid
        if _ABSTENTION in row["queryId"]:
            skipped["abstention"] += 1
        elif not relevant:
            skipped["notAnsweredByUser"] += 1
        else:
            found[row["queryId"]] = _metrics(row, relevant, document["config"]["k"])
    names = next(iter(found.values()), {})
    return {
        "metrics": {name: math.fsum(one[name] for one in found.values()) / len(found) for name in names},
        "questions": len(found),
        "skipped": skipped,
        "perQuestion": found,
    }


def _ids(text: object) -> set[str] | None:
    """The ids of a JSON list; None if it is none."""
    try:
        found = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        return None
    return set(found)


def _metrics(row: Mapping[str, Any], relevant: set[str], ks: Sequence[int]) -> dict[str, float]:
    retrieved = () if row.get("error") is not None else dict.fromkeys(row["retrieved"])
    ranks = [rank for rank, item in enumerate(retrieved, 1) if item in relevant]
    made = {}
    for k in ks:
        within = sum(rank <= k for rank in ranks)
        made[f"recall_any_longmemeval_at_{k}"] = float(within > 0)
        made[f"recall_all_longmemeval_at_{k}"] = float(within == len(relevant))
        made[f"ndcg_longmemeval_at_{k}"] = ndcg(ranks, len(relevant), k)
    return made
