"""What the program knows of the retrieval track before anything of it runs.

`TRACK` is light: metrics, pages and the runner are imported when first asked for.
"""

from __future__ import annotations

from benchsite.track import Metric, Track

__all__ = ["TRACK"]

TRACK = Track(
    "retrieval",
    "Retrieval",
    "benchsite.tracks.retrieval",
    groups={"adapter": "benchsite.retrieval.adapters"},
    granted="adapters",
    metrics={
        "success_at_k": Metric("Hit rate@k"),
        "recall_at_k": Metric("Recall@k"),
        "recall_all_at_k": Metric("Full recall@k"),
        "precision_at_k": Metric("Precision@k"),
        "mrr_at_k": Metric("MRR@k"),
        "map_at_k": Metric("MAP@k"),
        "ndcg_at_k": Metric("nDCG@k"),
        "abstention_rate": Metric("Abstention rate"),
    },
    limited="limited run: only the first {limit} queries were run",
)
