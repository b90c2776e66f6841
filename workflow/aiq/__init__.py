"""aiq: how hard AI tests are, how different they are, and what a score over a suite of them means.

Domains and policies meet in trials; trials reduce to complexities and dissimilarities; those
reduce to a space; the space and an agent's performances reduce to an AIQ (Pereyda and Holder 2025).
"""

__version__ = "0.1.0"
