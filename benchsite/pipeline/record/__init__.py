"""The writing side of the record: appending to the log, evidence of drafts, following the remote."""
