"""Training: a chunk of policies in a domain gives trials; a network on mixtures of two domains gives results."""
