from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiq.errors import InputError
from aiq.wings.collectives.equations import KINDS, PRESETS, Learning, Settings, merge, simulate, trace_episode
from aiq.wings.collectives.equations.agents import foresee
from aiq.wings.collectives.equations.q_learning import BEST, LINE, tables, train
from aiq.wings.collectives.equations.simulation import _run
from aiq.wings.collectives.equations.world import World, grid, toward
from aiq.wings.collectives.settings import LambdaTest, Preset

sides = st.integers(3, 8)
SMALL = Settings(rows=5, columns=6, steps=20, agents=3, learning=Learning(passes=10))


def test_presets_and_defaults_are_those_of_the_configuration():
    assert PRESETS["paper"] == Settings()
    assert set(PRESETS) == set(get_args(Preset))
    assert (LambdaTest().agents, LambdaTest().iterations) == (Settings().agents, Settings().steps)
    with pytest.raises(InputError, match="10 agents cannot start in cells of their own on 9"):
        Settings(program=True, rows=3, columns=3, agents=10)


def test_results_depend_on_the_seed_and_not_on_how_work_is_cut():
    whole, seeded = (simulate(KINDS, SMALL, root, 0, 24) for root in (4, 5))
    for kind, block, other in zip(KINDS, whole, seeded, strict=True):
        parts = [simulate([kind], SMALL, 4, first, count)[0] for first, count in ((9, 15), (0, 2), (2, 7))]
        np.testing.assert_array_equal(merge(parts).scores, block.scores)
        np.testing.assert_array_equal(merge(parts).complexities, block.complexities)
        assert not np.array_equal(other.scores, block.scores)


def test_kinds_and_parameters_meet_the_same_worlds():
    other = replace(SMALL, learning=Learning(passes=3, rate=0.2))
    traces = [trace_episode(kind, other, 4, 7) for kind in KINDS] + [trace_episode("random", SMALL, 4, 7)]
    for trace in traces[1:]:
        np.testing.assert_array_equal(trace.good, traces[0].good)
        np.testing.assert_array_equal(trace.agents[0], traces[0].agents[0])


def test_complexities_are_taken_in_turn():
    (block,) = simulate(["random"], Settings(), 4, 0, 34)
    np.testing.assert_array_equal(block.complexities, np.tile(np.arange(2, 19), 2))


def test_q_learning_reaches_the_optimum_of_a_small_world():
    """With full exploration the trained table holds the optimal values found by backward induction."""
    learning = Learning(rate=1.0, discount=0.9, exploration=1.0)
    small = Settings(rows=3, columns=3, steps=4, agents=1, learning=learning)
    world = _run(["random"], small, 4, 1, 1)[2]
    place, tab = grid(3, 3), tables(small)
    train(place, world, tab, 45, 6000, 1.0, False, False, np.array([3], dtype=np.uint64))
    optimum = np.zeros(9)
    for t in reversed(range(4)):
        optimum = (world.rewards[t + 1] + 0.9 * optimum)[place.neighbours].max(axis=1)
    assert tab.values[LINE * world.start[0] + BEST] == pytest.approx(optimum[world.start[0]], abs=1e-5)


# ---- the torus -----------------------------------------------------------------------------------


@given(sides, sides, st.data())
@settings(max_examples=30)
def test_toward_takes_the_shortest_way(rows, columns, data):
    place = grid(rows, columns)
    cell = data.draw(st.integers(0, rows * columns - 1))
    target = data.draw(st.integers(0, rows * columns - 1))

    def distance(c):
        down, right = abs(c // columns - target // columns), abs(c % columns - target % columns)
        return max(min(down, rows - down), min(right, columns - right))

    start = distance(cell)
    for step in range(start):
        cell = place.neighbours[cell, toward(place, cell, target)]
        assert distance(cell) == start - step - 1
    assert cell == target


@pytest.mark.parametrize("side", [3, 4, 10])
def test_the_oracle_meets_a_good_that_moves_for_ever(side):
    place = grid(side, side)
    for move in range(9):
        good = np.zeros(side + 1, dtype=np.int64)
        for t in range(side):
            good[t + 1] = place.neighbours[good[t], move]
        world = World(good, good, np.zeros((0, 0), np.float32), np.zeros(2, np.int64))
        for cell in range(side * side):
            at = cell
            for t in range(side):
                at = foresee(place, world, t, at, move)
            assert at == good[side]
