"""The cheapest numbers of repetitions: closed forms, and every other allocation that costs no more is no better."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from aiq.stats.allocation import Allocation

positive = st.floats(0.01, 100.0)
plans = st.integers(1, 5).flatmap(lambda n: st.tuples(*(st.lists(positive, min_size=n, max_size=n) for _ in range(3))))


def test_where_all_sources_grow_numbers_are_as_the_root_of_part_over_price():
    """n ∝ √(v / c); the least cost of a variance T is (Σ √(v c))² / T."""
    parts, now, prices = np.array([4.0, 1.0, 9.0]), np.ones(3), np.array([1.0, 4.0, 0.25])
    plan = Allocation(parts, now, prices)
    numbers = plan.numbers(plan.for_variance(0.5))
    assert (numbers > now).all()
    assert numbers / numbers[0] == pytest.approx(np.sqrt(parts / prices) / np.sqrt(parts[0] / prices[0]))
    assert plan.variance(numbers) == pytest.approx(0.5)
    assert plan.cost(numbers) + prices.sum() == pytest.approx(np.sqrt(parts * prices).sum() ** 2 / 0.5)


def test_a_single_source_grows_by_the_ratio_of_the_variances():
    plan = Allocation([0.8], [10], [3.0])
    numbers = plan.numbers(plan.for_variance(0.2))
    assert numbers == pytest.approx([40])
    assert plan.cost(numbers) == pytest.approx(90)
    assert plan.numbers(plan.for_cost(90)) == pytest.approx([40])


def test_what_is_dear_and_adds_little_stays_as_it_is():
    plan = Allocation([1.0, 0.01, 0.0], [10, 10, 10], [1.0, 100.0, 0.001])
    assert plan.numbers(plan.for_variance(0.51)) == pytest.approx([20, 10, 10])


@given(plans, st.floats(0.05, 0.95))
def test_a_target_is_met_exactly_and_a_budget_is_used_up(plan, share):
    found = Allocation(*plan)
    target = share * found.parts.sum()
    numbers = found.numbers(found.for_variance(target))
    assert (numbers >= found.now).all()
    assert found.variance(numbers) == pytest.approx(target, rel=1e-6)
    assert found.numbers(found.for_cost(found.cost(numbers))) == pytest.approx(numbers, rel=1e-6)


@pytest.mark.parametrize("seed", range(8))
def test_an_optimizer_finds_nothing_cheaper(seed: int):
    rng = np.random.default_rng(seed)
    parts, now, prices = (np.exp(rng.normal(size=4)) for _ in range(3))
    plan = Allocation(parts, now, prices)
    target = 0.4 * parts.sum()
    mine = plan.cost(plan.numbers(plan.for_variance(target)))
    found = minimize(
        plan.cost, 4 * now, bounds=[(n, None) for n in now], method="SLSQP",
        constraints={"type": "ineq", "fun": lambda n: target - plan.variance(n)}, options={"maxiter": 500},
    )  # fmt: skip
    assert found.success
    assert mine == pytest.approx(found.fun, rel=1e-4)


def test_edges():
    plan = Allocation([0.5, 0.0], [3, 3], [1.0, 1.0])
    assert plan.for_variance(0.6) == 0.0  # there already
    assert plan.for_variance(0.0) == float("inf")
    assert plan.numbers(plan.for_cost(0.0)) == pytest.approx([3, 3])
    assert Allocation([0.0], [3], [1.0]).for_cost(5.0) == float("inf")


@pytest.mark.parametrize(
    "wrong", [([1.0], [1, 2], [1.0]), ([-1.0], [1], [1.0]), ([1.0], [0], [1.0]), ([1.0], [1], [0])]
)
def test_numbers_outside_their_ranges_are_refused(wrong):
    with pytest.raises(ValueError, match=r"differ|must be"):
        Allocation(*wrong)
