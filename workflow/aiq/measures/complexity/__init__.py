"""Complexity of a domain from the trials of a pool (2025 paper, section 2.4.3)."""

from aiq.measures.complexity.excess import differences as differences
from aiq.measures.complexity.excess import standard_error as standard_error
from aiq.measures.complexity.value import UNITS as UNITS
from aiq.measures.complexity.value import ValueRange as ValueRange
from aiq.measures.complexity.value import by_k as by_k
from aiq.measures.complexity.value import measure as measure
from aiq.measures.complexity.value import normalised as normalised
from aiq.measures.complexity.value import shared as shared
from aiq.measures.complexity.value import sizes as sizes
