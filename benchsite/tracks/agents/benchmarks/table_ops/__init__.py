"""Questions over small tables with a read-only SQL tool."""
