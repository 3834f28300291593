"""Memory and retrieval of agent frameworks, each over the back end that it has by default."""
