"""Traces in the formats of other programs, from the packed traces and the run columns of a receipt."""
