"""Runs of other harnesses, read as traces, actions and outcomes: one reader per format."""
