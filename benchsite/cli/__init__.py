"""The command line: parse, one call into the pipeline, print, exit code."""
