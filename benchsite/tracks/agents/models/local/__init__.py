"""Models that run on this machine: files pinned by hash, and their server."""
