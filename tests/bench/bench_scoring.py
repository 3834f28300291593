"""Scoring speed against pytrec_eval, in one process.

Both are handed the run in the form they score (an id-keyed mapping a query: rank here, score there) and the
qrels beforehand. Timed: success@5, success@10 and nDCG@10 of every query, and their means. Ours computes all its
measures at these cuts, as it has no other mode. Rounds alternate, so that a busy machine slows both.
"""

from __future__ import annotations

import random
import statistics

import pytrec_eval

from benchsite.tracks.retrieval.metrics import score
from benchsite.tracks.retrieval.scores.scoring import Query
from tests.bench.measurement import Gate, Numbers
from tests.bench.spending import alternated, ratio

UNIT = "queries"
SIZE = 100_000
TINY = 50
ROUNDS = 11
GATES = {"benchsite_ms": Gate(150), "pytrec_eval_ratio": Gate(4, least=True)}
DEPTH = 10
ITEMS = 10_000
MEASURES = ("success_5", "success_10", "ndcg_cut_10")


def synthetic(size: int, seed: int) -> tuple[dict[str, dict[str, int]], dict[str, list[str]]]:
    """Qrels and a run: one to three relevant items a query, three in five of them retrieved."""
    rng = random.Random(seed)  # noqa: S311 - synthetic data
    items = [f"d{i:06d}" for i in range(ITEMS)]
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, list[str]] = {}
    for q in range(size):
        retrieved = rng.sample(items, DEPTH)
        relevant = rng.choices(retrieved, k=3) if rng.random() < 0.6 else rng.choices(items, k=3)
        # New strings, as a parsed receipt has them: no shortcut by identity.
        qrels[f"q{q}"] = {"".join(list(item)): 1 for item in relevant[: rng.randint(1, 3)]}
        run[f"q{q}"] = retrieved
    return qrels, run


def measure(size: int, rounds: int) -> Numbers:
    """Milliseconds of both, how many times as long pytrec_eval takes, and the largest difference of their numbers."""
    qrels, run = synthetic(size, 1)
    queries = [Query.from_ids(qrels[q], run[q]) for q in run]
    scored_run = {q: {item: float(DEPTH - i) for i, item in enumerate(run[q])} for q in run}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"success.5,10", "ndcg_cut.10"})

    def ours() -> list[float]:
        scores = score(queries, (5, 10)).scores
        return [scores["success_at_5"], scores["success_at_10"], scores["ndcg_at_10"]]

    def theirs() -> list[float]:
        rows = evaluator.evaluate(scored_run).values()
        return [sum([row[measure] for row in rows]) / len(rows) for measure in MEASURES]

    difference = max(abs(a - b) for a, b in zip(ours(), theirs(), strict=True))
    spent = alternated(rounds, ours=ours, theirs=theirs, alone=lambda: evaluator.evaluate(scored_run))
    return {
        "benchsite_ms": statistics.median(spent["ours"]) * 1000,
        "pytrec_eval_ms": statistics.median(spent["theirs"]) * 1000,
        "pytrec_eval_ratio": ratio(spent["theirs"], spent["ours"]),
        "pytrec_eval_without_means_ratio": ratio(spent["alone"], spent["ours"]),
        "largest_difference": difference,
    }
