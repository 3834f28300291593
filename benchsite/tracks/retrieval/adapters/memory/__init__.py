"""Memory products, and retrievers and stores of agent frameworks, each with its own defaults."""
