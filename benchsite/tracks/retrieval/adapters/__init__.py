"""The included adapters."""
