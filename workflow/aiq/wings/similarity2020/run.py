"""A run of this measure: its checked configuration, its plan and its paths."""

from __future__ import annotations

from aiq.plans.run import Run
from aiq.wings.similarity2020.plan import SimilarityLayout, SimilarityPlan
from aiq.wings.similarity2020.settings import Similarities

SimilarityRun = Run[Similarities, SimilarityPlan, SimilarityLayout]
