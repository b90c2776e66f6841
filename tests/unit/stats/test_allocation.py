"""The cheapest numbers of repetitions, and a variance by source: closed forms, an optimizer, coverage."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from aiq.stats import allocation
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


# ---- a variance by source


def drawn(function, draws):
    """A number in replicates (2^p, R) of the draws (R, p): sources that are not drawn are held at 0."""
    p = draws.shape[1]
    return np.stack([function(draws * [w >> i & 1 for i in range(p)]) for w in range(2**p)])


def test_what_only_acts_together_is_divided_evenly():
    draws = np.random.default_rng(2).normal(size=(200, 3)) * [1.0, 3.0, 1.0]
    value, _ = allocation.of_variance(drawn(lambda x: x[:, 0] * x[:, 1], draws))
    assert value == pytest.approx([0.5, 0.5, 0.0])


def test_a_source_that_calms_another_has_a_share_below_0():
    """Drawn, the second source halves what the first does: 1 alone, 1/4 together, nothing by itself."""
    draws = np.random.default_rng(3).choice([-1.0, 1.0], size=(400, 2))
    value, _ = allocation.of_variance(drawn(lambda x: x[:, 0] * np.where(x[:, 1] == 0, 1.0, 0.5), draws))
    assert value == pytest.approx([(1 + 0.25) / 2 / 0.25, (0.25 - 1) / 2 / 0.25])


@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
@settings(max_examples=20)
def test_parts_are_means_over_all_orders_and_add_up(seed, p):
    worth = np.random.default_rng(seed).normal(size=2**p)
    slow = np.zeros(p)
    orders = list(itertools.permutations(range(p)))
    for order in orders:
        known = 0
        for member in order:
            slow[member] += (worth[known | 1 << member] - worth[known]) / len(orders)
            known |= 1 << member
    assert allocation.shapley(worth) == pytest.approx(slow)
    assert allocation.shapley(worth).sum() == pytest.approx(worth[-1] - worth[0])


def test_several_numbers_count_by_their_variances():
    draws = np.random.default_rng(4).normal(size=(20000, 2))
    both = np.stack([drawn(lambda x: x[:, 0], draws), drawn(lambda x: 3 * x[:, 1], draws)], axis=2)
    assert allocation.of_variance(both)[0] == pytest.approx([0.1, 0.9], abs=0.01)


def test_nothing_varies():
    value, se = allocation.of_variance(np.ones((4, 10)))
    assert np.isnan(value).all()
    assert np.isnan(se).all()


def test_intervals_of_shares_hold_the_truth():
    """250 replicates, 600 suites each: 1.96 standard errors hold 93.9 % (a sum) and 94.9 % (half a product)."""
    rng = np.random.default_rng(5)
    scale = np.sqrt([0.6, 0.3, 0.1])

    def product(x):
        """Half of the variance is the sum's, half is made by two sources together."""
        return (x.sum(axis=1) + x[:, 0] * x[:, 1] / (scale[0] * scale[1])) / np.sqrt(2)

    cases = [(lambda x: x.sum(axis=1), scale**2), (product, scale**2 / 2 + [0.25, 0.25, 0.0])]
    for function, truth in cases:
        held = []
        for _ in range(600):
            value, se = allocation.of_variance(drawn(function, rng.normal(size=(250, 3)) * scale))
            held += list(np.abs(value - truth) <= 1.96 * se)
        assert 0.92 < np.mean(held) < 0.975
