"""Scoring speed against pytrec_eval, in one process: `python tests/bench/bench_scoring.py`. Not a test.

Both are handed the run in the form they score (an id-keyed mapping a query: rank here, score there) and the
qrels beforehand. Timed: success@5, success@10 and nDCG@10 of every query, and their means. Ours computes all its
measures at these cuts, as it has no other mode. Rounds alternate, so that a busy machine slows both. Prints the
medians and, as the last line, a JSON object.
"""

from __future__ import annotations

import json
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

import pytrec_eval

from benchsite.tracks.retrieval.metrics import score
from benchsite.tracks.retrieval.scoring import Query

QUERIES = 100_000
DEPTH = 10
ITEMS = 10_000
ROUNDS = 11
MEASURES = ("success_5", "success_10", "ndcg_cut_10")


def synthetic(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, list[str]]]:
    """Qrels and a run: one to three relevant items a query, three in five of them retrieved."""
    rng = random.Random(seed)  # noqa: S311 - synthetic data
    items = [f"d{i:06d}" for i in range(ITEMS)]
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, list[str]] = {}
    for q in range(QUERIES):
        retrieved = rng.sample(items, DEPTH)
        relevant = rng.choices(retrieved, k=3) if rng.random() < 0.6 else rng.choices(items, k=3)
        # New strings, as a parsed receipt has them: no shortcut by identity.
        qrels[f"q{q}"] = {"".join(list(item)): 1 for item in relevant[: rng.randint(1, 3)]}
        run[f"q{q}"] = retrieved
    return qrels, run


def timed(work: Callable[[], Any]) -> float:
    """Milliseconds that ``work`` takes."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def main() -> None:
    """Measure, print, and end with one JSON line."""
    qrels, run = synthetic(1)
    queries = [Query.judge(qrels[q], run[q]) for q in run]
    scored_run = {q: {item: float(DEPTH - i) for i, item in enumerate(run[q])} for q in run}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"success.5,10", "ndcg_cut.10"})

    def ours() -> list[float]:
        scores = score(queries, (5, 10)).scores
        return [scores["success_at_5"], scores["success_at_10"], scores["ndcg_at_10"]]

    def theirs() -> list[float]:
        rows = evaluator.evaluate(scored_run).values()
        return [sum([row[measure] for row in rows]) / len(rows) for measure in MEASURES]

    difference = max(abs(a - b) for a, b in zip(ours(), theirs(), strict=True))
    rounds = [
        (timed(ours), timed(theirs), timed(lambda: evaluator.evaluate(scored_run))) for _ in range(ROUNDS)
    ]
    ours_ms, theirs_ms, evaluate_ms = (statistics.median(column) for column in zip(*rounds, strict=True))
    ratio = statistics.median(their / our for our, their, _ in rounds)
    evaluate_ratio = statistics.median(alone / our for our, _, alone in rounds)
    print(
        f"{QUERIES:,} queries x {DEPTH} retrieved, median of {ROUNDS} rounds; largest difference {difference:.1e}"
    )
    print(f"  benchsite    {ours_ms:7.1f} ms   (fastest {min(round_[0] for round_ in rounds):.1f})")
    print(f"  pytrec_eval  {theirs_ms:7.1f} ms   {ratio:.2f} times as long")
    print(f"    without its means {evaluate_ms:7.1f} ms   {evaluate_ratio:.2f} times as long")
    print(
        json.dumps(
            {
                "bench": "scoring",
                "queries": QUERIES,
                "ms": round(ours_ms, 1),
                "pytrec_eval_ms": round(theirs_ms, 1),
                "ratio": round(ratio, 2),
                "ratio_without_means": round(evaluate_ratio, 2),
                "largest_difference": difference,
            }
        )
    )


if __name__ == "__main__":
    main()
