"""Claims about labelled domains: Figures 5, 6, 9, 10, 13 and 15 to 18 of the 2025 paper."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np

from aiq.records.estimate import Floats
from papers.claims import Reading, shapes
from papers.claims.evidence import CALLED, Evidence, LackingError, kind_of, pair_name
from papers.claims.numbers import Margin, Measured, bend, rise
from papers.claims.shapes import DROWNED, above, correlation, drowned, less, mean_of, order, reflected, through, turned

ALIKE = 0.1  # largest difference of two normalised numbers that counts as none
NO_CIFAR100 = "CIFAR100 is not in the run"

# ---- complexities --------------------------------------------------------------------------------


def highest(e: Evidence, size: float) -> Reading:
    """CIFAR100 above every other; where there is none, CIFAR10 above the rest."""
    others, ten = e.present("cartpole-pictures", "mnist", "fashion-mnist"), e.present("cifar10")
    whole = e.find("cifar100")
    if whole is not None:
        return order(e, [*others, *ten], [whole], size)
    if len(others) < 2 or not ten:
        raise LackingError(f"{NO_CIFAR100}, nor are CIFAR10 and two other data sets in its place")
    return replace(order(e, others, ten, size), note=f"{NO_CIFAR100}; in its place CIFAR10, above the others")


def normalised(e: Evidence) -> Reading:
    """Complexity over its largest less entropy over its largest, within ALIKE."""
    c, h = e.numbers("complexity"), e.numbers("entropy")
    kinds = ("cartpole-pictures", "mnist", "fashion-mnist", "cifar10", "cifar100")
    names = [name for name in e.present(*kinds) if name in c and name in h]
    if len(names) < 3:
        raise LackingError("three data sets of pictures are needed")
    top, most = max(names, key=lambda n: c[n]), max(h[n] for n in names)
    margins, departures = [], []
    for name in names:
        if name == top:  # over itself: a 1 without an error
            continue
        # first order in the errors; entropies of thousands of pictures have none to speak of
        error = c.margin({name: 1 / c[top], top: -c[name] / c[top] ** 2})
        apart = c[name] / c[top] - h[name] / most
        departures.append(Margin(apart, se=error.se, df=error.df))
        margins += [Margin(ALIKE - apart, ALIKE, error.se, error.df), Margin(ALIKE + apart, ALIKE, error.se, error.df)]
    worst = max(departures, key=lambda departure: abs(departure.value))
    return Reading(margins, worst.value, worst.bounds(), "the largest difference is shown")


def subsets(e: Evidence, **sizes: float) -> Reading:
    """The trend over subsets of CIFAR100's classes; where there are none, of CIFAR10's."""
    hundred = e.classes("cifar100", 100)
    whole = len(hundred) > 2
    places = e.measured("complexity", hundred if whole else e.classes("cifar10", 10), 3, "subsets of classes")
    trend = through(e, "complexity", places, **sizes)
    note = "subsets of CIFAR10, in the place of CIFAR100, which is not in the run"
    return trend if whole else replace(trend, note=note)


def constant(e: Evidence, change: float) -> Reading:
    """No number of copies changes the complexity by a share of the original's."""
    places = e.measured("complexity", e.along("mnist", "duplicate", 1), 2, "numbers of copies")
    c = e.numbers("complexity")
    first, names = places[0][1], [name for _, name in places[1:]]
    margins = [
        c.margin({first: change - sign, name: sign}, change * c[first]) for name in names for sign in (1.0, -1.0)
    ]
    worst = max(names, key=lambda name: abs(c[name] - c[first]))
    return Reading(margins, c[worst] - c[first], c.margin({worst: 1.0, first: -1.0}).bounds())


def proportional(e: Evidence) -> Reading:
    """The entropy of k copies is k times that of one, within a hundredth."""
    places = e.measured("entropy_total", e.along("mnist", "duplicate", 1), 2, "numbers of copies")
    h = e.numbers("entropy_total")
    x0, first = places[0]
    margins = [
        h.margin({name: sign, first: (0.01 - sign) * x / x0}, 0.01 * h[first] * x / x0)
        for x, name in places[1:]
        for sign in (1.0, -1.0)
    ]
    x, last = places[-1]
    note = f"{x / x0:g} copies; the ratio is exact, since copies repeat pictures"
    return Reading(margins, h[last] / h[first], None, note)


