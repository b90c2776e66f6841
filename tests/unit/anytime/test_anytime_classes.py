import math

import numpy as np
import pytest

from aiq.errors import InputError
from aiq.wings.anytime.equations.automata import (
    TOLERANCE,
    Automaton,
    AutomatonClass,
    Table,
    code_length,
    exact_sensitivity,
    sampled_sensitivity,
    strongly_connected,
)
from aiq.wings.anytime.equations.classes import MOVES, SIDE, Cups, CupsClass, Grid, GridClass, moved, reward, ways


def exact_balance(table: Table, steps: int) -> bool:
    """Whether a uniform random agent's expected reward is 0 at each of the first ``steps`` steps."""
    states, actions = table.following.shape
    probabilities, worst = table.start, 0.0
    for _ in range(steps):
        share = np.repeat(probabilities / actions, actions)
        probabilities = np.bincount(table.following.ravel(), weights=share, minlength=states)
        worst = max(worst, abs(float(probabilities @ table.rewards)))
    return bool(np.all(np.abs(table.rewards) <= 1)) and worst < TOLERANCE


CLASSES = {"cups": CupsClass(), "automata": AutomatonClass(), "grid": GridClass()}


def drawn(cls, level, number, seed=0):
    rng, used, found = np.random.default_rng(seed), set(), []
    while len(found) < number and (environment := cls.draw(level - 1, level, used, rng)) is not None:
        used.add(environment.key)
        found.append(environment)
    return found


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("level", [4.3, 9.0, 30.7, 60.0, 120.4])
def test_draws_fit_the_level_and_are_new(name, level):
    environments = drawn(CLASSES[name], level, 12)
    assert all(level - 1 <= e.complexity <= level for e in environments)
    assert len({e.key for e in environments}) == len(environments)
    if name != "automata":
        assert environments


@pytest.mark.parametrize("name", CLASSES)
def test_environments_are_seeded_keep_the_protocol_and_can_be_repeated(name):
    keys = [[e.key for e in drawn(CLASSES[name], 60, 3, seed)] for seed in (1, 1, 2)]
    assert keys[0] == keys[1] != keys[2]
    (environment,) = drawn(CLASSES[name], 60, 1)
    courses = []
    for _ in range(2):
        rng = np.random.default_rng(5)
        course = [environment.reset(np.random.default_rng(9))]
        course += [environment.step(int(rng.integers(environment.actions))) for _ in range(50)]
        courses.append(course)
    assert courses[0] == courses[1]
    assert all(-1 <= r <= 1 and all(type(x) is int for x in o) for r, o in courses[0][1:])
    assert environment.render().strip()


@pytest.mark.parametrize("n", range(3, 9))
def test_cups_are_balanced_and_sensitive_exactly(n):
    for environment in drawn(CupsClass(), n, 6):
        table = environment.table()
        assert exact_balance(table, 40)
        assert exact_sensitivity(table, n) == 1


def test_one_colouring_of_three_cups_is_not_balanced():
    table = Cups((0, 0, 1)).table()
    single = type(table)(table.following, table.rewards, np.eye(8)[4])
    assert not exact_balance(single, 40)


def test_cups_table_and_steps_agree():
    environment = Cups((0, 1, 1, 0, 1))
    table = environment.table()
    rng = np.random.default_rng(0)
    environment.reset(rng)
    for action in rng.integers(5, size=60):
        expected = table.following[environment.state, action]
        gained, seen = environment.step(int(action))
        assert environment.state == expected
        assert gained == table.rewards[expected] == np.sign(2 * sum(seen) - 5)


def test_a_level_of_cups_is_used_up():
    assert len(drawn(CupsClass(), 3.5, 100)) == 4
    assert CupsClass().draw(2.5, 3.5, {"000", "001", "010", "011"}, np.random.default_rng(0)) is None
    counts = [len(e.first) for e in drawn(CupsClass(), 4, 100)]
    assert sorted(counts) == [3] * 4 + [4] * 8


