"""Traces: the events of runs, their archive, their writer and their metrics (specs/agents.md, "Trace")."""
