"""What the verbs print and the Python interface shows: each result as one table with its sentences."""
