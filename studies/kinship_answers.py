"""What the study of kinship asks of the departures that were trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import binomtest

from aiq.measures.skills import mean
from aiq.measures.weighing import uniqueness
from aiq.stats.ranks import rank_correlation
from studies import kinship_learners
from studies import kinship_tests as tests
from studies.cells import Row

Floats = npt.NDArray[np.float64]
Pair = tuple[str, str]

NOTES = """Pictures are 8 x 8 of grey: MNIST, Fashion-MNIST, CIFAR10 (averaged over areas) and scikit-learn's digits;
tables are breast cancer and wine; `pole` and `pole3d` are what a regulator does with a pole. All is trained by the
pipeline: labels shared, twins by the library, places by declared space. `dense`: 20 tests, 2 layers of 48, 150 samples,
six proportions, six repetitions, three twins. `convolutional`: seven tests of pictures, one convolution, 300 samples,
four repetitions, three twins that turn and mirror. `played`: six tests of three families, deep Q-learning for 2,000
steps, three proportions, twelve repetitions, six twins. `rho` with its 95 % interval; `against twins` is what it is
divided by, `departure` the signed area. `undefined` says why a pair has no number.

* **Expected**: `same`: other samples of one test, or one played test under two names; `kin`: with noise, or heavier;
  `open`: digits of other writers, and MNIST with all pixels moved; else `stranger`.
* **summary**: the share that reads as it should, of the pairs that have a number, with Wilson's interval (as if pairs
  were independent); then the least and largest.
* **cost**: departures from twins as predicted in place of measured: the mean error over their mean, and the largest.
* **predicts**: rank correlation over pairs with the disagreement (1 - Spearman over 12 learners of other kinds) on the
  two tests, as it is and with the difference of the learners' best accuracies taken out of both. Intervals count tests.
* **map**: what cosines leave to negative eigenvalues, noise included. **steady**: a test leaves the suite; how far the
  cosines of the others and the values of the 12 learners move (all lengths alike, cosines as measured).
* **hardness**: a twin less its test, with 95 % intervals; `performance` is paired by policy.
* **Time.** Core-minutes of the suites' mixtures are in the rows `cost`, on a busy machine; rulers, ends and hardness
  took about five more. Trainings are kept, so the time above may be that of reading them.
