"""The conformance test of adapters."""
