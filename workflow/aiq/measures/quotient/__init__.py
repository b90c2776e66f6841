"""AIQ: the volume that an agent spans in the intelligence space (2025 paper, Eqs. 11 to 14)."""

from aiq.measures.quotient.scoring import score as score
