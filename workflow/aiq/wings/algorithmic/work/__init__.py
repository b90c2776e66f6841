"""The jobs of the algorithmic quotient: programs, pairs of trials, quotients."""
