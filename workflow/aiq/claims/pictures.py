"""Claims about labelled domains: Figures 5, 6, 9 to 13, 15 to 18 of the 2025 paper."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aiq.claims.base import Claim, Reading, Statement
from aiq.claims.evidence import Evidence, LackingError, off_diagonal, pair_name
from aiq.claims.margins import Margin
from aiq.claims.numbers import Measured, bend, rise
from aiq.records.arrays import Floats

STEP = 0.25
"""Difference of complexity in bits that is assumed where the paper gives no number: half of what parts MNIST and
Fashion-MNIST from nothing (.46 and .75 bits of excess in docs/runs/benchmark-images.md)."""
ASSUMED_STEP = f"differences of {STEP} bits (no number in print)"
ALIKE = 0.1
"""Largest difference of two normalised numbers that counts as none."""
NEAR_ZERO = 0.0018
"""A tenth of the dissimilarity in print of MNIST and CIFAR10."""
SAME = 0.05
"""Largest relative change of a complexity that counts as none."""


def _order(e: Evidence, lower: Sequence[str], upper: Sequence[str]) -> Reading:
    """Return the margins of an order of complexities: every upper one above every lower one."""
    found = e.numbers("complexity")
    if not lower or not upper:
        raise LackingError("there is nothing to compare with")
    return Reading([found.margin({u: 1.0, low: -1.0}, STEP) for u in upper for low in lower])


def _f5_lowest(e: Evidence) -> Reading:
    """CartPole below every other."""
    own = e.need("cartpole-pictures")
    others = [name for kind in ("mnist", "fashion-mnist", "cifar10", "cifar100") if (name := e.find(kind))]
    return _order(e, [own], others)


def _f5_highest(e: Evidence) -> Reading:
    """CIFAR100 above every other."""
    own = e.need("cifar100")
    others = [n for kind in ("cartpole-pictures", "mnist", "fashion-mnist", "cifar10") if (n := e.find(kind))]
    return _order(e, others, [own])


def _f5_entropy(e: Evidence) -> Reading:
    """Complexity over its largest less entropy over its largest, within ALIKE."""
    c, h = e.numbers("complexity"), e.numbers("entropy")
    kinds = ("cartpole-pictures", "mnist", "fashion-mnist", "cifar10", "cifar100")
    names = [name for kind in kinds if (name := e.find(kind)) and name in c and name in h]
    if len(names) < 3:
        raise LackingError("three data sets of pictures are needed")
    top, most = max(names, key=lambda n: c[n]), max(h[n] for n in names)
    margins = []
    for name in names:
        expected = h[name] / most  # entropies of thousands of pictures have no error to speak of
        linear = {name: 1 / c[top]}
        linear[top] = linear.get(top, 0.0) - c[name] / c[top] ** 2  # first order in the errors
        error = c.margin(linear)
        apart = c[name] / c[top] - expected
        if error.se is None:
            if name != top:
                raise LackingError("the complexities have no intervals")
            continue
        margins += [Margin(ALIKE - apart, ALIKE, error.se, error.df), Margin(ALIKE + apart, ALIKE, error.se, error.df)]
    worst = max((c[n] / c[top] - h[n] / most for n in names), key=abs)
    return Reading(margins, worst, None, "the largest difference is shown")


def _trend(e: Evidence, what: str, places: list[tuple[float, str]], sign: float, size: float) -> Reading:
    """Return the rise of the line through numbers from the first to the last place."""
    x = [value for value, _ in places]
    weights = dict(zip([name for _, name in places], sign * rise(x), strict=True))
    margin = e.numbers(what).margin(weights, size)
    ends = margin.bounds()
    return Reading([margin], sign * margin.value, None if ends is None else _turned(ends, sign))


def _bend(e: Evidence, what: str, places: list[tuple[float, str]], sign: float, size: float) -> Reading:
    """Return the bend of the parabola through numbers."""
    x = [value for value, _ in places]
    weights = dict(zip([name for _, name in places], sign * bend(x), strict=True))
    margin = e.numbers(what).margin(weights, size)
    ends = margin.bounds()
    return Reading([margin], sign * margin.value, None if ends is None else _turned(ends, sign))


def _turned(ends: tuple[float, float], sign: float) -> tuple[float, float]:
    """Return an interval after its numbers were multiplied by 1 or -1."""
    low, high = sorted((sign * ends[0], sign * ends[1]))
    return low, high


def _subsets(e: Evidence) -> list[tuple[float, str]]:
    """Return the class subsets of CIFAR100, or of CIFAR10 where there is no CIFAR100."""
    hundred = e.classes("cifar100", 100)
    return e.known("complexity", hundred if len(hundred) > 2 else e.classes("cifar10", 10), 3, "subsets of classes")


def _noise(e: Evidence, what: str) -> list[tuple[float, str]]:
    return e.known(what, e.along("mnist", "noise", 0.0), 4, "levels of noise")


def _copies(e: Evidence, what: str) -> list[tuple[float, str]]:
    return e.known(what, e.along("mnist", "duplicate", 1), 2, "numbers of copies")


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
    return Reading(margins, h[last] / h[first], None, f"{x / x0:g} copies; the ratio is exact, since copies repeat pictures")


def _f11(e: Evidence) -> Reading:
    """MNIST with itself within NEAR_ZERO."""
    own = e.need("mnist")
    name, d = e.pair(own, own), e.numbers("dissimilarity")
    margins = [d.margin({name: sign}, NEAR_ZERO + sign * 1.7e-4, NEAR_ZERO) for sign in (1.0, -1.0)]
    return Reading(margins, d[name], d.margin({name: 1.0}).bounds())


def _between(low: float, high: float, size: float, a: str, b: str) -> Statement:
    """Return the statement that the area of two data sets lies between two values."""

    def of(e: Evidence) -> Reading:
        name, d = e.pair(e.need(a), e.need(b)), e.numbers("dissimilarity")
        margins = [d.margin({name: 1.0}, size - low, -low), d.margin({name: -1.0}, high - size, high)]
        return Reading(margins, d[name], d.margin({name: 1.0}).bounds())

    return Statement(f"the signed area lies within a factor of two of the one in print: in [{low}, {high}]", f"{size}", of)


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
    """The area falls with N."""
    places, d, pairs = _falling(e)
    margin = d.margin(dict(zip(pairs, -rise([n for n, _ in places]), strict=True)), 0.01)
    ends = margin.bounds()
    return Reading([margin], -margin.value, None if ends is None else _turned(ends, -1.0))


def _f13_linear(e: Evidence) -> Reading:
    """The bend is less than a quarter of the fall."""
    places, d, pairs = _falling(e)
    x = [n for n, _ in places]
    fall, bent = -rise(x), bend(x)
    margins = [
        d.margin(dict(zip(pairs, 0.25 * fall + sign * bent, strict=True)), 0.0025) for sign in (1.0, -1.0)
    ]
    margin = d.margin(dict(zip(pairs, bent, strict=True)))
    return Reading(margins, margin.value, margin.bounds(), "the bend is shown, in units of the area")


def _f13_zero(e: Evidence) -> Reading:
    """The area of the whole with itself is less than a fifth of that with the smallest subset."""
    _, d, pairs = _falling(e)
    margins = [d.margin({pairs[0]: 0.2, pairs[-1]: sign}, 0.002) for sign in (1.0, -1.0)]
    return Reading(margins, d[pairs[-1]], d.margin({pairs[-1]: 1.0}).bounds())


def _f15(e: Evidence) -> Reading:
    """Complexity correlates with the sum of the steps' areas; both by draws."""
    places = e.known("complexity", e.classes("cifar10", 10), 4, "subsets of CIFAR10")
    c, d = e.numbers("complexity"), e.numbers("dissimilarity")
    names = [name for _, name in places]
    steps = [e.pair(a, b) for a, b in zip(names, names[1:], strict=False)]
    at, by = [c.names.index(n) for n in names], [d.names.index(n) for n in steps]

    def r(complexity: Floats, areas: Floats) -> Floats:
        walked = np.concatenate([np.zeros((len(areas), 1)), np.cumsum(areas[:, by], axis=1)], axis=1)
        return correlation(complexity[:, at], walked)

    ours = float(r(c.values[None], d.values[None])[0])
    drawn = r(c.draws("F15", "complexity"), d.draws("F15", "dissimilarity"))
    return _above(ours, drawn, 0.7, 0.9)


