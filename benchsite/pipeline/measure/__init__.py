"""Measuring: what a run needs, and the draft it leaves."""
