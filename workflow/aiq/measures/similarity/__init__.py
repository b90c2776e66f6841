"""Similarity of two tests as the 2020 paper defines it."""

from aiq.measures.similarity.value import (
    APART,
    counted,
    distance_difference,
    from_values,
    implied,
    measure,
    normalised,
)

__all__ = ["APART", "counted", "distance_difference", "from_values", "implied", "measure", "normalised"]
