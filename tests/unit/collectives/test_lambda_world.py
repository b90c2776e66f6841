import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiq.wings.collectives.equations.agents import foresee
from aiq.wings.collectives.equations.world import World, apart, grid, settle, spread, toward

sides = st.integers(3, 8)


@given(sides, sides)
@settings(max_examples=20, deadline=None)
def test_moves_have_their_inverse(rows, columns):
    place = grid(rows, columns)
    inverse = [1, 0, 3, 2, 7, 6, 5, 4, 8]
    for move, back in enumerate(inverse):
        there = place.neighbours[:, move]
        np.testing.assert_array_equal(place.neighbours[there, back], np.arange(rows * columns))
    assert all(len(set(row)) == 9 for row in place.neighbours.tolist())


def test_distance_surpasses_the_border():
    assert apart(0, 4, 5) == -1
    assert apart(1, 3, 5) == 2
    assert apart(0, 2, 4) == 2


@given(sides, sides, st.data())
@settings(max_examples=30, deadline=None)
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


@pytest.mark.parametrize(
    ("old", "new", "allowed"),
    [
        ((0, 4), (1, 3), {(1, 3)}),
        ((0, 2), (1, 1), {(0, 1), (1, 2)}),
        ((1, 2), (1, 1), {(1, 2)}),
        ((0, 1), (1, 1), {(0, 1)}),
        ((0, 1), (1, 0), {(1, 0)}),
    ],
)
def test_good_and_evil_never_share_a_cell(old, new, allowed):
    stream = np.array([7], dtype=np.uint64)
    seen = {tuple(settle(*old, *new, stream)) for _ in range(60)}
    assert seen == allowed


def test_a_clash_is_decided_evenly():
    stream = np.array([1], dtype=np.uint64)
    kept = sum(settle(0, 2, 1, 1, stream)[0] == 0 for _ in range(4000))
    assert abs(kept - 2000) < 4.5 * np.sqrt(1000)  # a fair coin fails this with probability below 1e-5


def empty(rows, columns, steps):
    cells = np.zeros((2, steps + 1), dtype=np.int64)
    rewards = np.zeros((steps + 1, rows * columns), dtype=np.float32)
    return World(cells[0], cells[1], rewards, np.zeros(2, dtype=np.int64))


def test_rewards_are_those_of_the_paper_and_can_be_cleared():
    world = empty(5, 5, 1)
    world.good[:] = 6
    world.evil[:] = 8
    spread(grid(5, 5), world, 1.0, False)
    expected = np.zeros((5, 5))
    expected[0:3, 0:3] += 0.5
    expected[1, 1] += 0.5
    expected[0:3, 2:5] -= 0.5
    expected[1, 3] -= 0.5
    np.testing.assert_array_equal(world.rewards[0].reshape(5, 5), expected)
    spread(grid(5, 5), world, -1.0, False)
    assert not world.rewards.any()


def test_at_first_the_public_program_shows_both_objects_in_cell_0():
    world = empty(5, 5, 1)
    world.good[:], world.evil[:] = 6, 18
    spread(grid(5, 5), world, 1.0, True)
    assert world.rewards[0, 0] == -0.5
    assert not world.rewards[0, 1:].any()
    assert world.rewards[1, 6] == 1
    spread(grid(5, 5), world, -1.0, True)
    assert not world.rewards.any()


@pytest.mark.parametrize("move", range(9))
@pytest.mark.parametrize("side", [3, 4, 7, 10])
def test_the_oracle_meets_a_good_that_moves_for_ever(move, side):
    steps = side
    place, world = grid(side, side), empty(side, side, steps)
    for t in range(steps):
        world.good[t + 1] = place.neighbours[world.good[t], move]
    for cell in range(side * side):
        at = cell
        for t in range(steps):
            at = foresee(place, world, t, at, move)
        assert at == world.good[steps]
