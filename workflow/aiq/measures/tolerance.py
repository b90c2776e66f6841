"""What counts as zero in the space and in its hulls: one tolerance for all of them.

A Gram matrix of rank k has n - k eigenvalues that are zero in exact arithmetic and come out as some 1e-16 of either
sign. A positive one would become an axis of length 1e-8, and a volume over such axes a ratio of rounding errors. So
eigenvalues below ``ZERO`` of the largest are set to 0 where they are computed, and the hull's singular values and
coinciding points are judged by the same number.
"""

ZERO = 1e-9
