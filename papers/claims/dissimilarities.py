"""Claims about dissimilarities of labelled domains: Figures 11 to 13, 15, 17 and 18 of the 2025 paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np

from aiq.records.arrays import Floats
from papers.claims.base import Check, Reading
from papers.claims.evidence import Evidence, LackingError, kind_of, off_diagonal, pair_name
from papers.claims.numbers import Measured, bend, rise
from papers.claims.shapes import DROWNED, above, correlation, drowned, less, mean_of, reflected, turned

NEAR_ZERO = 0.0018
"""A tenth of the dissimilarity in print of MNIST and CIFAR10."""


def _f11(e: Evidence) -> Reading:
    """MNIST with itself within NEAR_ZERO."""
    own = e.need("mnist")
    name, d = e.pair(own, own), e.numbers("dissimilarity")
    margins = [d.margin({name: sign}, NEAR_ZERO + sign * 1.7e-4, NEAR_ZERO) for sign in (1.0, -1.0)]
    return Reading(margins, d[name], d.margin({name: 1.0}).bounds())


def _f12(e: Evidence) -> Reading:
    """MNIST with CIFAR10 within a factor of two of the area in print."""
    size, low, high = 0.018, 0.009, 0.036
    name, d = e.pair(e.need("mnist"), e.need("cifar10")), e.numbers("dissimilarity")
    margins = [d.margin({name: 1.0}, size - low, -low), d.margin({name: -1.0}, high - size, high)]
    return Reading(margins, d[name], d.margin({name: 1.0}).bounds())


def _falling(e: Evidence) -> tuple[list[tuple[float, str]], Measured, list[str]]:
    """Return the subsets of CIFAR10, the whole last, the areas, and the names of the pairs with the whole."""
    places = e.classes("cifar10", 10)
    if not places or places[-1][0] != 10:
        raise LackingError("CIFAR10 is not in the run")
    whole = places[-1][1]
    d = e.numbers("dissimilarity")
    found = [(n, name) for n, name in places if pair_name(name, whole) in d]
    if len(found) < 4:
        raise LackingError(f"4 subsets of CIFAR10 with the whole are needed, {len(found)} are in the run")
    return found, d, [pair_name(name, whole) for _, name in found]


def _f13_falls(e: Evidence) -> Reading:
    places, d, pairs = _falling(e)
    margin = d.margin(dict(zip(pairs, -rise([n for n, _ in places]), strict=True)), 0.01)
    return Reading([margin], -margin.value, turned(margin.bounds(), -1.0))


def _f13_linear(e: Evidence) -> Reading:
    places, d, pairs = _falling(e)
    x = [n for n, _ in places]
    fall, bent = -rise(x), bend(x)
    margins = [d.margin(dict(zip(pairs, 0.25 * fall + sign * bent, strict=True)), 0.0025) for sign in (1.0, -1.0)]
    margin = d.margin(dict(zip(pairs, bent, strict=True)))
    return Reading(margins, margin.value, margin.bounds(), "the bend is shown, in units of the area")


def _f13_zero(e: Evidence) -> Reading:
    """The area of the whole with itself is less than a fifth of that with the smallest subset."""
    _, d, pairs = _falling(e)
    margins = [d.margin({pairs[0]: 0.2, pairs[-1]: sign}, 0.002) for sign in (1.0, -1.0)]
    return Reading(margins, d[pairs[-1]], d.margin({pairs[-1]: 1.0}).bounds())


def _f15(e: Evidence) -> Reading:
    """Complexity correlates with the sum of the steps' areas; both by draws."""
    places = e.measured("complexity", e.classes("cifar10", 10), 4, "subsets of CIFAR10")
    c, d = e.numbers("complexity"), e.numbers("dissimilarity")
    names = [name for _, name in places]
    steps = [e.pair(a, b) for a, b in pairwise(names)]
    at, by = [c.names.index(n) for n in names], [d.names.index(n) for n in steps]

    def r(complexity: Floats, areas: Floats) -> Floats:
        walked = np.concatenate([np.zeros((len(areas), 1)), np.cumsum(areas[:, by], axis=1)], axis=1)
        return correlation(complexity[:, at], walked)

    ours = float(r(c.values[None], d.values[None])[0])
    complexities, areas = c.draws("F15", "complexity"), d.draws("F15", "dissimilarity")
    if drowned(c.values[at], complexities[:, at]) or drowned(np.cumsum(d.values[by]), np.cumsum(areas[:, by], axis=1)):
        return DROWNED
    return above(ours, reflected(ours, r(complexities, areas)), 0.7, 0.9)


