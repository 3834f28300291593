"""Servers of the Model Context Protocol as adapters, by a mapping file: `--adapter mcp:FILE`.

The bridge runs in the adapter's process, and the server as a child of it, in the same sandbox.
"""
