"""Importers: another project's dataset, as bytes, into the object of a `fixture.json`.

Pure functions. The data stays with the user who imports it; its license is in the fixture. `formats` is what the command line offers.
"""
