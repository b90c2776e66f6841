"""Tables of answers of 0 and 1 as agents of one ability would give them, for the count of abilities.

Pearson's correlations of such answers depend on how difficult two items are, too: a table of one ability has several
large eigenvalues ("difficulty factors"). How large, tables simulated from a model of one ability show. That is modified
parallel analysis (Drasgow and Lissak 1983, Applied Psychological Measurement 7, 127-143; abilities, slopes and
difficulties are estimated, the tables simulated from them).
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logit

from aiq.records.arrays import Floats
from aiq.suites.response import Responses, fit

LEAST = 1e-9  # of the probability of an answer


def chances(scores: Floats, fitted: Responses | None = None) -> Floats | None:
    """Return the probability of each answer under one ability, (A, T), NaN where missing.

    Abilities are the model's, brought to the spread of 1 that the model gives them: means of what is likely for each
    agent are nearer to each other than abilities are.

    Args:
        scores: (A, T), NaN where missing.
        fitted: the model of these scores; None: it is fitted.

    Returns:
        None where scores are not all 0 or 1, or all agents are alike.
    """
    there = ~np.isnan(scores)
    if not np.isin(scores[there], (0.0, 1.0)).all():
        return None
    fitted = fit(scores) if fitted is None else fitted
    spread = float(fitted.ability.std())
    if not spread > 0:
        return None
    ability = (fitted.ability - fitted.ability.mean()) / spread
    place = logit(np.clip(1 - fitted.difficulty, LEAST, 1 - LEAST))
    found = expit(np.nan_to_num(fitted.discrimination) * ability[:, None] + place)
    return np.where(there, found, np.nan)


def answers(chance: Floats, rng: np.random.Generator) -> Floats:
    """Return a table of answers drawn with these probabilities; missing cells stay where they are."""
    return np.where(np.isnan(chance), np.nan, rng.random(chance.shape) < chance)
