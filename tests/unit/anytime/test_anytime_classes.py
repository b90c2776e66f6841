"""Classes of environments: balance, sensitivity, levels; and what must hold of the test whoever is examined.

The seeds are fixed, so a test passes always or never; the probabilities say how likely a faithful
program would have failed with a seed drawn at random.
"""

import math
from functools import cache

import numpy as np
import pytest
from scipy import stats

from aiq.errors import InputError
from aiq.wings.anytime.equations import ManualClock, RandomAgent, SandbaggingAgent, SlowAgent, TabularQ
from aiq.wings.anytime.equations.administer import administer_interactions, administer_seconds
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
from aiq.wings.anytime.equations.classes import (
    MOVES,
    SIDE,
    BlackCup,
    Cups,
    CupsClass,
    FollowGood,
    Grid,
    GridClass,
    moved,
    reward,
    ways,
)


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


REPETITIONS = 30


AGENTS = {
    "random": lambda cls: RandomAgent(),
    "q": lambda cls: TabularQ(),
    "black cup": lambda cls: BlackCup(),
    "follow good": lambda cls: FollowGood(),
    "oracle": lambda cls: cls.oracle(),
    "failing": lambda cls: SandbaggingAgent(cls.oracle(), cls.oracle(-1)),
    "guessing": lambda cls: SandbaggingAgent(cls.oracle(), RandomAgent()),
}


@cache
def examined(agent, name, budget, repetitions=REPETITIONS):
    """Tests of an agent, by the word of ``AGENTS``, on a class."""
    cls = CLASSES[name]
    return [administer_interactions(AGENTS[agent](cls), cls, budget, root=7, repetition=r) for r in range(repetitions)]


def upsilons(runs):
    return np.array([run.upsilon for run in runs])


def p_value(values):
    """Two-sided probability of a mean so far from 0 if the expected value is 0."""
    return stats.ttest_1samp(values, 0.0).pvalue


def above(values, others=0.0):
    """One-sided probability of a mean so far above, paired by repetition, if there is no difference."""
    return stats.ttest_1samp(np.asarray(values) - np.asarray(others), 0.0, alternative="greater").pvalue


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("budget", [20, 100, 400])
def test_a_random_agent_has_zero_at_every_budget(name, budget):
    """A fair test fails one of the nine cases with probability 9e-3.

    ξ grows by vain choices alone: the median stays within a small factor of the easiest environments.
    """
    runs = examined("random", name, budget, 60)
    assert p_value(upsilons(runs)) > 1e-3
    assert upsilons(runs).std() > 0
    easiest = {"cups": 3, "automata": 16, "grid": 2}[name]
    assert np.median([run.level for run in runs]) < 3 * easiest


@pytest.mark.parametrize("name", CLASSES)
def test_a_competent_agent_rises_with_the_budget(name):
    """ξ and R of the later environments are above those of the earlier (each wrong with probability 1e-3)."""
    competent = {"cups": "black cup", "automata": "q", "grid": "oracle"}[name]
    runs = examined(competent, name, 500)
    levels = np.array([[run.rows[2].next_level, run.rows[-1].next_level] for run in runs])
    assert above(levels[:, 1], levels[:, 0]) < 1e-3
    assert above(upsilons(runs)) < 1e-3
    if name == "grid":
        early, late = (
            [np.mean([row.reward for row in run.rows[part]]) for run in runs] for part in (slice(3), slice(-3, None))
        )
        assert above(late, early) < 1e-3


@pytest.mark.parametrize("name", CLASSES)
def test_the_oracle_is_highest_and_failing_on_purpose_does_not_pay(name):
    """Above every other agent of its class, and every cheat below it (each wrong with probability 1e-3)."""
    own = {"cups": ["black cup"], "automata": [], "grid": ["follow good"]}[name]
    others = ["random", "q", "failing", "guessing", *own]
    best = examined("oracle", name, 200)
    for other in others:
        assert above(upsilons(best), upsilons(examined(other, name, 200))) < 1e-3, other
    assert np.mean([run.level for run in examined("failing", name, 200)]) < np.mean([run.level for run in best])


def timed(agent, seconds, budget, cls, repetition):
    clock = ManualClock()
    slow = SlowAgent(agent, seconds, clock)
    return administer_seconds(slow, cls, budget, root=7, repetition=repetition, clock=clock)


@pytest.mark.parametrize("name", CLASSES)
def test_a_slow_agent_has_zero_under_a_small_time_budget(name):
    """An oracle that takes a second per action gets exactly 0 in a millisecond; with time it is good."""
    cls = CLASSES[name]
    runs = [timed(cls.oracle(), 1.0, 1e-3, cls, r) for r in range(3)]
    assert all(run.upsilon == 0.0 for run in runs)
    assert all(row.interactions == 0 for run in runs for row in run.rows)
    later = [timed(cls.oracle(), 1.0, 1000.0, cls, r) for r in range(12)]
    last = [np.mean([row.reward for row in run.rows if row.interactions > 10]) for run in later]
    assert above(last) < 1e-3


def test_a_random_agent_has_zero_in_physical_time():
    """Wrong with probability 1e-3."""
    values = [timed(RandomAgent(), 1e-6, 2e-4, CLASSES["grid"], r).upsilon for r in range(60)]
    assert p_value(values) > 1e-3


def test_following_good_tends_to_what_goods_cell_pays():
    """Once it knows the path, the policy is on Good's cell: the reward is 1 − 1/(d_Evil + 1)."""
    for seed, paths in enumerate([("R", "L"), ("RDLU", "S"), ("UULRDD", "DR"), ("S", "U")]):
        grid = Grid(*paths, (4, 4), (7, 1))
        agent = FollowGood()
        rng = np.random.default_rng(seed)
        first = grid.reset(rng)
        agent.begin(5, rng)
        agent.observe(first, 0.0)
        on, gained = [], []
        for _ in range(2000):
            reward, observation = grid.step(agent.act())
            agent.observe(observation, reward)
            on.append(ways(grid.agent, grid.good) == (0, 0))
            gained.append(reward)
        assert np.mean(on[-700:]) > 0.8
        assert np.mean(gained[-700:]) > 0.5
