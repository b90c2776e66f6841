"""Claims about complexities of labelled domains: Figures 5, 6, 9, 10 and 16 of the 2025 paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from papers.claims.base import Check, Reading
from papers.claims.evidence import CALLED, Evidence, LackingError
from papers.claims.numbers import Margin, Measured, bend, rise
from papers.claims.shapes import Places, Weights, order, shape

STEP = 0.25
"""Difference of complexity in bits that is assumed where the paper gives no number: half of what parts MNIST and
Fashion-MNIST from nothing (.46 and .75 bits of excess in docs/runs/benchmark-images.md)."""
ALIKE = 0.1
"""Largest difference of two normalised numbers that counts as none."""
SAME = 0.05
"""Largest relative change of a complexity that counts as none."""
PICTURES = ("mnist", "fashion-mnist", "cifar10", "cifar100")
TEN = "subsets of CIFAR10, in the place of CIFAR100, which is not in the run"


def _f5_lowest(e: Evidence) -> Reading:
    own = e.need("cartpole-pictures")
    others = [name for kind in PICTURES if (name := e.find(kind))]
    return order(e, [own], others, STEP)


def _f5_highest(e: Evidence) -> Reading:
    """CIFAR100 above every other; where there is none, CIFAR10 above the rest."""
    others = [n for kind in ("cartpole-pictures", "mnist", "fashion-mnist") if (n := e.find(kind))]
    whole = e.find("cifar100")
    if whole is not None:
        return order(e, [*others, *([e.need("cifar10")] if e.find("cifar10") else [])], [whole], STEP)
    if len(others) < 2 or e.find("cifar10") is None:
        raise LackingError("CIFAR100 is not in the run, nor are CIFAR10 and two other data sets in its place")
    found = order(e, others, [e.need("cifar10")], STEP)
    return replace(found, note="CIFAR100 is not in the run; in its place CIFAR10, above the others")


def _f5_entropy(e: Evidence) -> Reading:
    """Complexity over its largest less entropy over its largest, within ALIKE."""
    c, h = e.numbers("complexity"), e.numbers("entropy")
    names = [name for kind in ("cartpole-pictures", *PICTURES) if (name := e.find(kind)) and name in c and name in h]
    if len(names) < 3:
        raise LackingError("three data sets of pictures are needed")
    top, most = max(names, key=lambda n: c[n]), max(h[n] for n in names)
    margins, departures = [], []
    for name in names:
        expected = h[name] / most  # entropies of thousands of pictures have no error to speak of
        linear = {name: 1 / c[top]}
        linear[top] = linear.get(top, 0.0) - c[name] / c[top] ** 2  # first order in the errors
        error = c.margin(linear)
        apart = c[name] / c[top] - expected
        if name == top:  # over itself: a 1 without an error
            continue
        departures.append(Margin(apart, se=error.se, df=error.df))
        margins += [Margin(ALIKE - apart, ALIKE, error.se, error.df), Margin(ALIKE + apart, ALIKE, error.se, error.df)]
    worst = max(departures, key=lambda one: abs(one.value))
    return Reading(margins, worst.value, worst.bounds(), "the largest difference is shown")


def _subsets(e: Evidence, of: Weights, size: float) -> Reading:
    hundred = e.classes("cifar100", 100)
    whole = len(hundred) > 2
    places = e.measured("complexity", hundred if whole else e.classes("cifar10", 10), 3, "subsets of classes")
    found = shape(e, "complexity", places, of, 1.0, size)
    return found if whole else replace(found, note=TEN)


def _noise(e: Evidence, what: str, of: Weights, sign: float, size: float) -> Reading:
    return shape(e, what, e.measured(what, e.along("mnist", "noise", 0.0), 4, "levels of noise"), of, sign, size)


def _copies(e: Evidence, what: str) -> Places:
    return e.measured(what, e.along("mnist", "duplicate", 1), 2, "numbers of copies")


def _f10_constant(e: Evidence) -> Reading:
    """No copy changes the complexity by SAME of the original's."""
    places, c = _copies(e, "complexity"), e.numbers("complexity")
    first, margins = places[0][1], []
    for _, name in places[1:]:
        for sign in (1.0, -1.0):
            weights = {first: SAME - sign, name: sign}
            margins.append(c.margin(weights, SAME * c[first]))
    worst = max((c[name] - c[first] for _, name in places[1:]), key=abs)
    which = next(name for _, name in places[1:] if c[name] - c[first] == worst)
    return Reading(margins, worst, c.margin({which: 1.0, first: -1.0}).bounds())


