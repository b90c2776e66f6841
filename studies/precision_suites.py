"""Suites of known truth that can grow: measurements in store, and what the chain says of the first few of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.measures import complexity, dissimilarity, draws, quotient, space
from aiq.measures.quotient import bootstrap
from aiq.records.variance import Source
from aiq.stats import jackknife
from studies import chain_estimates, chain_truth
from studies.chain_truth import Design, Measured, Suite

Floats = npt.NDArray[np.float64]

LENGTH = "relative_excess"
START = {"pool": 64, "ends": 15, "mixtures": 5, "agents": 3}
STEPS = {"pool": 8, "ends": 3, "mixtures": 1, "agents": 1}
MOST = 32
"""How often the start is in store; numbers end there."""
COSTS = {"pool": 0.11, "ends": 0.06, "mixtures": 0.73, "agents": 0.10}
"""What the start costs by source: shares of the quickstart by the cost model."""
COST_SPREAD = 1.0
"""Standard deviation of the logarithm of each cost over suites."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """A suite with its truth and prices; ``stored`` holds ``MOST`` times as much of everything as the start."""

    design: Design
    suite: Suite
    spread: float
    prices: Mapping[str, float]
    truth: Floats

    @classmethod
    def of(cls, number: int) -> Drawn:
        """Draw a suite: tests, noise of mixtures and agents, and costs differ."""
        rng = seeding.generator(0, "study", "precision", number)
        tests, dimensions = ((5, 2), (6, 3))[rng.integers(2)]
        snr = float(np.exp(rng.uniform(np.log(6), np.log(20))))
        most = MOST * START["mixtures"]
        luck = ("bounded", "unbounded")[rng.integers(2)]
        at_most = snr * np.sqrt(MOST)
        design = Design(tests, dimensions, luck, MOST * START["pool"], most, at_most)
        suite = chain_truth.draw(design, rng)
        shares = {name: share * np.exp(COST_SPREAD * rng.normal()) for name, share in COSTS.items()}
        whole = sum(shares.values())
        prices = {name: float(share / whole / START[name]) for name, share in shares.items()}
        spread = float(np.exp(rng.uniform(np.log(0.01), np.log(0.06))))
        true = chain_estimates.truth(suite, design)[f"per_dimension{chain_estimates.BY_EXCESS}"]
        return cls(design, suite, spread, prices, true)

    def stored(self, *key: str | int) -> Measured:
        """Measure everything once; another key gives other luck."""
        rng = seeding.generator(0, "study", "precision", "measured", *key)
        found = chain_truth.measure(self.suite, self.design, rng)
        shape = (MOST * START["agents"], *self.suite.performance.shape)
        return replace(found, scores=np.clip(self.suite.performance + self.spread * rng.normal(size=shape), 0, 1))

    def cost(self, numbers: Mapping[str, int]) -> float:
        """Return what numbers cost in all; the start costs 1."""
        return sum(self.prices[name] * number for name, number in numbers.items())


class Grown:
    """What the chain says of the first few measurements of a store."""

    def __init__(self, drawn: Drawn, stored: Measured, numbers: Mapping[str, int], seed: int) -> None:
        pool = numbers["pool"]
        self.numbers, self.seed, self._drawn = dict(numbers), seed, drawn
        self._measured = replace(
            stored,
            performance=stored.performance[:, :pool],
            parameters=stored.parameters[:, :pool],
            curves=stored.curves[:, :, : numbers["mixtures"]],
            ends=stored.ends[:, : numbers["ends"]],
            scores=stored.scores[: numbers["agents"]],
        )

    @cached_property
    def _hard(self) -> dict[str, complexity.Complexity]:
        return chain_estimates.complexities(self._measured, self.seed)

    @cached_property
    def _pairs(self) -> dict[tuple[str, str], dissimilarity.Dissimilarity]:
        return chain_estimates.dissimilarities(self._measured, self._drawn.design, self.seed)

    @cached_property
    def said(self) -> chain_estimates.Said:
        """AIQ per dimension of every agent, with its interval, as a run says it."""
        at = chain_estimates.located(self._hard, self._pairs, self._drawn.design, self.seed, "auto", LENGTH)
        return chain_estimates.of_agents(chain_estimates.scores(at, self._measured, self.seed), "per_dimension")

    @property
    def half(self) -> float:
        """The mean half-width over agents."""
        low, high = self.said.interval.T
        return float((high - low).mean() / 2)

    def widths(self, held: Collection[str]) -> dict[str, float]:
        """Return half-widths by agent with some sources held at their estimates, all on common draws."""
        names, count, scores = chain_estimates.names(self._drawn.design), chain_estimates.DRAWS, self._measured.scores
        far = complexity.shared(self._hard, LENGTH)
        rng = seeding.generator(self.seed, "study", "lengths", LENGTH)
        lengths = np.clip(jackknife.drawn(far[0], jackknife.influences(*far), count, rng, "logit"), 0, 1)
        lengths = np.tile(far[0], (count, 1)) if "pool" in held else lengths
        at = space.build(names, far[0], complexity_replicates=lengths, length=LENGTH, draws=count, seed=self.seed,
                         **self._matrix(names, held))  # fmt: skip
        mean = scores.mean(axis=0)
        rng = seeding.generator(self.seed, "study", "agents")
        drawn = [bootstrap.agent_draws(list(one.T), count, rng) for one in scores.swapaxes(0, 1)]
        alive = np.stack([one for one in drawn if one is not None], axis=1)
        agents = np.tile(mean, (count, 1, 1)) if "agents" in held else alive
        listed = [f"a{i}" for i in range(len(mean))]
        found = chain_estimates.of_agents(quotient.score(at, listed, mean, agents, seed=self.seed), "per_dimension")
        low, high = found.interval.T
        return dict(zip(listed, ((high - low) / 2).tolist(), strict=True))

    def _matrix(self, names: list[str], held: Collection[str]) -> dict[str, Any]:
        """Return the matrix and its errors, as ``aiq precision`` holds them."""
        errors = dissimilarity.suite_errors(names, self._pairs)
        shared = errors.end[~np.eye(len(names), dtype=bool)].reshape(len(names), -1).max(axis=1)
        own = np.where(np.eye(len(names), dtype=bool), 0.0, errors.se_inner)
        df = float(np.nanmin(errors.df_inner))
        return draws.held(errors.signed, draws.Errors(own, shared, df), own="mixtures" in held, ends="ends" in held)

    def sources(self, shares: Mapping[str, float]) -> list[Source]:
        """Return the sources as rounds see them."""
        return [
            Source(name, number, STEPS[name], shares[name] * self.half**2, self._drawn.prices[name])
            for name, number in self.numbers.items()
        ]
