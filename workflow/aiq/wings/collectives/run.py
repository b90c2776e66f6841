"""A run of this measure: its checked configuration, its plan and its paths."""

from __future__ import annotations

from aiq.plans.run import Run
from aiq.wings.collectives.plan import CollectivesLayout, CollectivesPlan
from aiq.wings.collectives.settings import Collectives

CollectivesRun = Run[Collectives, CollectivesPlan, CollectivesLayout]
