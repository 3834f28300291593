"""The stories: run, publish, verify, build. Each module tells one and leaves the work to the rooms below."""
