"""Measurements of the specifications' gates: `make bench`. They print medians and ratios and judge nothing."""
