"""Scoring engines and the arithmetic of rankings."""
