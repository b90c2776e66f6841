"""Families: whether tests of one kind lie closer by relative dissimilarity, and what it predicts of a pair."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.stats import t as student
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix

from aiq.config.load import read
from aiq.domains.base import LabelledDomain
from studies import everything, kinship_predicts
from studies import kinship_answers as answers
from studies import kinship_tests as tests
from studies.cells import Cells, Row
from studies.kinship_trained import Budget, departures, strangers

CONFIGURATIONS = Path(__file__).resolve().parents[1] / "config"
PLAYED = Budget(width=32, repetitions=6, twins=2, proportions=3)
VARIANTS = Budget(samples=300, repetitions=4, twins=2, proportions=6)
RENAMED = Budget(samples=300, repetitions=4, twins=2, proportions=6)
KINDS = ("CartPole", "programs", "cups", "automata", "grids", "Gym games")
"""Of config/everything.yaml, the families that are played."""
DRAWS = 9999

NOTES = """`everything`: the tests of config/everything.yaml that are played by design, 2,000 steps of deep
Q-learning, mixtures at 1/2, six repetitions, two twins; first every test with its own twins, then all pairs of those
whose twins are
strangers. `variants`: the tests of config/image-variants.yaml, dense networks 2 x 48, 300 samples, six proportions,
four repetitions, two twins, labels shared. A twin is as hard and has as long episodes as its test, so neither is in
rho.

* **within**, **between**: mean rho of the pairs of one family, of two, with Student's interval over pairs (as if they
  were independent). **lower within**: probability of families as close in 9,999 relabellings.
* **named**: the other half of MNIST with some labels renamed, as it is and after a pilot: a linear classifier learns
  MNIST, and the classes of the other test get the names (Hungarian assignment) under which it knows most of them.
* **predicts**: Spearman over the pairs of 20 tests that have a number, with what two tests do to learners: `help` is
  accuracy on the second test after 60 samples, trained before on the first, less that from scratch; `help over twin`
  less that after training on the first one's twin; `disagreement` is 1 - Spearman of 12 learners of other kinds,
  hardness taken out. Intervals count tests. Departure, told, starvation, confusion, transfer and the similarity of
  2020 keep labels of different data sets apart, as the paper does; `relative dissimilarity` and `departure, labels
  shared` are the study of kinship's. OTDD is that of POT on 150 samples. **tells kin**: probability that a pair of
  one test (`same` or `kin`) reads lower than one of strangers, with an interval over tests left out one at a time.
* **redundancy**: Spearman over tests of the share that others take of a test in the space, 1 - uniqueness, with the
  redundancy that `aiq suite` finds in the learners' accuracies.
