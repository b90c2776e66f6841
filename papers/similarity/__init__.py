"""Claims of the 2020 paper on similarity."""
