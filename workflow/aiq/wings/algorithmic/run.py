"""A run of this measure: its checked configuration, its plan and its paths."""

from __future__ import annotations

from aiq.plans.run import Run
from aiq.wings.algorithmic.plan import AlgorithmicLayout, AlgorithmicPlan
from aiq.wings.algorithmic.settings import Algorithmic

AlgorithmicRun = Run[Algorithmic, AlgorithmicPlan, AlgorithmicLayout]
