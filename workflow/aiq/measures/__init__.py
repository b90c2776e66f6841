"""Measures of domains, suites and agents: arrays in, frozen records out; NumPy and SciPy only.

Each module holds one measure and knows the others only through ``aiq.records``.
"""

ZERO = 1e-9
"""What counts as zero in the space and in its hulls, as part of the largest: one tolerance for all of them.

A Gram matrix of rank k has n - k eigenvalues that are zero in exact arithmetic and come out as some 1e-16 of either
sign. A positive one would become an axis of length 1e-8, and a volume over such axes a ratio of rounding errors.
"""
