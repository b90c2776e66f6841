"""Lambda*: patterns, the torus, simulation, and what blocks of episodes reduce to."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiq.errors import InputError
from aiq.wings.collectives.equations import (
    KINDS,
    EpisodeBlock,
    Learning,
    Settings,
    difference,
    intelligence,
    merge,
    scores_by_complexity,
    uncertainty,
)
from aiq.wings.collectives.equations.agents import BEST, LINE, tables, train
from aiq.wings.collectives.equations.simulation import _run, simulate
from aiq.wings.collectives.equations.world import World, bank, complexity, foresee, grid


def test_the_bank_holds_what_it_says():
    patterns = bank(50, 3)
    assert patterns.levels.tolist() == list(range(2, 19))
    for level, segments, lengths in zip(patterns.levels, patterns.segments, patterns.lengths, strict=True):
        assert lengths.min() >= 1
        assert lengths.max() <= 25
        for index in range(0, lengths.size, 97):
            assert complexity(np.resize(segments[index, : lengths[index]].tolist(), 50).tolist()) == level


def test_proposals_have_uniform_lengths_and_moves():
    """Undoing the stratification by the shares of K gives the proposals back: mean length 13, moves uniform."""
    patterns = bank(50, 3)
    assert patterns.shares.sum() > 0.99
    mean = (patterns.lengths.mean(axis=1) * patterns.shares).sum() / patterns.shares.sum()
    assert mean == pytest.approx(13, abs=0.1)
    first = np.array([np.bincount(row, minlength=9) / row.size for row in patterns.segments[:, :, 0]])
    np.testing.assert_allclose(patterns.shares @ first, patterns.shares.sum() / 9, atol=0.02)


def test_the_bank_depends_on_the_seed_and_the_shortest_episode_has_one():
    assert not np.array_equal(bank(20, 1).segments, bank(20, 2).segments)
    patterns = bank(2, 0)
    assert (patterns.levels.tolist(), patterns.lengths.max()) == ([2], 1)


# ---- complexity by LZ76 -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sequence", "expected"),
    [
        ("0001101001000101", 6),
        ("0" * 10, 2),
        ("01" * 5, 3),
        ("1001111011000010", 6),
        ("URRDL", 4),
        ("0", 1),
        ([(0, 1), (0, 1), (0, 1)], 2),
    ],
)
def test_published_values(sequence, expected):
    assert complexity(sequence) == expected


def plain(text):
    """Cut off the shortest prefix of the rest that does not occur in all but the last symbol of what it ends."""
    count, start = 0, 0
    while start < len(text):
        length = 1
        while start + length <= len(text) and text[start : start + length] in text[: start + length - 1]:
            length += 1
        count, start = count + 1, start + length
    return count


@given(st.text(alphabet="abc", min_size=1, max_size=60))
def test_equals_the_definition(text):
    assert complexity(text) == plain(text)


SMALL = Settings(rows=5, columns=6, steps=20, agents=3, learning=Learning(passes=10))


def test_the_program_s_agents_need_cells_of_their_own():
    with pytest.raises(InputError, match="10 agents cannot start in cells of their own on 9"):
        Settings(program=True, rows=3, columns=3, agents=10)


def test_results_depend_on_the_seed_and_not_on_how_work_is_cut():
    whole, seeded = (simulate(KINDS, SMALL, root, 0, 24) for root in (4, 5))
    for kind, block, other in zip(KINDS, whole, seeded, strict=True):
        parts = [simulate([kind], SMALL, 4, first, count)[0] for first, count in ((9, 15), (0, 2), (2, 7))]
        np.testing.assert_array_equal(merge(parts).scores, block.scores)
        np.testing.assert_array_equal(merge(parts).complexities, block.complexities)
        assert not np.array_equal(other.scores, block.scores)


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


def block(scores, levels, kind="random", first=0, stratified=True):
    return EpisodeBlock(kind, "t", 5, 5, 0, first, np.asarray(scores, float), np.asarray(levels), stratified)


@pytest.mark.parametrize(("side", "bits"), [(5, 9.23), (7, 11.20), (10, 13.27), (15, 15.62), (20, 17.28)])
def test_uncertainty_is_the_published(side, bits):
    assert uncertainty(side, side) == pytest.approx(bits, abs=0.005)


def test_every_complexity_has_the_same_weight():
    result = intelligence([block([0, 0, 0.2, 0.2, 0.4, 0.8], [2, 2, 2, 2, 3, 3])])
    assert result.estimate.value == pytest.approx((0.1 + 0.6) / 2)
    error = math.sqrt(np.var([0, 0, 0.2, 0.2], ddof=1) / 4 + np.var([0.4, 0.8], ddof=1) / 2) / 2
    low, high = result.estimate.interval
    assert (high - low) / 2 == pytest.approx(1.959964 * error, rel=1e-6)
    assert result.variation == pytest.approx(error / 0.35)
    assert result.uncertainty == pytest.approx(9.2288, abs=1e-4)


def test_the_interval_covers():
    """95 % intervals over 400 synthetic tests: fewer than 92 % or more than 98 % has probability below 1 %."""
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(400):
        levels = np.arange(60) % 6
        scores = np.clip(levels / 10 + rng.normal(0, 0.1, 60), -1, 1)
        low, high = intelligence([block(scores, levels)]).estimate.interval
        hits += low <= 0.25 <= high
    assert 368 <= hits <= 392


def test_too_few_episodes_give_no_interval():
    assert intelligence([block([0.1, 0.2], [2, 3])]).estimate.interval is None
    assert math.isnan(intelligence([block([0.1, 0.2], [2, 3])]).variation)


def test_found_complexities_are_not_weighted_and_blocks_are_merged_in_order():
    parts = [block([0.6], [3], first=2, stratified=False), block([0, 0.3], [2, 2], stratified=False)]
    assert intelligence(parts).estimate.value == pytest.approx(0.3)
    np.testing.assert_array_equal(merge(parts).scores, [0, 0.3, 0.6])


def test_differences_are_paired():
    one, two = block([0.5, 0.7, 0.1, 0.3], [2, 2, 3, 3]), block([0.4, 0.6, 0.0, 0.2], [2, 2, 3, 3], kind="auction")
    result = difference([one], [two])
    assert result.value == pytest.approx(0.1)
    assert result.interval == pytest.approx((0.1, 0.1))


def test_scores_by_complexity():
    parts = [block([0, 0.2, 0.4, 0.8], [2, 2, 3, 5])]
    rows = scores_by_complexity(parts)
    assert [(row.lowest, row.highest) for row in rows] == [(2, 2), (3, 4), (5, 5)]
    assert [row.estimate.value for row in rows] == pytest.approx([0.1, 0.4, 0.8])
