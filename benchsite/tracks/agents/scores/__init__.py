"""Scores of the agents track, computed from run columns and trace events (specs/agents.md)."""