def _above(ours: float, drawn: Floats, least: float, size: float) -> Reading:
    """Return the reading of a number that must be above another."""
    margin = Margin(ours - least, size - least, draws=drawn - least)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Reading([margin], ours, (float(low), float(high)))


def correlation(a: Floats, b: Floats) -> Floats:
    """Return Pearson's correlation of the rows of two arrays (B, n), (B,); 0 where one does not vary."""
    x, y = a - a.mean(axis=1, keepdims=True), b - b.mean(axis=1, keepdims=True)
    norm = np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
    return np.asarray(np.divide((x * y).sum(axis=1), norm, out=np.zeros(len(x)), where=norm > 0))


def _f16_nist(e: Evidence) -> Reading:
    return _order(e, [e.need("mnist"), e.need("fashion-mnist")], [e.need("cifar10")])


def _f16_cifar(e: Evidence) -> Reading:
    return _order(e, [e.need("cifar10")], [e.need("cifar100")])


def _f16_cartpole(e: Evidence) -> Reading:
    return _order(e, [e.need("cartpole-pictures")], [e.need("cartpole3d-pictures")])


def _f16_base(e: Evidence) -> Reading:
    """The base is more than half of every complexity."""
    c, base = e.numbers("complexity"), e.numbers("base")
    kinds = ("mnist", "fashion-mnist", "cifar10", "cifar100", "cartpole-pictures", "cartpole3d-pictures")
    names = [name for kind in kinds if (name := e.find(kind)) and name in c and name in base]
    if len(names) < 3:
        raise LackingError("three domains of the benchmark are needed")
    margins = []
    for name in names:
        value = base[name] - 0.5 * c[name]
        parts = base.parts[:, base.names.index(name)] - 0.5 * c.parts[:, c.names.index(name)]
        one = Measured((name,), np.array([value]), parts[:, None], c.df)
        margins.append(one.margin({name: 1.0}, 0.25 * c[name]))
    return Reading(margins, min(base[n] / c[n] for n in names), None, "the smallest share of the base is shown")


