"""Suites with known truth, for the coverage of the whole chain.

**What is true.** The pool's design is a fixed list of 4,000 architectures, 1 to 3 layers of 1 to 32 nodes; a pool
draws from it with replacement, and every domain of a suite is given the same pool. A policy reaches
clip(rise(architecture) + luck, 0, 1): ``bounded`` luck is uniform within ±0.15, ``unbounded`` luck normal with a
standard deviation of 0.12, so that any network reaches any performance if it is tried often enough. From this
follow exactly, for k policies and 30 bins, MCCP@k, base, excess and relative excess of a domain: the values that
infinitely many draws of k policies would average to.

Tests are directions in d dimensions, no pair more than a right angle apart and one pair exactly (so that dividing
by the largest dissimilarity changes no angle). The dissimilarity of a pair, sqrt(1 - cosine) / 10, is the signed
area of a parabola below the line between the two ends. With ``euclidean=False`` every test but the orthogonal two
has a component on one further axis that counts negative: no space holds such tests, and what counts as true is
what the chain gives on the exact matrix with its d positive eigenvalues.

An agent has a true performance on every test. The true scores are those that the chain's own geometry gives on
exact complexities, dissimilarities and performances in d dimensions: what infinitely many repetitions of every
training would give under this pool's design and this k.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import numpy.typing as npt
from scipy import special

from aiq import seeding

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

DESIGN = 4000
LAYERS, WIDTH = 3, 32
BINS = 30
POINTS = np.arange(11) / 10
BOUND, SPREAD = 0.15, 0.12
LARGEST = 0.1
"""The largest true dissimilarity of every suite."""
THINNEST = 0.35
"""Suites whose smallest true eigenvalue is below this are drawn anew: a dimension so flat cannot be asked for."""
NEGATIVE = 0.6
"""Largest component on the axis that counts negative."""
AGENT_SPREAD = 0.03
MORE = 3
"""How many times as often as other points ends are trained that belong to domains."""


@dataclass(frozen=True)
class Design:
    """One cell: how large the suites are and how well they are measured.

    ``snr`` is the mean dissimilarity of a suite over the standard error of one pair's signed area, at this number
    of repetitions. ``ends``: each ``pair`` has ends of its own, trained as often as its other points, or those of a
    ``domain`` are trained three times as often, once for all its pairs, which then share their errors. ``easy``: so
    many tests are solved by nearly every network, so that their relative excess is next to nothing.
    """

    domains: int
    dimensions: int
    luck: str
    pool: int
    repetitions: int
    snr: float
    euclidean: bool = True
    ends: str = "domain"
    agents: int = 3
    easy: int = 0


@dataclass(frozen=True, eq=False)
class Test:
    """A domain: inputs and outputs of its interface, capacity (log2 of nodes) at half height, steepness, ceiling."""

    inputs: int
    outputs: int
    middle: float
    steepness: float
    ceiling: float


@dataclass(frozen=True, eq=False)
class Suite:
    """A suite's truth: tests, Gram matrix (n, n), signed areas (n, n), ends (n,), performances (A, n)."""

    tests: tuple[Test, ...]
    gram: Floats
    area: Floats
    ends: Floats
    performance: Floats


@cache
def architectures() -> tuple[Integers, Integers]:
    """Return depths (DESIGN,) and widths (DESIGN, LAYERS), 0 where there is no layer."""
    rng = seeding.generator(0, "study", "chain", "design")
    depth = rng.integers(1, LAYERS, size=DESIGN, endpoint=True)
    width = rng.integers(1, WIDTH, size=(DESIGN, LAYERS), endpoint=True)
    return depth, np.where(np.arange(LAYERS) < depth[:, None], width, 0)


def parameters(test: Test, depth: Integers, width: Integers) -> Integers:
    """Return the trainable parameters of architectures on a test."""
    last = np.take_along_axis(width, depth[:, None] - 1, axis=1)[:, 0]
    between = ((width[:, :-1] + 1) * width[:, 1:]).sum(axis=1)
    return np.asarray((test.inputs + 1) * width[:, 0] + between + (last + 1) * test.outputs)


def largest_parameters(test: Test) -> int:
    """Return the parameters of the largest network of the design on a test."""
    return int(parameters(test, np.array([LAYERS]), np.full((1, LAYERS), WIDTH))[0])


def rise(test: Test, width: Integers) -> Floats:
    """Return the performance that architectures reach without luck."""
    capacity = np.log2(width.sum(axis=1))
    return np.asarray(test.ceiling * special.expit((capacity - test.middle) / test.steepness))


def draw(design: Design, rng: np.random.Generator) -> Suite:
    """Draw a suite of the cell."""
    gram = _gram(design, rng)
    tests = tuple(_test(rng, i < design.easy) for i in range(design.domains))
    area = LARGEST * np.sqrt(np.maximum(1 - gram, 0))
    return Suite(
        tests,
        gram,
        area,
        rng.uniform(0.65, 0.85, size=design.domains),
        rng.uniform(0.3, 0.95, size=(design.agents, design.domains)),
    )


