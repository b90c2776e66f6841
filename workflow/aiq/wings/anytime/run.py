"""A run of this measure: its checked configuration, its plan and its paths."""

from __future__ import annotations

from aiq.plans.run import Run
from aiq.wings.anytime.plan import AnytimeLayout, AnytimePlan
from aiq.wings.anytime.settings import Anytime

AnytimeRun = Run[Anytime, AnytimePlan, AnytimeLayout]
