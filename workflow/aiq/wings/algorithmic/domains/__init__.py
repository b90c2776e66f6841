"""Programs of the algorithmic quotient as a family of domains."""
