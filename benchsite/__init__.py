"""Benchmark runs as signed, logged, re-scorable receipts in git, and the site that shows them."""

__version__ = "0.1.0"
