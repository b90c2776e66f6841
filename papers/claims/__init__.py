"""Claims of the papers as checks: numbers of a run in, a verdict with its interval and its power out."""
