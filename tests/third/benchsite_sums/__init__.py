"""Sums: programs that add two whole numbers. A complete track of its own package, as *Write a track* describes it."""

from benchsite.track import Metric, Track

TRACK = Track(
    "sums",
    "Sums",
    __name__,
    groups={"system": "benchsite.sums.systems"},
    limited="limited run: only the first {limit} sums were asked",
    metrics={"accuracy": Metric("Accuracy")},
    browser="rescore-sums.js",
)
