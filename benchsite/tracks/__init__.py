"""The tracks: one folder each, with the same shape, that never import one another."""
