"""Metrics of the agents track for other packages: a stable import of `scores.descriptor`."""

from benchsite.tracks.agents.scores.descriptor import (
    ALIASES,
    BINARY,
    CHECKS,
    COUNTS,
    FIELDS,
    KS,
    METRICS,
    Descriptor,
    Evaluation,
    Value,
    check,
    describe,
    p95,
    pass_at_k,
    pass_hat_k,
    variance,
)

__all__ = [
    "ALIASES",
    "BINARY",
    "CHECKS",
    "COUNTS",
    "FIELDS",
    "KS",
    "METRICS",
    "Descriptor",
    "Evaluation",
    "Value",
    "check",
    "describe",
    "p95",
    "pass_at_k",
    "pass_hat_k",
    "variance",
]
