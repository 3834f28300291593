"""Tasks that others evaluate: a list of ids with a declared evaluator, and no tools."""
