"""Foreign programs of every track: sandbox, child process, grants, and the digest of what runs.

The only package that starts a measured program (specs/retrieval.md, "Isolation"). Knows no track: a program is a JSON-RPC
peer, its methods are the track's. `subject` starts, describes and restarts one; `process` calls it, `requests` answers what it asks for
meanwhile; `sandbox` shuts it
off; `source` pins it; `change_detection` finds what it changed where it cannot be shut off; `stderr` quotes it.
"""
