"""All figures by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from aiq.errors import InputError, choice
from aiq.figures.algorithmic import algorithmic_effort, algorithmic_lengths, algorithmic_strata
from aiq.figures.algorithmic_programs import algorithmic_programs
from aiq.figures.anytime import anytime_budget, anytime_complexity
from aiq.figures.anytime_trace import anytime_trace
from aiq.figures.collectives import collectives_complexity, collectives_uncertainty
from aiq.figures.collectives_episode import collectives_episode
from aiq.figures.complexity import complexity_curve, complexity_panel
from aiq.figures.complexity_by_k import complexity_by_k
from aiq.figures.complexity_values import complexity_values
from aiq.figures.dimensions import contributions, spectrum
from aiq.figures.dissimilarity import dissimilarity_matrix
from aiq.figures.domains import baseline_performance
from aiq.figures.drawing import Drawing
from aiq.figures.entropy import complexity_entropy
from aiq.figures.handicap import handicap
from aiq.figures.mixtures import mixture_curve, mixture_overview
from aiq.figures.parts import part_matrix
from aiq.figures.plane import space_plane
from aiq.figures.scores import agent_scores
from aiq.figures.similarity import similarity_matrix
from aiq.figures.solid import space_solid

FIGURES: Mapping[str, Callable[..., Drawing]] = MappingProxyType(
    {
        "complexity-curve": complexity_curve,
        "complexity-panel": complexity_panel,
        "complexity-values": complexity_values,
        "complexity-entropy": complexity_entropy,
        "complexity-by-k": complexity_by_k,
        "mixture-curve": mixture_curve,
        "mixture-overview": mixture_overview,
        "dissimilarity-matrix": dissimilarity_matrix,
        "part-matrix": part_matrix,
        "similarity-matrix": similarity_matrix,
        "spectrum": spectrum,
        "contributions": contributions,
        "space-plane": space_plane,
        "space-solid": space_solid,
        "algorithmic-lengths": algorithmic_lengths,
        "algorithmic-effort": algorithmic_effort,
        "algorithmic-programs": algorithmic_programs,
        "algorithmic-strata": algorithmic_strata,
        "agents": agent_scores,
        "handicap": handicap,
        "baseline": baseline_performance,
        "anytime-budget": anytime_budget,
        "anytime-trace": anytime_trace,
        "anytime-complexity": anytime_complexity,
        "collectives-uncertainty": collectives_uncertainty,
        "collectives-complexity": collectives_complexity,
        "collectives-episode": collectives_episode,
    }
)
"""By name. What a figure shows stands in its function's docstring, what it needs in its types."""


def draw(name: str, *args: object, **kwargs: object) -> Drawing:
    """Draw the figure ``name`` from the inputs of its function.

    Raises:
        InputError: there is no such figure, or the function refuses its input.
    """
    if name not in FIGURES:
        raise InputError(choice("the figure", name, FIGURES))
    return FIGURES[name](*args, **kwargs)