def cifar_above(e: Evidence, size: float) -> Reading:
    """CIFAR10 below CIFAR100; where there is none, a few classes of CIFAR10 below all ten of them."""
    if e.find("cifar100") is not None:
        return order(e, [e.need("cifar10")], [e.need("cifar100")], size)
    places = [(n, name) for n, name in e.classes("cifar10", 10) if name in e.numbers("complexity")]
    if len(places) < 2 or places[0][0] > 5 or places[-1][0] < 10:
        raise LackingError(f"{NO_CIFAR100}, nor are CIFAR10 and a subset of its classes in its place")
    (few, first), (_, whole) = places[0], places[-1]
    note = f"{NO_CIFAR100}; in its place CIFAR10, above {few:g} of its classes"
    return replace(order(e, [first], [whole], size), note=note)


def base(e: Evidence) -> Reading:
    """The base is more than half of every complexity; three quarters are assumed."""
    c, base = e.numbers("complexity"), e.numbers("base")
    names = [name for name in e.present(*CALLED) if name in c and name in base]
    if len(names) < 3:
        raise LackingError("three domains of the benchmark are needed")
    margins = []
    for name in names:
        parts = base.parts[:, base.names.index(name)] - 0.5 * c.parts[:, c.names.index(name)]
        left = Measured((name,), np.array([base[name] - 0.5 * c[name]]), parts[:, None], c.df)
        margins.append(left.margin({name: 1.0}, 0.25 * c[name]))
    return Reading(margins, min(base[n] / c[n] for n in names), None, "the smallest share of the base is shown")


# ---- dissimilarities -----------------------------------------------------------------------------


def _falling(e: Evidence) -> tuple[list[float], Measured, list[str]]:
    """Return the sizes of the subsets of CIFAR10, the whole last, the areas, and the pairs with the whole."""
    places = e.classes("cifar10", 10)
    if not places or places[-1][0] != 10:
        raise LackingError("CIFAR10 is not in the run")
    d = e.numbers("dissimilarity")
    pairs = [(n, pair) for n, name in places if (pair := pair_name(name, places[-1][1])) in d]
    if len(pairs) < 4:
        raise LackingError(f"4 subsets of CIFAR10 with the whole are needed, {len(pairs)} are in the run")
    return [n for n, _ in pairs], d, [pair for _, pair in pairs]


def falls(e: Evidence) -> Reading:
    """The area with the whole falls with the number of classes."""
    x, d, pairs = _falling(e)
    margin = d.margin(dict(zip(pairs, -rise(x), strict=True)), 0.01)
    return Reading([margin], -margin.value, turned(margin.bounds(), -1.0))


def linearly(e: Evidence) -> Reading:
    """The bend is less than a quarter of the fall."""
    x, d, pairs = _falling(e)
    fall, bent = -rise(x), bend(x)
    margins = [d.margin(dict(zip(pairs, 0.25 * fall + sign * bent, strict=True)), 0.0025) for sign in (1.0, -1.0)]
    margin = d.margin(dict(zip(pairs, bent, strict=True)))
    return Reading(margins, margin.value, margin.bounds(), "the bend is shown, in units of the area")


def to_zero(e: Evidence) -> Reading:
    """The area of the whole with itself is less than a fifth of that with the smallest subset."""
    _, d, pairs = _falling(e)
    margins = [d.margin({pairs[0]: 0.2, pairs[-1]: sign}, 0.002) for sign in (1.0, -1.0)]
    return Reading(margins, d[pairs[-1]], d.margin({pairs[-1]: 1.0}).bounds())


