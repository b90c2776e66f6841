"""Programs, cups, automata, grids and Lambda* as control domains: equal to their measures, exact optima, Gymnasium."""

import itertools

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from aiq import domains, seeding
from aiq.config import validate
from aiq.environments import KernelDomain
from aiq.errors import DomainError, InputError
from aiq.wings.algorithmic import environment as bf
from aiq.wings.anytime.environments import drawn
from aiq.wings.anytime.equations.automata import AutomatonClass
from aiq.wings.anytime.equations.classes import GridClass, cups_of
from aiq.wings.collectives.environment import TorusLanes
from aiq.wings.collectives.equations import Settings
from aiq.wings.collectives.equations.simulation import trace_episode
from aiq.wings.collectives.equations.world import grid as torus
from aiq.wings.similarity2020.gym_suite import SUITE
from benchmarks import plain_algorithmic as reference
from tests.simulation.like_gymnasium import check_like_gymnasium

IDS = {
    "aiq/BF-v0": "bf",
    "aiq/AnytimeCups-v0": "anytime_cups",
    "aiq/AnytimeAutomaton-v0": "anytime_automaton",
    "aiq/AnytimeGrid-v0": "anytime_grid",
    "aiq/LambdaStar-v0": "lambda_star",
}
RETIRED = ("aiq/Roulette-v0", "aiq/NChain-v0")
SMALL = {
    "bf": [{"environments": 30, "steps": 25}, {"program": ",.[%]#", "steps": 9}, {"stratum": 11, "largest": 1.0}],
    "anytime_cups": [{"cups": 3}, {"cups": 6, "environment": "011010"}],
    "anytime_automaton": [{"environments": 5}, {"environment": "0,1,1:0:0 0,0,1:4:1"}],
    "anytime_grid": [{"environments": 5}, {"environment": "RRD/S@0044", "steps": 30}],
    "lambda_star": [{"rows": 3, "columns": 4}, {"root": 3, "steps": 20}],
}
CASES = [(name, source, given) for name, source in IDS.items() for given in SMALL[source]]


def settings_of(source, **given):
    return validate(domains.CONTROL_FAMILIES[source].settings, {"source": source, **given})


def domain(source, **given):
    return domains.control_domain("d", settings_of(source, **given))


def played(found, seeds, actions):
    """Rewards (lanes, steps) and observations (lanes, steps + 1, F) of an episode with the actions (lanes, steps)."""
    worlds, every = found.worlds(seeds), torch.ones(len(seeds), dtype=torch.bool)
    seen, paid = [worlds.reset(every)], []
    for column in np.asarray(actions).T:
        outcome = worlds.step(torch.from_numpy(column.copy()), every)
        seen.append(outcome.observation)
        paid.append(outcome.reward)
    return torch.stack(paid, 1).numpy(), torch.stack(seen, 1).numpy()


def drawn_actions(count, lanes, steps, seed=0):
    return np.random.default_rng(seed).integers(count, size=(lanes, steps))


# ---- Gymnasium


@pytest.mark.parametrize(
    ("name", "given"),
    [*((name, {"observation": "native"}) for name in IDS), ("aiq/BF-v0", {"observation": "one-hot"}),
     *((name, {}) for name in RETIRED)],
)  # fmt: skip
@pytest.mark.filterwarnings("error")
def test_gymnasiums_own_check_passes(name, given):
    check_env(gymnasium.make(name, **given).unwrapped, skip_render_check=True)


@pytest.mark.parametrize(("name", "source", "given"), CASES, ids=str)
def test_the_environment_and_the_control_domain_give_the_same_episodes(name, source, given):
    environments = [gymnasium.make(name, observation="one-hot", **given).unwrapped for _ in range(3)]
    check_like_gymnasium(domain(source, **given), environments, [4, 5, 6], 60)


@pytest.mark.parametrize("name", [*IDS, *RETIRED])
def test_refusals_are_one_sentence(name):
    environment = gymnasium.make(name).unwrapped
    with pytest.raises(ResetNeeded, match="call reset"):
        environment.step(0)
    environment.reset(seed=1)
    for action in (-1, environment.action_space.n, 0.5, None):
        with pytest.raises(InputError, match="has the discrete actions 0 to"):
            environment.step(action)
    if name == "aiq/Roulette-v0":
        assert environment.step(37)[1:4] == (0.0, True, False)
        with pytest.raises(ResetNeeded):
            environment.step(0)
    if name in RETIRED:
        return
    with pytest.raises(InputError, match="unknown key 'rot' \\(did you mean 'root'"):
        gymnasium.make("aiq/BF-v0", rot=1)
    with pytest.raises(InputError, match="render_mode is 'human'"):
        type(environment)(render_mode="human")


