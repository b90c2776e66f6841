"""Pictures of the algorithmic quotient."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from aiq.figures.drawing import Drawing
from aiq.wings.algorithmic.figures.lengths import algorithmic_effort, algorithmic_lengths, algorithmic_strata
from aiq.wings.algorithmic.figures.programs import algorithmic_programs

FIGURES: Mapping[str, Callable[..., Drawing]] = MappingProxyType(
    {
        "algorithmic-lengths": algorithmic_lengths,
        "algorithmic-effort": algorithmic_effort,
        "algorithmic-programs": algorithmic_programs,
        "algorithmic-strata": algorithmic_strata,
    }
)
"""By name."""
