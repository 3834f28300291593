"""Interpreters of measured systems: a virtual environment for each group of systems, apart from benchsite's own.

`install` makes one and records what it holds, `pythons` finds a Python that meets a system's needs, `installed` says which
interpreter a system runs in, and `hosted` starts benchsite's worker there. An environment is one folder: deleting it uninstalls.
"""