def _test(rng: np.random.Generator, easy: bool) -> Test:
    """Return one test drawn at random."""
    drawn = Test(
        inputs=int(2 ** rng.uniform(3, 10)),
        outputs=int(2 ** rng.uniform(1, 5)),
        middle=rng.uniform(0, 4.5),
        steepness=rng.uniform(0.4, 1.2),
        ceiling=rng.uniform(0.75, 1.05),
    )
    return replace(drawn, middle=rng.uniform(-3, 0), steepness=0.4, ceiling=1.05) if easy else drawn


def _gram(design: Design, rng: np.random.Generator) -> Floats:
    """Return a Gram matrix of unit diagonal, entries within [0, 1], the first two tests orthogonal."""
    n, d = design.domains, design.dimensions
    while True:
        directions = np.abs(rng.normal(size=(n, d)))
        directions[:2] = np.eye(d)[:2]
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        aside = np.zeros(n)
        if not design.euclidean:
            aside[2:] = rng.uniform(-NEGATIVE, NEGATIVE, size=n - 2)
        gram = directions @ directions.T * np.sqrt(np.outer(1 + aside**2, 1 + aside**2)) - np.outer(aside, aside)
        gram = (gram + gram.T) / 2
        spectrum = np.linalg.eigvalsh(gram)[::-1]
        if gram.min() >= -1e-12 and gram.max() <= 1 + 1e-12 and spectrum[d - 1] >= THINNEST:
            return np.clip(gram, 0, 1)


@dataclass(frozen=True, slots=True)
class Complexities:
    """What is true of one test under the pool's design and k, in bits (``relative`` in [0, 1])."""

    value: float
    base: float
    excess: float
    relative: float


def complexity(test: Test, luck: str, k: int) -> Complexities:
    """Return the exact MCCP@k of a test, filled with the largest network of the design."""
    depth, width = architectures()
    size = np.log2(parameters(test, depth, width))
    order = np.argsort(size, kind="stable")
    edges = np.arange(BINS) / BINS
    gap = edges[:, None] - rise(test, width[order])
    reach = special.ndtr(-gap / SPREAD) if luck == "unbounded" else np.clip((BOUND - gap) / (2 * BOUND), 0, 1)
    reach[0] = 1.0
    largest = np.log2(largest_parameters(test))
    steps = np.diff(np.append(size[order], largest))
    none = (1 - np.cumsum(reach, axis=1) / DESIGN).clip(0) ** k
    value = float((size[order[0]] + none @ steps).mean())
    base = float(size[order[0]] + steps @ (1 - np.arange(1, DESIGN + 1) / DESIGN) ** k)
    return Complexities(value, base, value - base, (value - base) / (largest - base))


@dataclass(frozen=True, eq=False)
class Measured:
    """What would be measured of a suite once: trials (n, pool), curves (n, n, R, P), ends (n, 3 R), scores (R, A, n).

    ``parameters`` (n, pool) are those of each policy on each domain, ``largest`` (n,) those of the design's largest.
    ``curves[i, j]`` with i <= j are those of the pair, p being the share of test i.
    """

    performance: Floats
    parameters: Integers
    largest: Integers
    curves: Floats
    ends: Floats
    scores: Floats


def measure(suite: Suite, design: Design, rng: np.random.Generator) -> Measured:
    """Draw trials, mixtures and agents' repetitions of a suite."""
    depth, width = architectures()
    drawn = rng.integers(DESIGN, size=design.pool)
    shape = (design.domains, design.pool)
    luck = rng.uniform(-BOUND, BOUND, size=shape) if design.luck == "bounded" else SPREAD * rng.normal(size=shape)
    base = np.array([rise(test, width[drawn]) for test in suite.tests])
    level = noise_level(suite, design)
    noise = level * rng.normal(size=(*suite.gram.shape, design.repetitions, POINTS.size))
    ends = suite.ends[:, None] + level * rng.normal(size=(design.domains, MORE * design.repetitions))
    scores = suite.performance + AGENT_SPREAD * rng.normal(size=(design.repetitions, *suite.performance.shape))
    return Measured(
        np.clip(base + luck, 0, 1),
        np.array([parameters(test, depth[drawn], width[drawn]) for test in suite.tests]),
        np.array([largest_parameters(test) for test in suite.tests]),
        np.clip(curves(suite)[:, :, None] + noise, 0, 1),
        np.clip(ends, 0, 1),
        np.clip(scores, 0, 1),
    )


def curves(suite: Suite) -> Floats:
    """Return the exact V_O of every pair, (n, n, P): a parabola below the line whose trapezoid area is the true one."""
    bow = POINTS * (1 - POINTS)
    line = suite.ends[:, None, None] * POINTS + suite.ends[None, :, None] * (1 - POINTS)
    return np.asarray(line - suite.area[:, :, None] * bow / np.trapezoid(bow, POINTS))


def noise_level(suite: Suite, design: Design) -> float:
    """Return the standard deviation of one point of one repetition that gives the cell's signal to noise."""
    weights = np.full(POINTS.size, 0.1)
    weights[[0, -1]] = 0.45 / np.sqrt(MORE if design.ends == "domain" else 1)
    pairs = suite.area[np.triu_indices(design.domains, 1)]
    return float(pairs.mean() * np.sqrt(design.repetitions) / (design.snr * np.sqrt((weights**2).sum())))
