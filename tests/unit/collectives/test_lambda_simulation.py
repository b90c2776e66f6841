from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from aiq.errors import InputError
from aiq.wings.collectives.equations import KINDS, PRESETS, Learning, Settings, merge, simulate, trace_episode
from aiq.wings.collectives.equations.q_learning import BEST, LINE, clear, tables, train
from aiq.wings.collectives.equations.simulation import _run
from aiq.wings.collectives.equations.world import grid
from aiq.wings.collectives.settings import LambdaTest, Preset

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
    settings = replace(SMALL, learning=Learning(passes=3, rate=0.2))
    traces = [trace_episode(kind, settings, 4, 7) for kind in KINDS] + [trace_episode("random", SMALL, 4, 7)]
    for trace in traces[1:]:
        np.testing.assert_array_equal(trace.good, traces[0].good)
        np.testing.assert_array_equal(trace.agents[0], traces[0].agents[0])


def test_complexities_are_taken_in_turn():
    (block,) = simulate(["random"], Settings(), 4, 0, 34)
    np.testing.assert_array_equal(block.complexities, np.tile(np.arange(2, 19), 2))


def test_walks_are_replayed_back_and_evil_is_a_shifted_copy():
    settings = replace(SMALL, pattern="walk", steps=40)
    for episode in range(8):
        trace = trace_episode("random", settings, 4, episode)
        row = (trace.good // 6 - trace.evil // 6) % 5
        column = (trace.good % 6 - trace.evil % 6) % 6
        assert np.unique(row).size == np.unique(column).size == 1
        periods = [n for n in range(1, 21) if np.array_equal(trace.good[: 2 * n + 1], trace.good[: 2 * n + 1][::-1])]
        assert periods


def test_the_public_program_s_walks_are_listed_forwards_and_backwards():
    settings = replace(SMALL, pattern="replay", steps=40)
    lengths = set()
    for episode in range(30):
        trace = trace_episode("random", settings, 4, episode)
        np.testing.assert_array_equal(trace.evil, (trace.good + 11) % 30)
        fits = [n for n in range(6, 12) if np.array_equal(trace.good[n : 2 * n], trace.good[:n][::-1])]
        assert fits
        lengths.update(fits)
    assert lengths >= set(range(6, 12))


@pytest.mark.parametrize(("kind", "sarsa", "shared"), [("q", False, False), ("q", False, True), ("s", True, False)])
@pytest.mark.parametrize("initial", [0.0, 2.0])
def test_best_values_and_masks_follow_the_tables(kind, sarsa, shared, initial):
    settings = replace(SMALL, learning=Learning(initial=initial))
    world = _run(["random"], settings, 4, 3, 1)[2]
    tab = tables(settings)
    pristine = [array.copy() for array in (tab.values, tab.masks)]
    size = 0 if shared else 21 * 30
    train(grid(5, 6), world, tab, size, 25, 0.1, sarsa, False, np.array([3], dtype=np.uint64))
    values = tab.values.reshape(-1, LINE)[:, :9]
    assert not np.array_equal(tab.values, pristine[0])
    np.testing.assert_array_equal(tab.values.reshape(-1, LINE)[:, BEST], values.max(axis=1))
    np.testing.assert_array_equal(tab.masks & 511, (values == values.max(axis=1)[:, None]) @ (1 << np.arange(9)))
    clear(tab)
    np.testing.assert_array_equal(tab.values, pristine[0])
    np.testing.assert_array_equal(tab.masks, pristine[1])


def test_q_learning_reaches_the_optimum_of_a_small_world():
    """With full exploration the trained table holds the optimal values found by backward induction."""
    learning = Learning(rate=1.0, discount=0.9, exploration=1.0)
    settings = Settings(rows=3, columns=3, steps=4, agents=1, learning=learning)
    world = _run(["random"], settings, 4, 1, 1)[2]
    place, tab = grid(3, 3), tables(settings)
    train(place, world, tab, 45, 6000, 1.0, False, False, np.array([3], dtype=np.uint64))
    optimum = np.zeros(9)
    for t in reversed(range(4)):
        optimum = (world.rewards[t + 1] + 0.9 * optimum)[place.neighbours].max(axis=1)
    assert tab.values[LINE * world.start[0] + BEST] == pytest.approx(optimum[world.start[0]], abs=1e-5)
