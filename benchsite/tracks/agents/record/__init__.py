"""Record of the agents track: the keys, columns and files of a receipt, and its checks (specs/agents.md)."""