def _f10_entropy(e: Evidence) -> Reading:
    """The entropy of k copies is k times that of one, within a hundredth."""
    places, h = _copies(e, "entropy_total"), e.numbers("entropy_total")
    x0, first = places[0]
    margins = [
        h.margin({name: sign, first: (0.01 - sign) * x / x0}, 0.01 * h[first] * x / x0)
        for x, name in places[1:]
        for sign in (1.0, -1.0)
    ]
    x, last = places[-1]
    return Reading(
        margins, h[last] / h[first], None, f"{x / x0:g} copies; the ratio is exact, since copies repeat pictures"
    )


def _f16_nist(e: Evidence) -> Reading:
    return order(e, [e.need("mnist"), e.need("fashion-mnist")], [e.need("cifar10")], STEP)


def _f16_cifar(e: Evidence) -> Reading:
    """CIFAR10 below CIFAR100; where there is none, a few classes of CIFAR10 below all ten of them."""
    if e.find("cifar100") is not None:
        return order(e, [e.need("cifar10")], [e.need("cifar100")], STEP)
    places = [(n, name) for n, name in e.classes("cifar10", 10) if name in e.numbers("complexity")]
    if len(places) < 2 or places[0][0] > 5 or places[-1][0] < 10:
        raise LackingError("CIFAR100 is not in the run, nor are CIFAR10 and a subset of its classes in its place")
    (few, first), (_, whole) = places[0], places[-1]
    found = order(e, [first], [whole], STEP)
    return replace(found, note=f"CIFAR100 is not in the run; in its place CIFAR10, above {few:g} of its classes")


def _f16_cartpole(e: Evidence) -> Reading:
    return order(e, [e.need("cartpole-pictures")], [e.need("cartpole3d-pictures")], STEP)


def _f16_base(e: Evidence) -> Reading:
    c, base = e.numbers("complexity"), e.numbers("base")
    names = [name for kind in CALLED if (name := e.find(kind)) and name in c and name in base]
    if len(names) < 3:
        raise LackingError("three domains of the benchmark are needed")
    margins = []
    for name in names:
        value = base[name] - 0.5 * c[name]
        parts = base.parts[:, base.names.index(name)] - 0.5 * c.parts[:, c.names.index(name)]
        one = Measured((name,), np.array([value]), parts[:, None], c.df)
        margins.append(one.margin({name: 1.0}, 0.25 * c[name]))
    return Reading(margins, min(base[n] / c[n] for n in names), None, "the smallest share of the base is shown")


CHECKS: Mapping[str, tuple[Check, ...]] = {
    "F5": (_f5_lowest, _f5_highest, _f5_entropy),
    "F6": (lambda e: _subsets(e, rise, STEP), lambda e: _subsets(e, bend, STEP / 2)),
    "F9": (
        lambda e: _noise(e, "complexity", rise, 1.0, 2 * STEP),
        lambda e: _noise(e, "complexity", bend, -1.0, STEP / 2),
        lambda e: _noise(e, "entropy", rise, 1.0, 1.0),
        lambda e: _noise(e, "entropy", bend, 1.0, 0.25),
    ),
    "F10": (_f10_constant, _f10_entropy),
    "F16": (_f16_nist, _f16_cifar, _f16_cartpole, _f16_base),
}
"""Claim -> the check of each of its statements."""
