"""Runs: the command line, and the writing face that measures systems on benchmarks."""
