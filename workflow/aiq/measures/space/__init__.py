"""The intelligence space: tests located by their dissimilarities and lengths (2025 paper, section 2.5.4)."""

from aiq.measures.space.building import LENGTHS as LENGTHS
from aiq.measures.space.building import build as build
