"""Questions over a small corpus with a search tool, and a few that end in an event."""