* **Not asked here**: labels matched by a pilot, help of pretraining, OTDD, suites of the other papers
  (`families.md`); Task2Vec."""


def told(pair: Row) -> Row:
    """Return what a pair reads."""
    return {key: pair[key] for key in ("rho", "low", "high", "against_twins", "departure", "undefined")}


def learners() -> list[Row]:
    """Return the accuracy of every learner of other kinds on every labelled test."""
    found = kinship_learners.scores(tests.labelled())
    return [{"test": name, "scores": scores.tolist()} for name, scores in found.items()]


def rows(suites: Mapping[str, list[Row]], said: list[Row]) -> list[Row]:
    """Return all answers of the suites, and what the learners (``learners``) say of the dense one."""
    made: list[Row] = []
    for name, found in suites.items():
        pairs = [row for row in found if "rho" in row]
        made += [{"part": "pairs", "suite": name, "pair": f"{p['a']}, {p['b']}",
                  "expected": tests.expected(p["a"], p["b"]), **told(p)} for p in pairs]  # fmt: skip
        made += _summary(name, pairs) + _cost(name, found) + _maps(name, pairs)
        cost = next(row for row in found if "seconds" in row)
        made.append(
            row("cost", name, f"trainings of mixtures: {cost['trainings']}; core-minutes", cost["seconds"] / 60)
        )
    scores = {row["test"]: np.array(row["scores"]) for row in said}
    dense = [row for row in suites["dense"] if "rho" in row]
    return made + _predicts(dense, scores) + _steady(dense, scores)


def row(part: str, suite: str, pair: str, value: float, low: float | None = None, high: float | None = None) -> Row:
    """Return a number with its interval as a row."""
    return {"part": part, "suite": suite, "pair": pair, "rho": value, "low": low, "high": high}


def _summary(name: str, pairs: Sequence[Row]) -> list[Row]:
    """Return how many pairs read as they should."""
    made = []
    for word, low, high in (("same", -np.inf, 0.2), ("kin", -np.inf, 0.6), ("stranger", 0.6, 1.4)):
        mine = [pair["rho"] for pair in pairs if tests.expected(pair["a"], pair["b"]) == word]
        known = np.array([value for value in mine if value is not None])
        if not known.size:
            made.append(row("summary", name, f"{word}: none of {len(mine)} has a number", float("nan")))
            continue
        right = int(((known > low) & (known < high)).sum())
        within = f"{low:g} to {high:g}" if np.isfinite(low) else f"below {high:g}"
        made.append(row("summary", name, f"{word}: share {within}, {known.size} of {len(mine)} have a number",
                         right / known.size, *binomtest(right, known.size).proportion_ci(method="wilson")))  # fmt: skip
        ends = (float(known.min()), float(known.max()))
        made.append(row("summary", name, f"{word}: mean, least, largest", float(known.mean()), *ends))
    return made


# ---- what twins cost ----------------------------------------------------------------------------


def _cost(name: str, found: Sequence[Row]) -> list[Row]:
    """Return how well what is cheaper stands for the departures from the twins of a pair."""
    by = {(row["a"], row["b"]): float(np.mean(row["by"])) for row in found if "by" in row}
    twins = len({b for a, b in by if b.partition("~")[0] == a and "~" in b and a == min(x for x, _ in by)})
    names = sorted({row["a"] for row in found if "rho" in row} | {row["b"] for row in found if "rho" in row})
    of = {(a, b): float(np.mean([by[a, f"{b}~{k}"] for k in range(1, twins + 1)])) for a in names for b in names}
    pairs = list(combinations(names, 2))
    value = np.array([(of[a, b] + of[b, a]) / 2 for a, b in pairs])
    own = np.array([(of[a, a] + of[b, b]) / 2 for a, b in pairs])
    one = np.array([name == "convolutional" or _space(a) == _space(b) for a, b in pairs])
    made = [_errors(name, "mean of both tests' own twins, one space", own[one], value[one])]
    if not one.all():
        made.append(_errors(name, "mean of both tests' own twins, other spaces", own[~one], value[~one]))
    design = np.array([[float(test in pair) for test in names] for pair in pairs])
    made.append(_errors(name, "a sum of one part per test, each pair left out", _left_out(design, value), value))
    partners = _few(design, value, 4)
    if partners is not None:
        made.append(_errors(name, "the same from four partners of each test", *partners))
    return made


def _space(test: str) -> str:
    """Return the declared space of a test."""
    word = test.split("-")[0]
    return "picture" if word in ("mnist", "fashion", "digits", "cifar", "scrambled") else word


def _errors(name: str, what: str, said: Floats, value: Floats) -> Row:
    """Return mean and largest error over the mean of what is predicted."""
    error = np.abs(said - value) / value.mean()
    return row("cost", name, f"{what}, {value.size} pairs: mean error over mean; largest", float(error.mean()),
                None, float(error.max()))  # fmt: skip


def _left_out(design: Floats, value: Floats) -> Floats:
    """Return what least squares say of each pair from all others."""
    said = []
    for k in range(value.size):
        rest = np.arange(value.size) != k
        said.append(float(design[k] @ np.linalg.lstsq(design[rest], value[rest], rcond=None)[0]))
    return np.array(said)


def _few(design: Floats, value: Floats, partners: int) -> tuple[Floats, Floats] | None:
    """Return what least squares say of pairs from those of tests with their next ones in a circle; 40 circles."""
    n, rng = design.shape[1], np.random.default_rng(1)
    if n <= partners + 2:
        return None
    said, true = [], []
    for _ in range(40):
        place = rng.permutation(n)
        apart = np.abs(np.diff([place[np.flatnonzero(row)] for row in design], axis=1))[:, 0]
        kept = np.minimum(apart, n - apart) <= partners // 2
        said.append(design[~kept] @ np.linalg.lstsq(design[kept], value[kept], rcond=None)[0])
        true.append(value[~kept])
    return np.concatenate(said), np.concatenate(true)


# ---- the space ----------------------------------------------------------------------------------


def known(pairs: Sequence[Row]) -> tuple[list[str], dict[frozenset[str], Row]]:
    """Return as many tests as possible all of whose pairs have a number, and these pairs."""
    found = {frozenset((pair["a"], pair["b"])): pair for pair in pairs}
    kept = sorted({name for pair in found for name in pair})
    while kept:
        lacking = {name: sum(found[frozenset((name, o))]["rho"] is None for o in kept if o != name) for name in kept}
        worst = max(kept, key=lambda name: lacking[name])
        if not lacking[worst]:
            break
        kept.remove(worst)
    return kept, {pair: row for pair, row in found.items() if pair <= set(kept)}


def matrix(kept: Sequence[str], found: Mapping[frozenset[str], Row], key: str) -> Floats:
    """Return a number of all pairs as a symmetric matrix, 0 on its diagonal."""
    return np.array([[0.0 if a == b else found[frozenset((a, b))][key] for b in kept] for a in kept])


def _maps(name: str, pairs: Sequence[Row]) -> list[Row]:
    """Return what two maps to cosines leave to negative eigenvalues, over tests all of whose pairs have a number."""
    kept, found = known(pairs)
    if len(kept) < 3:
        return []
    rho = matrix(kept, found, "rho")
    made = []
    for words, cosines in (("1 - rho", 1 - rho), ("1 - rho^2", 1 - np.sign(rho) * rho**2)):
        spectrum = np.linalg.eigvalsh(np.clip(cosines, -1, 1))
        share = float(-spectrum[spectrum < 0].sum() / np.abs(spectrum).sum())
        made.append(row("map", name, f"cos = {words}: negative share, {len(kept)} tests", share))
    return made


def _predicts(pairs: Sequence[Row], scores: Mapping[str, Floats]) -> list[Row]:
    """Return how the numbers of pairs go with the disagreement of learners of other kinds."""
    apart = kinship_learners.disagreement(scores)
    known = [pair for pair in pairs if pair["rho"] is not None]
    at = [(pair["a"], pair["b"]) for pair in known]
    y = np.array([apart[pair] for pair in at])
    hard = np.array([abs(scores[a].max() - scores[b].max()) for a, b in at])
    numbers = {
        "relative dissimilarity": np.array([pair["rho"] for pair in known]),
        "departure": np.array([pair["departure"] for pair in known]),
        "departure from twins": np.array([pair["against_twins"] for pair in known]),
        "difference of best accuracies": hard,
    }
    count, made = len({name for pair in at for name in pair}), []
    for name, x in numbers.items():
        made.append(_ranked(name, x, y, count))
        if x is not hard:
            made.append(_ranked(f"{name}, hardness taken out", rest(x, hard), rest(y, hard), count))
    return made


def _ranked(name: str, x: Floats, y: Floats, count: int) -> Row:
    found = rank_correlation(x, y, count)
    return row("predicts", "dense", f"{name} (Spearman)", found.spearman, *(found.spearman_interval or (None, None)))


def rest(x: Floats, of: Floats) -> Floats:
    """Return ranks without what a straight line through the other's ranks says."""
    ranks, other = (np.argsort(np.argsort(one)).astype(float) for one in (x, of))
    return np.asarray(ranks - np.polyval(np.polyfit(other, ranks, 1), other))


