"""Lines a, b, c, e and g of the sanity suite that ask for complexity, and those that ask for dissimilarity."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from scipy import stats as distributions

from studies import sanity_measures as measures
from studies import sanity_suite as suite
from studies.cells import Row
from studies.sanity_measures import Number
from studies.sanity_trainings import Mixing, Trials

Floats = npt.NDArray[np.float64]


def line(name: str, what: str, number: Number, passed: bool | None, says: str = "") -> Row:
    """Return one row of the table."""
    return {
        "line": name,
        "what": what,
        "number": number.value,
        "low": number.low,
        "high": number.high,
        "passed": {True: "passed", False: "NOT PASSED", None: "listed"}[passed],
        "says": says,
    }


def count(value: float) -> Number:
    """Return a number that has no interval."""
    return Number(value, math.nan, math.nan)


class Pools:
    """Complexities of the full or of the quick study."""

    def __init__(self, quick: bool) -> None:
        self._quick = quick

    def trials(self, name: str) -> Trials:
        """Return the pool on a domain."""
        return suite.quick_trials(name) if self._quick else suite.trials(name)

    def change(self, name: str, reference: str, what: str = "relative_excess") -> Number:
        """Return a number of ``name`` minus that of ``reference``."""
        one, other = (measures.hard(self.trials(each)) for each in (name, reference))
        return measures.difference(one, other, what)


def upscaled(pools: Pools, names: tuple[str, ...]) -> Iterator[Row]:
    """Yield line a: more inputs that say nothing new."""
    for name in names:
        reference = name.split(" at ")[0].split(" padded")[0]
        for what, words in (("relative_excess", "relative excess"), ("mccp_k", "MCCP@16, bits")):
            moved = pools.change(name, reference, what)
            yield line("a", f"{name}: {words}, change", moved, moved.holds_zero)


def labels(pools: Pools, names: tuple[str, ...]) -> Iterator[Row]:
    """Yield line b: fewer classes, one label, noise."""
    for name in names:
        moved = pools.change(name, "digits")
        if name == "four classes":
            says = "passed where it is not larger beyond its interval"
            yield line("b", "four classes of ten: relative excess, change", moved, moved.low <= 0, says)
        elif name == "one label":
            found = measures.of(measures.hard(pools.trials(name)), "excess")
            yield line("b", "one label for all samples: excess, bits", found, abs(found.value) < 1e-9)
        else:
            says = "passed where it is larger beyond its interval"
            yield line("b", f"{name}: relative excess, change", moved, moved.low > 0, says)


def duplicated(pools: Pools) -> Iterator[Row]:
    """Yield line c for complexity: every sample twice, trained for as many epochs, and for as many steps."""
    for name, words in (
        ("samples twice", "every sample twice, as many epochs (twice the steps)"),
        ("samples twice, half the epochs", "every sample twice, as many steps"),
    ):
        moved = pools.change(name, "digits")
        yield line("c", f"{words}: relative excess, change", moved, moved.holds_zero)


def grown(pools: Pools) -> Iterator[Row]:
    """Yield line e for complexity: more samples, longer training."""
    for name, words in (
        ("digits", "twice the samples (all digits against one half), twice the steps"),
        ("digits, half the epochs", "twice the samples, as many steps"),
        ("digits, twice the epochs", "twice the epochs"),
    ):
        reference = "digits" if "twice the epochs" in name else "digits-a"
        moved = pools.change(name, reference)
        yield line("e", f"{words}: relative excess, change", moved, None, _moved(moved))


def _moved(number: Number) -> str:
    return "stays within its interval" if number.holds_zero else "moves by more than its interval"


def pool_sizes() -> Iterator[Row]:
    """Yield line g: pools that share no policy, against the largest."""
    for name in ("digits", "25 % pixels random", "breast-cancer"):
        largest = measures.hard(suite.of_size(name, suite.POOLS[-1]))
        for size in suite.POOLS[:-1]:
            record = measures.hard(suite.of_size(name, size))
            for what, words in (("mccp_k", "MCCP@16, bits"), ("relative_excess", "relative excess")):
                moved = measures.difference(record, largest, what, same_pool=False)
                yield line("g", f"{name}, pool of {size} minus {suite.POOLS[-1]}: {words}", moved, moved.holds_zero)
        papers = [measures.paper(suite.of_size(name, size)) for size in suite.POOLS]
        says = f"the paper's minimum at {', '.join(map(str, suite.POOLS))}: " + ", ".join(f"{v:.2f}" for v in papers)
        yield line(
            "g", f"{name}: the paper's minimum, {suite.POOLS[-1]} minus 64", count(papers[-1] - papers[0]), None, says
        )


def duplicated_pairs(how: Mixing = suite.BASE) -> Iterator[Row]:
    """Yield line c for dissimilarity."""
    for a, b in (("digits-a", "wine"), ("digits-b", "digits-a")):
        twice = ("digits-a-twice", b) if a == "digits-a" else (a, "digits-a-twice")
        moved = apart(measures.pair(*_order(twice), how).number("signed"), measures.get(a, b, how).number("signed"))
        yield line("c", f"{a} with {b}, samples of digits-a twice: signed area, change", moved, moved.holds_zero)


def _order(names: tuple[str, str]) -> tuple[str, str]:
    """Return a pair with the domain of doubled samples in the place in which it was trained."""
    return ("wine", "digits-a-twice") if "wine" in names else names


def apart(one: Number, other: Number) -> Number:
    """Return a difference, the errors taken for independent (normal)."""
    return measures.student(one.value - other.value, math.hypot(one.se, other.se), math.inf)


def known_order(how: Mixing, related: tuple[str, ...], unrelated: tuple[str, ...]) -> Iterator[Row]:
    """Yield line d: pairs with digits-a that are alike, related and unrelated, by departure and by distance."""
    alike = suite.ALIKE
    groups = (alike, related, unrelated)
    wine = measures.get("digits-a", "wine", how).number("signed")
    for name in (*alike, *related):
        less = apart(measures.get("digits-a", name, how).number("signed"), wine)
        says = "passed where digits-a is less dissimilar to it than to wine"
        yield line("d", f"{name} against wine: signed area, difference", less, less.value < 0, says)
    for words, same_steps in (
        ("as many steps as the mixture", True),
        ("batches as in the mixture, fewer steps", False),
    ):
        for name in (*alike, *related, *unrelated) if same_steps or how == suite.BASE else ():
            part = measures.get("digits-a", name, how, None, same_steps).number("transfer")
            yield line("d", f"digits-a with {name}: transfer, control with {words}", part, None)
    yield from _apart_labels(how) if how == suite.BASE else ()
    names = ("digits-a", *alike, *related, *unrelated)
    for kind in measures.KINDS:
        found = measures.distances(names, kind, how)
        numbers = {
            name: measures.student(float(found.values[0, i]), float(_error(found, i)), found.df)
            for i, name in enumerate(names)
        }
        yield from _ordered(kind, numbers, groups)


def _apart_labels(how: Mixing) -> Iterator[Row]:
    """Yield what labels of their own do to pictures that are the same, rotated, or permuted."""
    for name, other in (
        (suite.COPY, "digits-a-copy-apart"),
        ("digits-rotated", "digits-rotated-apart"),
        ("digits-permuted-shared", "digits-permuted"),
    ):
        for labels, each in (("shared", name), ("apart", other)):
            for what in ("signed", "confusion", "transfer"):
                number = measures.get("digits-a", each, how).number(what)
                yield line("d", f"digits-a with {name.removesuffix('-shared')}, labels {labels}: {what}", number, None)


def _error(found: measures.Distances, i: int) -> float:
    """Return the standard error of the distance between the first domain and another."""
    return math.sqrt(found.own[0, i] ** 2 + found.end[0] ** 2 + found.end[i] ** 2)


def _ordered(kind: str, at: dict[str, Number], groups: tuple[tuple[str, ...], ...]) -> Iterator[Row]:
    """Yield whether distances from digits-a rise from group to group; an order that errors leave open is no fault."""
    words = ("alike < related", "related < unrelated", "alike < unrelated")
    shown = ", ".join(f"{name} {at[name].value:.3f} ± {at[name].se:.3f}" for group in groups for name in group)
    for (closer, farther), what in zip(((0, 1), (1, 2), (0, 2)), words, strict=True):
        pairs = [(one, other) for one in groups[closer] for other in groups[farther]]
        if not pairs:
            continue
        share = count(float(np.mean([at[one].value < at[other].value for one, other in pairs])))
        reversed_ = [f"{one} > {other}" for one, other in pairs if apart(at[one], at[other]).low > 0]
        says = f"{shown}; reversed beyond the interval: {', '.join(reversed_) or 'none'}"
        yield line("d", f"distance by {kind}: {what}, share of the orders right", share, not reversed_, says)


def moved_pairs() -> Iterator[Row]:
    """Yield line e for dissimilarity: what moves by more than its interval."""
    for what, one, other in (
        ("twice the samples", (suite.BASE, None), (suite.FEWER, None)),
        ("twice the repetitions", (suite.BASE, None), (suite.BASE, suite.BASE.repetitions // 2)),
        ("a network of twice the width", (suite.WIDER, None), (suite.BASE, None)),
    ):
        moved = []
        values: list[tuple[float, float]] = []
        pairs = [pair for pair in suite.pairs(suite.SUITE) if pair[0] != pair[1]]
        for a, b in pairs:
            numbers = [measures.get(a, b, how, count).number("signed") for how, count in (one, other)]
            values.append((numbers[0].value, numbers[1].value))
            if not apart(*numbers).holds_zero:
                moved.append(f"{a} with {b} {numbers[1].value:.3f} → {numbers[0].value:.3f}")
        chance = int(distributions.binom.ppf(0.975, len(pairs), 0.05))
        rank = float(distributions.spearmanr(*zip(*values, strict=True)).statistic)
        says = f"of {len(pairs)} pairs (chance moves up to {chance}); rank correlation {rank:.2f}; " + "; ".join(moved)
        yield line(
            "e", f"{what}: pairs whose signed area moves by more than its interval", count(len(moved)), None, says
        )
