"""All figures by name: what each shows, from which records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
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
from aiq.figures.solid import space_solid


@dataclass(frozen=True, slots=True)
class Entry:
    """A figure: the function that draws it, what it shows, and its inputs in words."""

    function: Callable[..., Drawing]
    shows: str
    inputs: str


FIGURES: Mapping[str, Entry] = MappingProxyType(
    {
        "complexity-curve": Entry(
            complexity_curve,
            "the complexity curve of one domain with its trials, observed and filled bins told apart",
            "DomainTrials; unit",
        ),
        "complexity-panel": Entry(
            complexity_panel, "the complexity curves of all domains on common axes", "sequence of DomainTrials; unit"
        ),
        "complexity-values": Entry(
            complexity_values, "base, excess and relative excess of each domain", "Complexity by domain; unit"
        ),
        "complexity-entropy": Entry(
            complexity_entropy,
            "complexity against Shannon entropy with both intervals",
            "Complexity and Entropy by domain; unit, quantity",
        ),
        "complexity-by-k": Entry(
            complexity_by_k,
            "complexity against the number of policies of which the smallest counts",
            "KCurve by domain; unit",
        ),
        "mixture-curve": Entry(
            mixture_curve, "performance on the mixtures of one pair, straight line and area between", "MixturePair"
        ),
        "mixture-overview": Entry(
            mixture_overview, "the mixture curves of all pairs", "Dissimilarity by pair, or a list of MixturePair"
        ),
        "dissimilarity-matrix": Entry(
            dissimilarity_matrix,
            "all dissimilarities with numbers, those within the noise floor marked",
            "Dissimilarity by pair; domains, floor (NoiseFloor), completion (Completion)",
        ),
        "part-matrix": Entry(
            part_matrix,
            "starvation, confusion or transfer of all pairs with numbers, those of unknown sign marked",
            "Dissimilarity by pair; part, domains",
        ),
        "spectrum": Entry(spectrum, "eigenvalues of the space and the thresholds of its dimensions", "Space"),
        "contributions": Entry(contributions, "what each domain contributes to each dimension, stacked", "Space"),
        "space-plane": Entry(
            space_plane,
            "the space in two dimensions (or one) with hull, origin and bootstrap spread",
            "Space; agents (performances by agent)",
        ),
        "space-solid": Entry(
            space_solid, "the space in three dimensions with hull and origin", "Space; agents (performances by agent)"
        ),
        "algorithmic-lengths": Entry(
            algorithmic_lengths, "the algorithmic quotient of agents against the episode length", "Quotients"
        ),
        "algorithmic-effort": Entry(
            algorithmic_effort, "the algorithmic quotient of MC-AIXI against depth and search effort", "Quotients"
        ),
        "algorithmic-programs": Entry(
            algorithmic_programs, "lengths of programs as sampled and as the adaptive sampler uses them", "Quotients"
        ),
        "algorithmic-strata": Entry(
            algorithmic_strata, "mean reward of agents by stratum and by program length", "Quotients"
        ),
        "agents": Entry(agent_scores, "the AIQ of the agents beside their mean performance", "Scores; scaled_by"),
        "handicap": Entry(
            handicap,
            "mean performance and AIQ of networks against their nodes a layer",
            "Scores; layers and width by agent",
        ),
        "baseline": Entry(
            baseline_performance,
            "performance of the trained baseline on each domain",
            "Estimate by domain; trained_on, trainings, lost",
        ),
        "anytime-budget": Entry(
            anytime_budget, "Υ and the level ξ of the anytime test against its budget", "sequence of BudgetPoint"
        ),
        "anytime-trace": Entry(
            anytime_trace, "level ξ and reward R of anytime tests, by environment", "AnytimeRuns by class and agent"
        ),
        "anytime-complexity": Entry(
            anytime_complexity, "mean reward in the anytime test by complexity", "sequence of ComplexityReward"
        ),
        "collectives-uncertainty": Entry(
            collectives_uncertainty, "Υ of collectives against the uncertainty H", "sequence of GroupIntelligence"
        ),
        "collectives-complexity": Entry(
            collectives_complexity,
            "scores of collectives against the complexity K",
            "sequence of ComplexityScore; pattern",
        ),
        "collectives-episode": Entry(
            collectives_episode, "one episode of a collective as pictures of the grid", "EpisodeTrace; pictures"
        ),
    }
)


def draw(name: str, *args: object, **kwargs: object) -> Drawing:
    """Draw the figure ``name`` from the inputs of its function.

    Raises:
        InputError: there is no such figure, or the function refuses its input.
    """
    if name not in FIGURES:
        raise InputError(choice("the figure", name, FIGURES))
    return FIGURES[name].function(*args, **kwargs)