def _mean_of(pairs: Sequence[str], weight: float = 1.0) -> dict[str, float]:
    """Return weights of a mean."""
    return {pair: weight / len(pairs) for pair in pairs}


def _less(e: Evidence, few: Sequence[str], many: Sequence[str], share: float = 1.0, size: float = 0.01) -> Reading:
    """Return the margin of one mean area being below a share of another."""
    if not few or not many:
        raise LackingError("there is nothing to compare with")
    d = e.numbers("dissimilarity")
    weights = _mean_of(many, share)
    for pair, weight in _mean_of(few, -1.0).items():
        weights[pair] = weights.get(pair, 0.0) + weight
    margin = d.margin(weights, size)
    return Reading([margin], margin.value, margin.bounds())


def _f17_diagonal(e: Evidence) -> Reading:
    """Every self-pair is within a fifth of the mean of the others."""
    d = e.numbers("dissimilarity")
    own = [name for one in e.domains if (name := pair_name(one, one)) in d]
    others = [name for a, b in off_diagonal(e.domains) if (name := pair_name(a, b)) in d]
    if len(own) < 3 or not others:
        raise LackingError("self-pairs of three domains are needed")
    margins = []
    for name in own:
        for sign in (1.0, -1.0):
            margins.append(d.margin(_mean_of(others, 0.2) | {name: sign}, 0.2 * 0.018))
    worst = max(own, key=lambda name: abs(d[name]))
    return Reading(margins, d[worst], d.margin({worst: 1.0}).bounds(), "the largest self-pair is shown")


def _f17_nist(e: Evidence) -> Reading:
    a, b, c = e.need("mnist"), e.need("fashion-mnist"), e.need("cifar10")
    return _less(e, [e.pair(a, b)], [e.pair(a, c), e.pair(b, c)])


def _f17_cartpole(e: Evidence) -> Reading:
    a, b = e.need("cartpole-pictures"), e.need("cartpole3d-pictures")
    pictures = [name for kind in ("mnist", "fashion-mnist", "cifar10", "cifar100") if (name := e.find(kind))]
    return _less(e, [e.pair(a, b)], [e.pair(x, y) for x in (a, b) for y in pictures])


def _f17_cifar(e: Evidence) -> Reading:
    a, b, c, d = e.need("cifar10"), e.need("cifar100"), e.need("mnist"), e.need("fashion-mnist")
    return _less(e, [e.pair(c, d)], [e.pair(a, b)])


def _f18(e: Evidence) -> Reading:
    """The normalised dot product of |difference of complexity| and area over all pairs, self-pairs included."""
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
    drawn = cosine(c.draws("F18", "complexity"), d.draws("F18", "dissimilarity"))
    low, high = np.quantile(drawn, [0.025, 0.975])
    margin = Margin(0.5 - ours, 0.5 - 0.24, draws=0.5 - drawn)
    return Reading([margin], ours, (float(low), float(high)))


