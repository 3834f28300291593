"""Analysis over systems: what their descriptors have in common and what sets them apart (specs/agents.md, "Analysis over systems")."""
