"""Programs of the algorithmic quotient, played."""