* **Not asked**: Task2Vec, convolutions."""


def run(quick: bool, cells: Cells | None = None) -> list[Row]:
    """Return a row a number with its interval.

    Args:
        quick: two played tests with their own twins, and the renamed labels of digits.
        cells: what was finished before.
    """
    cells = cells or Cells(None, "", lambda line: None)
    if quick:
        short = Budget(width=16, samples=100, epochs=6, repetitions=2, twins=2, proportions=3)
        return cells.of({"named": "quick"}, lambda: named(short, "digits", (2,), ()))
    work: dict[str, Callable[[], list[Row]]] = {
        "variants": partial(variants, VARIANTS),
        "named": partial(named, RENAMED, "MNIST", (2, 5, 10), ("FashionMNIST", "digits")),
        "predicts": kinship_predicts.rows,
        "everything": partial(played, PLAYED),
    }
    return [row for part, make in work.items() for row in cells.of({"part": part}, make)]


def played(budget: Budget) -> list[Row]:
    """Return the families of everything: which tests have strangers for twins, and the pairs of these."""
    settings = read(str(CONFIGURATIONS / "everything.yaml"))["domains"]
    names = [name for kind in KINDS for name in everything.FAMILIES[kind]]
    own = strangers({name: settings[name] for name in names}, budget)
    made = [{"part": "own twins", "suite": "everything", "pair": row["test"], "departure": row["departure"],
             "undefined": row["undefined"]} for row in own]  # fmt: skip
    kept = {row["test"]: settings[row["test"]] for row in own if not row["undefined"]}
    families = {name: kind for kind in KINDS for name in everything.FAMILIES[kind]}
    return made + told_families("everything", departures(kept, budget), families)


def variants(budget: Budget) -> list[Row]:
    """Return the families of the image variants."""
    settings = read(str(CONFIGURATIONS / "image-variants.yaml"))["domains"]
    families = {name: name.split("-")[0] for name in settings}
    return told_families("variants", departures(settings, budget), families)


def told_families(suite: str, found: list[Row], families: Mapping[str, str]) -> list[Row]:
    """Return every pair, and whether families lie closer than strangers."""
    pairs = [row for row in found if "rho" in row]
    each: list[Row] = [{"part": "pairs", "suite": suite, "pair": f"{p['a']}, {p['b']}",
                        "expected": "family" if families[p["a"]] == families[p["b"]] else "other",
                        **answers.told(p)} for p in pairs]  # fmt: skip
    made = list(each)
    for word, mine in (("within", "family"), ("between", "other")):
        chosen = [row["rho"] for row in each if row["expected"] == mine]
        known = [value for value in chosen if value is not None]
        if len(known) > 1:
            half = float(student.ppf(0.975, len(known) - 1)) * float(np.std(known, ddof=1)) / np.sqrt(len(known))
            mean = float(np.mean(known))
            made.append(
                answers.row(word, suite, f"{len(known)} of {len(chosen)} pairs", mean, mean - half, mean + half)
            )
    kept, by = answers.known(pairs)
    labels = [families[name] for name in kept]
    if 1 < len(set(labels)) < len(labels):
        for key, what in (("rho", "relative dissimilarity"), ("departure", "departure")):
            lying = everything.lying(answers.matrix(kept, by, key), labels, DRAWS, np.random.default_rng(1))
            made.append(
                answers.row("lower within", suite, f"{what}, {len(kept)} tests: probability", lying.probability)
            )
            said = f"{what}, {len(kept)} tests: nearest is of the family; probability"
            made.append(answers.row("lower within", suite, said, lying.nearest, None, lying.nearest_probability))
    return made


# ---- names of outputs ---------------------------------------------------------------------------


def named(budget: Budget, base: str, changes: tuple[int, ...], strangers: tuple[str, ...]) -> list[Row]:
    """Return one half of a test against the other half under other names, as it is and matched by a pilot."""
    whole = tests.data_set(base)
    first, other = tests.half(whole, 0), tests.half(whole, 1)
    given = {"base": first}
    for count in (0, *changes):
        given |= {f"{count}-as-is": renamed(other, count), f"{count}-matched": matched(first, renamed(other, count))}
    for name in strangers:
        test = tests.data_set(name)
        given |= {f"{name}-as-is": test, f"{name}-matched": matched(first, test)}
    made = []
    for pair in departures(given, budget, against="base"):
        if "rho" in pair:
            name, _, how = (pair["b"] if pair["a"] == "base" else pair["a"]).partition("-")
            words = f"{name} of 10 labels renamed" if name.isdigit() else name
            made.append({"part": "named", "suite": base, "pair": f"{words}, {how}", **answers.told(pair)})
    return made


def renamed(test: LabelledDomain, count: int) -> LabelledDomain:
    """Return a test of which some classes have exchanged their names in a circle."""
    names = np.arange(len(test.classes))
    names[:count] = np.roll(names[:count], 1)
    return _named(test, names)


def matched(first: LabelledDomain, other: LabelledDomain) -> LabelledDomain:
    """Return the other test with the names of its classes under which a pilot trained on the first knows it best."""
    pilot = LogisticRegression(max_iter=300).fit(_flat(first.train_x), first.train_y)
    count = max(len(first.classes), len(other.classes))
    confusion = confusion_matrix(other.train_y, pilot.predict(_flat(other.train_x)), labels=range(count))
    rows, columns = linear_sum_assignment(-confusion)
    return _named(other, columns[np.argsort(rows)])


def _named(test: LabelledDomain, names: Any) -> LabelledDomain:
    return replace(test, train_y=names[test.train_y], test_y=names[test.test_y])


def _flat(x: Any) -> Any:
    return x.reshape(len(x), -1) / 255.0
