"""SciCode: scientific problems in numbered steps, each a function with the official tests, run in a sandbox."""
