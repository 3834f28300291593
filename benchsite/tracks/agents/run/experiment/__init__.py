"""Experiments: runs as units of work, recorded on disk as they end, so that a command goes on where another one stopped."""
