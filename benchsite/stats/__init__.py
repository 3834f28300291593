"""Statistics behind signed numbers: means, intervals, agreement, paired tests, power, rank discounts, one seeded generator.

Owns no formula itself: ``agreement``, ``exact``, ``generator``, ``large_counts``, ``logarithm``, ``power`` and ``student`` need
only the standard library, ``discounts`` is a table, and ``resample``, the only part that needs numpy, is imported when one of its names is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from benchsite.stats.agreement import krippendorff_alpha, weighted_kappa
from benchsite.stats.discounts import DISCOUNTS, MAX_RANK, discount
from benchsite.stats.exact import Interval, exact_mean, holm, mcnemar, nearest_rank, wilson
from benchsite.stats.generator import below, word
from benchsite.stats.large_counts import mcnemar_large
from benchsite.stats.logarithm import log2
from benchsite.stats.power import binary_pairs_needed, detectable, pairs_needed, repeats_needed
from benchsite.stats.student import T_975, mean_interval, t_interval

if TYPE_CHECKING:
    from benchsite.stats.resample import bootstrap_mean, bootstrap_means, paired_randomisation, words

__all__ = [
    "DISCOUNTS",
    "MAX_RANK",
    "T_975",
    "Interval",
    "below",
    "binary_pairs_needed",
    "bootstrap_mean",
    "bootstrap_means",
    "detectable",
    "discount",
    "exact_mean",
    "holm",
    "krippendorff_alpha",
    "log2",
    "mcnemar",
    "mcnemar_large",
    "mean_interval",
    "nearest_rank",
    "paired_randomisation",
    "pairs_needed",
    "repeats_needed",
    "t_interval",
    "weighted_kappa",
    "wilson",
    "word",
    "words",
]


_NEEDS_NUMPY = frozenset({"bootstrap_mean", "bootstrap_means", "paired_randomisation", "words"})


def __getattr__(name: str) -> Any:
    if name in _NEEDS_NUMPY:
        return getattr(import_module("benchsite.stats.resample"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