def _steady(pairs: Sequence[Row], scores: Mapping[str, Floats]) -> list[Row]:
    """Return how far cosines and learners' values move when a test leaves, by both distances."""
    kept, found = known(pairs)
    rho, signed = (matrix(kept, found, key) for key in ("rho", "departure"))
    reached = np.array([scores[name] for name in kept]).T
    ways: dict[str, Any] = {
        "relative": lambda rows: 1 - rho[np.ix_(rows, rows)],
        "departure": lambda rows: _right_angle(signed[np.ix_(rows, rows)]),
    }
    made = []
    for name, cosines in ways.items():
        whole = cosines(list(range(len(kept))))
        before = mean(reached, uniqueness(whole))
        moved, value, turned = [], [], []
        for left in range(len(kept)):
            rows = [k for k in range(len(kept)) if k != left]
            rest = cosines(rows)
            moved.append(float(np.abs(rest - whole[np.ix_(rows, rows)])[~np.eye(len(rows), dtype=bool)].mean()))
            after = mean(reached[:, rows], uniqueness(rest))
            value.append(float(np.abs(after - before).mean()))
            turned.append(float(np.mean([(before[i] - before[j]) * (after[i] - after[j]) < 0
                                         for i, j in combinations(range(len(before)), 2)])))  # fmt: skip
        told = {"cosines of the others": moved, "values": value, "share of orders that turn": turned}
        for what, one in told.items():
            said = f"{what} by {name}, {len(kept)} tests: mean; largest"
            made.append(row("steady", "dense", said, float(np.mean(one)), None, max(one)))
    return made


def _right_angle(signed: Floats) -> Floats:
    """Return cosines where the largest departure is a right angle."""
    squares = np.maximum(signed, 0) ** 2
    return np.asarray(1 - squares / squares.max())


# ---- twins --------------------------------------------------------------------------------------


def as_hard(kind: str, found: list[Row]) -> list[Row]:
    """Return how far the twins of a kind are from their tests: relative excess, and mean performance by policy."""
    made = []
    by = {row["test"]: row for row in found}
    for name, other in by.items():
        test, _, number = name.partition(".")
        if number == "0":
            continue
        one = by[f"{test}.0"]
        half = 1.96 * float(np.hypot(one["se"], other["se"]))
        reached = np.array(other["reached"], float) - np.array(one["reached"], float)
        paired = 1.96 * float(np.nanstd(reached, ddof=1)) / np.sqrt(reached.size)
        numbers = {"relative excess": (other["excess"] - one["excess"], half),
                   "performance": (float(np.nanmean(reached)), paired)}  # fmt: skip
        for what, (value, width) in numbers.items():
            said = f"{what}: twin {number} less test {test}"
            made.append(row("hardness", kind, said, value, value - width, value + width))
    return made