@pytest.mark.parametrize(
    ("source", "given", "words"),
    [
        ("bf", {"program": ",.", "steps": 5}, "write BF instructions"),
        ("bf", {"program": ",.]#"}, "closes a loop"),
        ("bf", {"environments": 10, "stratum": 10}, "none of 10 programs of root 0 is of stratum 10"),
        ("anytime_cups", {"environment": "01"}, "write one 0 or 1 for each of 5 cups"),
        ("anytime_automaton", {"environment": "0,1:2"}, "write a state as its three next states"),
        ("anytime_automaton", {"environment": "0,0,0:0:0 1,1,1:4:1"}, "not strongly connected"),
        ("anytime_automaton", {"complexity": [15, 16], "environments": 5000}, "ask for fewer or widen"),
        ("anytime_grid", {"environment": "X/S@0044"}, "write the paths of Good and Evil"),
        ("anytime_grid", {"complexity": [9, 4]}, "write the smallest and the largest H"),
        ("lambda_star", {"scale": [1, 0]}, "the smaller first"),
    ],
)
def test_settings_that_cannot_be_played_are_refused(source, given, words):
    with pytest.raises((InputError, DomainError), match=words):
        domain(source, **given)


# ---- equality with the measures


def test_programs_pay_what_the_plain_machine_pays():
    found = domain("bf", environments=60, steps=40)
    codes = bf.codes(found.settings)
    actions = drawn_actions(5, 20, 40)
    paid, seen = played(found, list(range(20)), actions)
    for lane in range(20):
        rng = np.random.default_rng(lane)
        code, factor = codes[rng.integers(60)], 1 - 2 * rng.integers(2)
        stream = reference.Stream(int(rng.integers(2**63)), 0, 0, 0)
        machine = reference.Machine(code, 5, 1, False, stream)
        for step in range(40):
            assert machine.cycle(int(actions[lane, step]))
            assert paid[lane, step] == factor * machine.reward
            assert seen[lane, step + 1].argmax() == machine.observation[0]


def test_a_program_that_fails_ends_the_episode():
    found = domain("bf", program=".+[]#", antithetic=False)
    worlds, every = found.worlds([1, 2]), torch.ones(2, dtype=torch.bool)
    worlds.reset(every)
    outcome = worlds.step(torch.tensor([0, 3]), every)
    assert outcome.terminated.all()
    assert not outcome.reward.any()


@pytest.mark.parametrize(
    ("source", "given", "drawn_ones"),
    [
        ("anytime_cups", {"cups": 5, "environment": "01101"}, lambda: [cups_of("01101")]),
        ("anytime_automaton", {"environments": 20}, lambda: drawn(AutomatonClass(), 0, 20, (15.0, 80.0))),
        ("anytime_grid", {"environments": 20}, lambda: drawn(GridClass(), 0, 20, (2, 20))),
    ],
)
def test_lanes_are_the_environments_of_the_test_whatever_plays_beside_them(source, given, drawn_ones):
    made, ones = domain(source, **given), drawn_ones()
    what = {"bounds": made.bounds, "horizon": made.horizon, "sheet": made.sheet}
    found = KernelDomain("d", settings_of(source, **given), made.kernel, "native", **what)
    actions = drawn_actions(found.actions, 40, 60)
    paid, seen = played(found, list(range(40)), actions)
    for lane in range(40):
        rng = np.random.default_rng(lane)
        environment = ones[rng.integers(len(ones))] if len(ones) > 1 else ones[0]
        assert np.array_equal(seen[lane, 0], environment.reset(rng))
        for step, action in enumerate(actions[lane].tolist()):
            reward, observed = environment.step(action)
            assert paid[lane, step] == np.float32(reward)
            assert np.array_equal(seen[lane, step + 1], observed)


