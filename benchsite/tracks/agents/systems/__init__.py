"""Systems that are run on benchmarks, found by their entry points (`benchsite.agents.systems`)."""