@pytest.mark.parametrize("level", [16, 28, 46, 70, 130])
def test_automata_are_balanced_and_sensitive_exactly(level):
    environments = drawn(AutomatonClass(), level, 5)
    assert environments
    for environment in environments:
        assert strongly_connected(environment.following)
        assert exact_balance(environment.table(), 60)
        assert exact_sensitivity(environment.table(), environment.following.shape[0]) == 1
        assert np.abs(environment.rewards).max() == pytest.approx(1)


def test_code_length_by_hand():
    assert code_length(2, 6) == pytest.approx(3 + 2 * (math.log2(5) + 1) + 6)
    assert code_length(4, 5) == pytest.approx(5 + 4 * (math.log2(5) + 2) + 12 + 5 * math.log2(3))


@pytest.mark.parametrize(
    ("following", "raw", "words"),
    [
        ([[0, 0, 1], [1, 1, 1]], [0, 4], "not strongly connected"),
        ([[1, 1, 1], [0, 0, 0]], [2, 2], "same reward"),
        ([[1, 1, 2], [0, 0, 0]], [0, 4], "outside 0 to 1"),
        ([[0, 0, 0]], [0], "malformed"),
    ],
)
def test_unfit_automata_are_refused(following, raw, words):
    with pytest.raises(InputError, match=words):
        Automaton(np.array(following), np.array(raw), np.array([0, 1]))


def test_an_automaton_without_influence_is_not_sensitive():
    automaton = Automaton(np.array([[1, 1, 1], [0, 0, 0]]), np.array([0, 4]), np.array([0, 1]))
    assert exact_balance(automaton.table(), 30)
    assert exact_sensitivity(automaton.table(), 20) == 0
    assert sampled_sensitivity(automaton, 10, 5, 10, np.random.default_rng(0)) == 0
    (grid,) = drawn(GridClass(), 8, 1)  # refused wrongly with probability 5 · 0.9^39 = 0.08 at the most
    assert sampled_sensitivity(grid, 8, 5, 40, np.random.default_rng(0)) == 1


def test_the_grid_is_balanced_and_sensitive_exactly():
    """From a uniform cell a random agent stays uniform, and the mean reward over all cells is 0 for all objects.

    Wherever Good and Evil go, the five cells that the agent can reach in one step do not all pay alike.
    """
    cells = [(x, y) for x in range(SIDE) for y in range(SIDE)]
    for evil in cells[1:]:
        paid = {cell: reward(cell, (0, 0), evil) for cell in cells}
        assert abs(sum(paid.values())) < 1e-9
        for agent in cells:
            values = [paid[moved(agent, move)] for move in MOVES]
            assert max(values) - min(values) > 1e-9
    for move in MOVES:
        assert sorted(moved(cell, move) for cell in cells) == cells


def test_grid_by_hand():
    assert ways((0, 4), (8, 4)) == (-1, 0)
    assert reward((3, 2), (3, 2), (5, 6)) == pytest.approx(1 - 1 / (math.sqrt(20) + 1))
    grid = Grid("UULRDD", "R", (4, 4), (0, 0))
    assert grid.complexity == 7
    rng = np.random.default_rng(0)
    grid.reset(rng)
    places = []
    for _ in range(7):
        grid.step(4)
        places.append(grid.good)
    assert places == [(4, 3), (4, 2), (3, 2), (4, 2), (4, 3), (4, 4), (4, 3)]
    grid.reset(rng)
    grid.agent = (0, 3)
    grid.good, grid.evil = (8, 3), (0, 2)
    assert grid.observation() == (1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0)


def test_objects_never_share_a_cell_and_clashes_are_even():
    kept = 0
    for seed in range(400):
        grid = Grid("RS", "LS", (3, 4), (5, 4))
        grid.reset(np.random.default_rng(seed))
        grid.step(4)
        assert grid.good != grid.evil
        kept += grid.good == (3, 4)
    assert abs(kept - 200) < 44  # a fair coin fails this with probability below 2e-5
    for good, evil in (("S", "L"), ("R", "S")):
        grid = Grid(good, evil, (4, 4), (5, 4))
        grid.reset(np.random.default_rng(0))
        for _ in range(9):
            grid.step(4)
            assert (grid.good, grid.evil) == ((4, 4), (5, 4))


def test_objects_in_one_cell_are_refused():
    with pytest.raises(InputError, match="two different cells"):
        Grid("L", "R", (0, 0), (0, 0))
