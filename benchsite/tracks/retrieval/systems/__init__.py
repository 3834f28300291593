"""The catalog of third-party systems: one entry each, one module for each family.

The entry points and extras of `pyproject.toml` repeat names and pins; a test compares them. Adapters do not import the catalog:
its bytes would be part of their digests, and a new entry would change every row.
"""