CLAIMS = (
    Claim("F5", 2025, "3.1.2, Fig. 5", "MCCP against entropy, five domains",
          "CartPole lowest, CIFAR100 highest; MCCP within its 95 % interval of the normalised entropy",
          (Statement("CartPole is below every other data set", ASSUMED_STEP, _f5_lowest),
           Statement("CIFAR100 is above every other data set", ASSUMED_STEP, _f5_highest),
           Statement(f"complexity and entropy, each over its largest, differ by less than {ALIKE}", "no difference",
                     _f5_entropy)), "bits"),
    Claim("F6", 2025, "3.1.3, Fig. 6", "class subsets of CIFAR100", "clear increase, flattening",
          (Statement("complexity rises with the number of classes", f"a rise of {STEP} bits (no number in print)",
                     lambda e: _trend(e, "complexity", _subsets(e), 1.0, STEP)),
           Statement("it flattens: the curve bends down", f"a bend of {STEP / 2} bits (no number in print)",
                     lambda e: _bend(e, "complexity", _subsets(e), 1.0, STEP / 2))), "bits"),
    Claim("F9", 2025, "3.1.5, Fig. 9", "MNIST with growing noise",
          "complexity rises (quadratic trend, slow at first), entropy rises and flattens",
          (Statement("complexity rises", f"a rise of {2 * STEP} bits (no number in print)",
                     lambda e: _trend(e, "complexity", _noise(e, "complexity"), 1.0, 2 * STEP)),
           Statement("slowly at first: the curve bends up", f"a bend of {STEP / 2} bits (no number in print)",
                     lambda e: _bend(e, "complexity", _noise(e, "complexity"), -1.0, STEP / 2)),
           Statement("entropy rises", "a rise of 1 bit (no number in print)",
                     lambda e: _trend(e, "entropy", _noise(e, "entropy"), 1.0, 1.0)),
           Statement("entropy flattens: the curve bends down", "a bend of .25 bits (no number in print)",
                     lambda e: _bend(e, "entropy", _noise(e, "entropy"), 1.0, 0.25))), "bits"),
    Claim("F10", 2025, "3.1.6, Fig. 10", "MNIST duplicated k times", "complexity constant; entropy proportional to k",
          (Statement(f"no number of copies changes complexity by {SAME:.0%}", "no change", _f10_constant),
           Statement("the entropy of k copies is k times that of one, within 1 %", "exactly so", _f10_entropy)), "bits"),
    Claim("F11", 2025, "3.2.1, Fig. 11", "MNIST with itself", "dissimilarity 1.7e-4; performance differs by 0.0006",
          (Statement(f"the signed area is within ±{NEAR_ZERO}, a tenth of that of MNIST and CIFAR10", "1.7e-4", _f11),)),
    Claim("F12", 2025, "3.2.2, Fig. 12", "MNIST with CIFAR10", "dissimilarity 0.018",
          (_between(0.009, 0.036, 0.018, "mnist", "cifar10"),)),
    Claim("F13", 2025, "3.2.3, Fig. 13", "CIFAR10 with its first N classes", "falls linearly towards 0 as N grows",
          (Statement("the signed area falls with N", "a fall of .01 (no number in print)", _f13_falls),
           Statement("linearly: the bend is less than a quarter of the fall", "no bend, a fall of .01", _f13_linear),
           Statement("towards 0: CIFAR10 with itself is less than a fifth of the smallest subset", "0, of .01",
                     _f13_zero))),
    Claim("F15", 2025, "3.3.1, Fig. 15", "class subsets of CIFAR10: complexity and stepwise dissimilarity", "R = 0.9",
          (Statement("complexity and the steps' areas, summed up, correlate by more than .7", "R = .9", _f15),), "R"),
    Claim("F16", 2025, "3.3.2, Fig. 16", "complexity of the AIQ benchmark",
          "MNIST, FMNIST < CIFAR10 < CIFAR100; CartPole2D < CartPole3D; a large common base value",
          (Statement("MNIST and Fashion-MNIST are below CIFAR10", ASSUMED_STEP, _f16_nist),
           Statement("CIFAR10 is below CIFAR100", ASSUMED_STEP, _f16_cifar),
           Statement("CartPole2D is below CartPole3D", ASSUMED_STEP, _f16_cartpole),
           Statement("the base is more than half of every complexity", "three quarters (no number in print)", _f16_base),
           ), "bits"),
    Claim("F17", 2025, "3.3.3, Fig. 17", "dissimilarity matrix of the AIQ benchmark",
          "diagonal near 0; MNIST–FMNIST close; the CartPoles close; CIFAR10–CIFAR100 apart",
          (Statement("every self-pair is within a fifth of the mean of other pairs", "0, of .018", _f17_diagonal),
           Statement("MNIST and Fashion-MNIST are nearer to each other than to CIFAR10", "a difference of .01 (no number)",
                     _f17_nist),
           Statement("the CartPoles are nearer to each other than to the pictures", "a difference of .01 (no number)",
                     _f17_cartpole),
           Statement("CIFAR10 and CIFAR100 are farther apart than MNIST and Fashion-MNIST",
                     "a difference of .01 (no number)", _f17_cifar))),
    Claim("F18", 2025, "3.3.4, Fig. 18", "differences of complexity against dissimilarity, same suite",
          "normalised dot product 0.24",
          (Statement("the normalised dot product is below .5", "0.24", _f18),), "dot product"),
)  # fmt: skip