def walked(e: Evidence) -> Reading:
    """Complexity correlates with the sum of the steps' areas; both by draws."""
    places = e.measured("complexity", e.classes("cifar10", 10), 4, "subsets of CIFAR10")
    c, d = e.numbers("complexity"), e.numbers("dissimilarity")
    names = [name for _, name in places]
    steps = [e.pair(a, b) for a, b in pairwise(names)]
    at, by = [c.names.index(n) for n in names], [d.names.index(n) for n in steps]

    def r(complexity: Floats, areas: Floats) -> Floats:
        sums = np.concatenate([np.zeros((len(areas), 1)), np.cumsum(areas[:, by], axis=1)], axis=1)
        return correlation(complexity[:, at], sums)

    ours = float(r(c.values[None], d.values[None])[0])
    complexities, areas = c.draws("F15", "complexity"), d.draws("F15", "dissimilarity")
    if drowned(c.values[at], complexities[:, at]) or drowned(np.cumsum(d.values[by]), np.cumsum(areas[:, by], axis=1)):
        return DROWNED
    return above(ours, reflected(ours, r(complexities, areas)), 0.7, 0.9)


def diagonal(e: Evidence) -> Reading:
    """Every self-pair is within a fifth of the mean of the others."""
    e.benchmark()
    d = e.numbers("dissimilarity")
    own = [name for domain in e.domains if (name := pair_name(domain, domain)) in d]
    others = [name for a, b in combinations(e.domains, 2) if (name := pair_name(a, b)) in d]
    if len(own) < 3 or not others:
        raise LackingError("self-pairs of three domains are needed")
    margins = [d.margin(mean_of(others, 0.2) | {name: sign}, 0.2 * 0.018) for name in own for sign in (1.0, -1.0)]
    worst = max(own, key=lambda name: abs(d[name]))
    return Reading(margins, d[worst], d.margin({worst: 1.0}).bounds(), "the largest self-pair is shown")


def cifar_apart(e: Evidence) -> Reading:
    """CIFAR10 and CIFAR100; without the latter, two sets of CIFAR10's classes that have none in common."""
    note = ""
    if e.find("cifar100") is not None:
        a, b = e.need("cifar10"), e.need("cifar100")
    else:
        a, b = _without_common_classes(e)
        note = f"{NO_CIFAR100}; in the place of the two, {a} and {b}, classes of CIFAR10"
    return replace(less(e, [e.pair(e.need("mnist"), e.need("fashion-mnist"))], [e.pair(a, b)]), note=note)


def _without_common_classes(e: Evidence) -> tuple[str, str]:
    listed = {
        name: set(settings["classes"])
        for name, settings in e.domains.items()
        if kind_of(settings) == "cifar10" and isinstance(settings.get("classes"), list | tuple)
    }
    for a, b in combinations(listed, 2):
        if not listed[a] & listed[b]:
            return a, b
    raise LackingError(f"{NO_CIFAR100}, nor are two sets of CIFAR10's classes in its place")


def dot_product(e: Evidence) -> Reading:
    """The normalised dot product of |difference of complexity| and area over all pairs, self-pairs included."""
    e.benchmark()
    c, d = e.numbers("complexity"), e.numbers("dissimilarity")
    pairs = [p for p in combinations(e.domains, 2) if pair_name(*p) in d and p[0] in c and p[1] in c]
    own = [(n, n) for n in e.domains if pair_name(n, n) in d and n in c]
    if len(pairs) < 6:
        raise LackingError(f"six pairs of a suite are needed, {len(pairs)} are in the run")
    every = [*pairs, *pairs, *own]  # both halves of the matrix
    a, b = ([c.names.index(pair[k]) for pair in every] for k in (0, 1))
    at = [d.names.index(pair_name(*pair)) for pair in every]

    def product(complexity: Floats, areas: Floats) -> Floats:
        return shapes.cosine(np.abs(complexity[:, a] - complexity[:, b]), np.maximum(areas[:, at], 0))

    ours = float(product(c.values[None], d.values[None])[0])
    complexities, areas = c.draws("F18", "complexity"), d.draws("F18", "dissimilarity")
    if drowned(c.values, complexities) or drowned(d.values[at], areas[:, at]):
        return DROWNED
    return above(ours, reflected(ours, product(complexities, areas)), 0.5, 0.24, sign=-1.0)
