import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiq.wings.collectives.equations.agents import foresee
from aiq.wings.collectives.equations.world import World, grid, settle, spread, toward

sides = st.integers(3, 8)


@given(sides, sides)
@settings(max_examples=20)
def test_moves_have_their_inverse(rows, columns):
    place = grid(rows, columns)
    inverse = [1, 0, 3, 2, 7, 6, 5, 4, 8]
    for move, back in enumerate(inverse):
        there = place.neighbours[:, move]
        np.testing.assert_array_equal(place.neighbours[there, back], np.arange(rows * columns))
    assert all(len(set(row)) == 9 for row in place.neighbours.tolist())


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


def empty(side, steps):
    cells = np.zeros((2, steps + 1), dtype=np.int64)
    rewards = np.zeros((steps + 1, side * side), dtype=np.float32)
    return World(cells[0], cells[1], rewards, np.zeros(2, dtype=np.int64))


def test_rewards_are_those_of_the_paper_or_of_the_public_program_and_can_be_cleared():
    world, place = empty(5, 1), grid(5, 5)
    world.good[:], world.evil[:] = 6, 8
    spread(place, world, 1.0, False)
    expected = np.zeros((5, 5))
    expected[0:3, 0:3] += 0.5
    expected[1, 1] += 0.5
    expected[0:3, 2:5] -= 0.5
    expected[1, 3] -= 0.5
    np.testing.assert_array_equal(world.rewards[0].reshape(5, 5), expected)
    spread(place, world, -1.0, False)
    assert not world.rewards.any()
    world.evil[:] = 18
    spread(place, world, 1.0, True)  # at first the public program shows both objects in cell 0
    assert world.rewards[0, 0] == -0.5
    assert not world.rewards[0, 1:].any()
    assert world.rewards[1, 6] == 1
    spread(place, world, -1.0, True)
    assert not world.rewards.any()


@pytest.mark.parametrize("side", [3, 4, 10])
def test_the_oracle_meets_a_good_that_moves_for_ever(side):
    place = grid(side, side)
    for move in range(9):
        world = empty(side, side)
        for t in range(side):
            world.good[t + 1] = place.neighbours[world.good[t], move]
        for cell in range(side * side):
            at = cell
            for t in range(side):
                at = foresee(place, world, t, at, move)
            assert at == world.good[side]
