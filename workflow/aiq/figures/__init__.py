"""Results as pictures: every figure is a pure function from records to a :class:`Drawing`.

No file is opened here: :func:`render` gives the bytes of a PNG, SVG or PDF, and ``Drawing.table`` the numbers for
the CSV beside it. Figures are independent of a user's matplotlib settings and of matplotlib's global state,
and the same records give the same bytes. A measure beside the quotient has its own in its own folder. Call a
function, or :func:`draw` with its name::

    complexity_curve(measured: DomainTrials, *, unit="log2")                             "complexity-curve"
    complexity_panel(measured: Sequence[DomainTrials], *, unit="log2")                   "complexity-panel"
    complexity_values(complexities: Mapping[str, Complexity], *, unit="log2")            "complexity-values"
    complexity_entropy(complexities: Mapping[str, Complexity], entropies: Mapping[str, Entropy], *,
                       kinds=None, unit="log2", quantity="mean" | "total" | "observations")
                                                                                         "complexity-entropy"
    complexity_apart(complexities: Mapping[str, Complexity], *, unit="log2")             "complexity-apart"
    normalised(complexities: Mapping[str, Estimate], entropies: Mapping[str, Estimate])  "normalised"
    complexity_by_k(curves: Mapping[str, KCurve], *, unit="log2")                        "complexity-by-k"
    mixture_curve(pair: MixturePair, *, ends: (low, high) | None = None)                 "mixture-curve"
    mixture_overview(pairs: Mapping[tuple[str, str], Dissimilarity] | list[MixturePair]) "mixture-overview"
    dissimilarity_matrix(pairs: Mapping[tuple[str, str], Dissimilarity], *, domains=None,
                         floor: NoiseFloor | None = None,
                         completion: Completion | None = None)                           "dissimilarity-matrix"
    part_matrix(pairs: Mapping[tuple[str, str], Dissimilarity], *, part="transfer" | "starvation" | ...,
                domains=None)                                                            "part-matrix"
    relative_matrix(pairs: Sequence[RelativePair], *, domains=None)                      "relative-matrix"
    similarity_matrix(pairs: Mapping[tuple[str, str], Similarity], *, domains=None,
                      absolute=False, published: Mapping[tuple[str, str], float] | None = None)
                                                                                         "similarity-matrix"
    spectrum(space: Space)                                                               "spectrum"
    contributions(space: Space)                                                          "contributions"
    space_plane(space: Space, *, agents: Mapping[str, performances] | None = None)       "space-plane"
    space_solid(space: Space, *, agents: Mapping[str, performances] | None = None)       "space-solid"
    agent_scores(scores: Scores, *, scaled_by="performance" | "APTI")                    "agents"
    test_weights(scores: Scores)                                                         "tests"
    handicap(scores: Scores, networks: Mapping[agent, (layers, width)], *, even=False)   "handicap"
    baseline_performance(performances: Mapping[str, Estimate], *, trained_on: Mapping[str, str],
                         trainings: int, lost=0)                                         "baseline"
    variance(found: Variances)                                                           "variance"
    run_comparison(comparison: Comparison)                                               "run-comparison"
    variants(found: Variants)                                                            "variants"
    sensitivity(found: Sensitivity)                                                      "sensitivity"
    known_baselines(found: BaselineComparison)                                           "known-baselines"

``DomainTrials.of(domain, complexity, performance, size)`` joins a complexity with its trials (performance (n,),
NaN where failed; size (n,) in the unit of the complexity). ``MixturePair.of(a, b, dissimilarity, repetitions)``
joins a dissimilarity with V_O of each repetition, (R, P) at the record's proportions (optional).
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from aiq.errors import InputError, choice
from aiq.figures.apart import complexity_apart as complexity_apart
from aiq.figures.comparison import run_comparison as run_comparison
from aiq.figures.complexity import DomainTrials as DomainTrials
from aiq.figures.complexity import complexity_curve as complexity_curve
from aiq.figures.complexity import complexity_panel as complexity_panel
from aiq.figures.complexity_by_k import complexity_by_k as complexity_by_k
from aiq.figures.complexity_values import complexity_values as complexity_values
from aiq.figures.dimensions import contributions as contributions
from aiq.figures.dimensions import spectrum as spectrum
from aiq.figures.dissimilarity import dissimilarity_matrix as dissimilarity_matrix
from aiq.figures.domains import baseline_performance as baseline_performance
from aiq.figures.domains import test_weights as test_weights
from aiq.figures.drawing import Drawing as Drawing
from aiq.figures.drawing import render as render
from aiq.figures.drawing import written as written
from aiq.figures.entropy import complexity_entropy as complexity_entropy
from aiq.figures.entropy import normalised as normalised
from aiq.figures.known_baselines import known_baselines as known_baselines
from aiq.figures.mixtures import MixturePair as MixturePair
from aiq.figures.mixtures import mixture_curve as mixture_curve
from aiq.figures.mixtures import mixture_ends as mixture_ends
from aiq.figures.overview import mixture_overview as mixture_overview
from aiq.figures.parts import part_matrix as part_matrix
from aiq.figures.relative import relative_matrix as relative_matrix
from aiq.figures.scores import agent_scores as agent_scores
from aiq.figures.scores import handicap as handicap
from aiq.figures.sensitivity import sensitivity as sensitivity
from aiq.figures.similarity import similarity_matrix as similarity_matrix
from aiq.figures.solid import space_solid as space_solid
from aiq.figures.space import space_plane as space_plane
from aiq.figures.suite_tests import suite_agreement as suite_agreement
from aiq.figures.suite_tests import suite_beats as suite_beats
from aiq.figures.suite_tests import suite_fewer as suite_fewer
from aiq.figures.suite_tests import suite_leaderboard as suite_leaderboard
from aiq.figures.suite_tests import suite_tests as suite_tests
from aiq.figures.variance import variance as variance
from aiq.figures.variants import variants as variants

FIGURES: Mapping[str, Callable[..., Drawing]] = MappingProxyType(
    {
        "complexity-curve": complexity_curve,
        "complexity-panel": complexity_panel,
        "complexity-values": complexity_values,
        "complexity-entropy": complexity_entropy,
        "complexity-by-k": complexity_by_k,
        "complexity-apart": complexity_apart,
        "normalised": normalised,
        "mixture-curve": mixture_curve,
        "mixture-overview": mixture_overview,
        "dissimilarity-matrix": dissimilarity_matrix,
        "part-matrix": part_matrix,
        "relative-matrix": relative_matrix,
        "similarity-matrix": similarity_matrix,
        "spectrum": spectrum,
        "contributions": contributions,
        "space-plane": space_plane,
        "space-solid": space_solid,
        "run-comparison": run_comparison,
        "variants": variants,
        "sensitivity": sensitivity,
        "agents": agent_scores,
        "handicap": handicap,
        "tests": test_weights,
        "variance": variance,
        "baseline": baseline_performance,
        "known-baselines": known_baselines,
        "suite-leaderboard": suite_leaderboard,
        "suite-beats": suite_beats,
        "suite-tests": suite_tests,
        "suite-agreement": suite_agreement,
        "suite-fewer": suite_fewer,
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