@pytest.mark.parametrize(
    "settings",
    [Settings(5, 7, agents=1), Settings(3, 3, 30, 1), Settings(6, 6, 20, 1, pattern="walk", start="near_good")],
    ids=str,
)
def test_lambda_star_pays_what_its_own_episodes_pay(settings):
    words = (settings.rows, settings.columns, settings.steps, settings.agents, settings.pattern, settings.start)
    seed = np.uint64(seeding.integer(9, "collectives", "episodes", *words))
    lanes = TorusLanes(settings, 9, [np.random.default_rng(0)])
    neighbours, one = torus(settings.rows, settings.columns).neighbours, np.zeros(1, np.int64)
    for episode in range(15):
        trace = trace_episode("local_search", settings, 9, episode)
        lanes.begin_episode(0, seed, episode)
        assert lanes.complexity[0] == trace.complexity
        assert lanes.cell[0] == trace.agents[0, 0]
        for step in range(settings.steps):
            move = np.flatnonzero(neighbours[trace.agents[step, 0]] == trace.agents[step + 1, 0])[:1]
            around = lanes._rewards(one, neighbours[lanes.cell])[0]
            assert np.array_equal(lanes.observe(one)[0], 2 * around + 2)
            paid, _ = lanes.step(one, move)
            assert paid[0] == trace.rewards[step, 0]
        assert np.array_equal(lanes.good[0], trace.good)
        assert np.array_equal(lanes.evil[0], trace.evil)


@pytest.mark.parametrize("name", [name for name, test in SUITE.items() if test.tabled])
def test_tables_of_the_gym_suite_step_as_gymnasium_does(name):
    test, states = SUITE[name], domain("gym2020", name=name).observations
    environments = [gymnasium.make(test.id, max_episode_steps=test.horizon, **test.options) for _ in range(4)]
    check_like_gymnasium(domain("gym2020", name=name), environments, [3, 4, 5, 6], 60, np.eye(states).__getitem__)


# ---- optimum and random agent, exactly, in small instances


def every_sequence(found, steps, seeds):
    """Returns (seeds, sequences) of all sequences of actions."""
    sequences = np.array(list(itertools.product(range(found.actions), repeat=steps)))
    totals = [played(found, [seed] * len(sequences), sequences)[0].astype(np.float64).sum(1) for seed in seeds]
    return np.array(totals)


def test_copying_the_action_has_the_optimum_1_and_random_one_half():
    found = domain("bf", program=",.#", antithetic=False, steps=3)
    totals = every_sequence(found, 3, [1])[0]
    assert found.bounds == (-300, 300)
    assert found.performance(totals.max()) == 1
    assert found.performance(totals.mean()) == 0.5
    both = domain("bf", program=",.#", steps=3)
    factors = every_sequence(both, 3, range(8))
    assert {tuple(row) for row in factors} == {tuple(totals), tuple(-totals)}


def best_of_table(table, horizon):
    """Largest returns (states,) of a finite environment, by dynamic programming."""
    value = np.zeros(table.rewards.size)
    for _ in range(horizon):
        value = (table.rewards + value)[table.following].max(axis=1)
    return value


def test_cups_have_their_exact_optimum_and_a_random_agent_one_half():
    found = domain("anytime_cups", cups=3, environment="011", steps=4)
    totals = every_sequence(found, 4, range(8))
    starts = {tuple(row) for row in totals}
    assert len(starts) == 2, "a colouring and its opposite"
    table = cups_of("011").table()
    best = best_of_table(table, 4)[np.flatnonzero(table.start)]
    assert sorted(max(row) for row in starts) == sorted(best)
    assert found.performance(np.mean([np.mean(row) for row in starts])) == 0.5


def test_lambda_star_has_its_exact_optimum_and_a_random_agent_one_half():
    found = domain("lambda_star", rows=3, columns=3, steps=2)
    sequences = np.array(list(itertools.product(range(9), repeat=2)))
    neighbours = torus(3, 3).neighbours
    worlds = found.worlds([5] * 9 * len(sequences))
    every = torch.ones(worlds.lanes, dtype=torch.bool)
    worlds.reset(every)
    lanes = worlds._kernel
    lanes.cell[:] = np.repeat(np.arange(9), len(sequences))
    totals = sum(worlds.step(torch.from_numpy(np.tile(column, 9)), every).reward for column in sequences.T.copy())
    assert found.performance(float(totals.mean())) == 0.5
    value = np.zeros(9)
    for time in (2, 1):
        paid = np.zeros(9)
        for thing, sign in ((lanes.good[0, time], 1.0), (lanes.evil[0, time], -1.0)):
            paid[neighbours[thing]] += sign / 2
            paid[thing] += sign / 2
        value = (paid + value)[neighbours].max(axis=1)
    assert totals.reshape(9, -1).max(1).values.tolist() == value.tolist()


# ---- in a suite
