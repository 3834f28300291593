"""The record: how it is read, held against its log, and appended to."""
