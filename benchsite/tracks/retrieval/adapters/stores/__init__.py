"""Vector stores without a product around them, each over the embedding of `minilm`."""
