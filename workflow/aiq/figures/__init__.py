"""Results as pictures: every figure is a pure function from records to a :class:`Drawing`.

No file is opened here: :func:`render` gives the bytes of a PNG, SVG or PDF, and ``Drawing.table`` the numbers for
the CSV beside it. Figures are independent of a user's matplotlib settings and of matplotlib's global state,
and the same records give the same bytes. Call a function, or :func:`draw` with the name that it has in ``FIGURES``.
What a figure shows stands in its function's docstring. A measure beside the quotient has its own in its own folder.

``DomainTrials.of(domain, complexity, performance, size)`` joins a complexity with its trials (performance (n,),
NaN where failed; size (n,) in the unit of the complexity). ``MixturePair.of(a, b, dissimilarity, repetitions)``
joins a dissimilarity with V_O of each repetition, (R, P) at the record's proportions (optional).
"""

from aiq.figures.comparison import known_baselines, run_comparison, sensitivity
from aiq.figures.complexity import DomainTrials, complexity_by_k, complexity_curve, complexity_panel
from aiq.figures.dimensions import contributions, spectrum
from aiq.figures.dissimilarity import dissimilarity_matrix, part_matrix, relative_matrix
from aiq.figures.domains import baseline_performance, complexity_entropy, complexity_values
from aiq.figures.drawing import FIGURES, Drawing, draw, render
from aiq.figures.matrix import similarity_matrix
from aiq.figures.mixtures import MixturePair, mixture_curve, mixture_ends
from aiq.figures.overview import mixture_overview
from aiq.figures.scores import agent_scores, handicap, test_weights, variance
from aiq.figures.space import space_plane, space_solid
from aiq.figures.suite import suite_leaderboard

__all__ = [
    "FIGURES", "DomainTrials", "Drawing", "MixturePair", "agent_scores", "baseline_performance", "complexity_by_k",
    "complexity_curve", "complexity_entropy", "complexity_panel", "complexity_values", "contributions",
    "dissimilarity_matrix", "draw", "handicap", "known_baselines", "mixture_curve", "mixture_ends",
    "mixture_overview", "part_matrix", "relative_matrix", "render", "run_comparison", "sensitivity",
    "similarity_matrix", "space_plane", "space_solid", "spectrum", "suite_leaderboard", "test_weights", "variance",
]  # fmt: skip
