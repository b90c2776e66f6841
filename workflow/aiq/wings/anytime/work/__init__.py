"""The jobs of the anytime intelligence test: administered tests and what they reduce to."""