def _f17_diagonal(e: Evidence) -> Reading:
    """Every self-pair is within a fifth of the mean of the others."""
    e.benchmark()
    d = e.numbers("dissimilarity")
    own = [name for one in e.domains if (name := pair_name(one, one)) in d]
    others = [name for a, b in off_diagonal(e.domains) if (name := pair_name(a, b)) in d]
    if len(own) < 3 or not others:
        raise LackingError("self-pairs of three domains are needed")
    margins = [d.margin(mean_of(others, 0.2) | {name: sign}, 0.2 * 0.018) for name in own for sign in (1.0, -1.0)]
    worst = max(own, key=lambda name: abs(d[name]))
    return Reading(margins, d[worst], d.margin({worst: 1.0}).bounds(), "the largest self-pair is shown")


def _f17_nist(e: Evidence) -> Reading:
    a, b, c = e.need("mnist"), e.need("fashion-mnist"), e.need("cifar10")
    return less(e, [e.pair(a, b)], [e.pair(a, c), e.pair(b, c)])


def _f17_cartpole(e: Evidence) -> Reading:
    a, b = e.need("cartpole-pictures"), e.need("cartpole3d-pictures")
    pictures = [name for kind in ("mnist", "fashion-mnist", "cifar10", "cifar100") if (name := e.find(kind))]
    return less(e, [e.pair(a, b)], [e.pair(x, y) for x in (a, b) for y in pictures])


def _f17_cifar(e: Evidence) -> Reading:
    """CIFAR10 and CIFAR100; without the latter, two sets of CIFAR10's classes that have none in common."""
    note = ""
    if e.find("cifar100") is not None:
        a, b = e.need("cifar10"), e.need("cifar100")
    else:
        a, b = _apart(e)
        note = f"CIFAR100 is not in the run; in the place of the two, {a} and {b}, classes of CIFAR10"
    found = less(e, [e.pair(e.need("mnist"), e.need("fashion-mnist"))], [e.pair(a, b)])
    return replace(found, note=note)


def _apart(e: Evidence) -> tuple[str, str]:
    listed = {
        name: set(settings["classes"])
        for name, settings in e.domains.items()
        if kind_of(settings) == "cifar10" and isinstance(settings.get("classes"), list | tuple)
    }
    for a, b in off_diagonal(listed):
        if not listed[a] & listed[b]:
            return a, b
    raise LackingError("CIFAR100 is not in the run, nor are two sets of CIFAR10's classes in its place")


def _f18(e: Evidence) -> Reading:
    """The normalised dot product of |difference of complexity| and area over all pairs, self-pairs included."""
    e.benchmark()
    c, d = e.numbers("complexity"), e.numbers("dissimilarity")
    pairs = [p for p in off_diagonal(e.domains) if pair_name(*p) in d and p[0] in c and p[1] in c]
    own = [(n, n) for n in e.domains if pair_name(n, n) in d and n in c]
    if len(pairs) < 6:
        raise LackingError(f"six pairs of a suite are needed, {len(pairs)} are in the run")
    every = [*pairs, *pairs, *own]  # both halves of the matrix
    a, b = ([c.names.index(pair[k]) for pair in every] for k in (0, 1))
    at = [d.names.index(pair_name(*pair)) for pair in every]

    def cosine(complexity: Floats, areas: Floats) -> Floats:
        x, y = np.abs(complexity[:, a] - complexity[:, b]), np.maximum(areas[:, at], 0)
        norm = np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
        return np.asarray(np.divide((x * y).sum(axis=1), norm, out=np.zeros(len(x)), where=norm > 0))

    ours = float(cosine(c.values[None], d.values[None])[0])
    complexities, areas = c.draws("F18", "complexity"), d.draws("F18", "dissimilarity")
    if drowned(c.values, complexities) or drowned(d.values[at], areas[:, at]):
        return DROWNED
    return above(ours, reflected(ours, cosine(complexities, areas)), 0.5, 0.24, sign=-1.0)


CHECKS: Mapping[str, tuple[Check, ...]] = {
    "F11": (_f11,),
    "F12": (_f12,),
    "F13": (_f13_falls, _f13_linear, _f13_zero),
    "F15": (_f15,),
    "F17": (_f17_diagonal, _f17_nist, _f17_cartpole, _f17_cifar),
    "F18": (_f18,),
}
"""Claim -> the check of each of its statements."""
