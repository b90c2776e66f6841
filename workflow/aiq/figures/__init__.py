"""Results as pictures: every figure is a pure function from records to a :class:`Drawing`.

No file is opened here: :func:`render` gives the bytes of a PNG, SVG or PDF, and ``Drawing.table`` the numbers for
the CSV beside it. Figures are independent of a user's matplotlib settings and of matplotlib's global state,
and the same records give the same bytes. Call a function, or :func:`draw` with the name that it has in ``FIGURES``.
What a figure shows stands in its function's docstring. A measure beside the quotient has its own in its own folder.

``DomainTrials.of(domain, complexity, performance, size)`` joins a complexity with its trials (performance (n,),
NaN where failed; size (n,) in the unit of the complexity). ``MixturePair.of(a, b, dissimilarity, repetitions)``
joins a dissimilarity with V_O of each repetition, (R, P) at the record's proportions (optional).
"""

from aiq.figures.against import complexity_by_k as complexity_by_k
from aiq.figures.against import variants as variants
from aiq.figures.comparison import known_baselines as known_baselines
from aiq.figures.comparison import run_comparison as run_comparison
from aiq.figures.comparison import sensitivity as sensitivity
from aiq.figures.complexity import DomainTrials as DomainTrials
from aiq.figures.complexity import complexity_curve as complexity_curve
from aiq.figures.complexity import complexity_panel as complexity_panel
from aiq.figures.dimensions import contributions as contributions
from aiq.figures.dimensions import spectrum as spectrum
from aiq.figures.dissimilarity import complexity_apart as complexity_apart
from aiq.figures.dissimilarity import dissimilarity_matrix as dissimilarity_matrix
from aiq.figures.dissimilarity import part_matrix as part_matrix
from aiq.figures.dissimilarity import relative_matrix as relative_matrix
from aiq.figures.domains import baseline_performance as baseline_performance
from aiq.figures.domains import complexity_entropy as complexity_entropy
from aiq.figures.domains import complexity_values as complexity_values
from aiq.figures.domains import normalised as normalised
from aiq.figures.drawing import FIGURES as FIGURES
from aiq.figures.drawing import Drawing as Drawing
from aiq.figures.drawing import draw as draw
from aiq.figures.drawing import render as render
from aiq.figures.matrix import similarity_matrix as similarity_matrix
from aiq.figures.mixtures import MixturePair as MixturePair
from aiq.figures.mixtures import mixture_curve as mixture_curve
from aiq.figures.mixtures import mixture_ends as mixture_ends
from aiq.figures.overview import mixture_overview as mixture_overview
from aiq.figures.scores import agent_scores as agent_scores
from aiq.figures.scores import handicap as handicap
from aiq.figures.scores import test_weights as test_weights
from aiq.figures.scores import variance as variance
from aiq.figures.space import space_plane as space_plane
from aiq.figures.space import space_solid as space_solid
from aiq.figures.suite import suite_leaderboard as suite_leaderboard
