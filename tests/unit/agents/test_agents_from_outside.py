"""Agents that others wrote: found, adapted, scored as the kernels score, and refused in one sentence."""

import re
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from aiq.agents.players import Act, Predicting, adapted, outside
from aiq.agents.protocol import CannotPlay, Task, play
from aiq.agents.table import Catalogue, Plan, Sizes, cell, played_on
from aiq.environments import Kernel, Seen
from aiq.errors import InputError
from aiq.wings.algorithmic.environment import sample
from aiq.wings.algorithmic.equations.agents import Outside
from aiq.wings.algorithmic.equations.estimation import quotient
from aiq.wings.algorithmic.equations.runs import run_adaptive
from aiq.wings.algorithmic.equations.trials import Episode, Experiment
from aiq.wings.algorithmic.players import FromActor
from aiq.wings.similarity2020.environments import GAMES, Games
from aiq.wings.similarity2020.gym_suite import SUITE

ROOT = Path(__file__).resolve().parents[3]
TRIALS = {"programs": 120, "length": 40, "runs": 120, "episodes": 50, "training": 120}
SMALL = Sizes(**TRIALS, budget=60, tests=6, practice=4, scored=3, repetitions=3)
TASK = Task("t", 3, 2, (0.0, 1.0, 2.0), (-1.0, 1.0), 10, seed=8)


def drawing(task):
    """A factory as of ``agents.outside``: random actions."""
    rng = np.random.default_rng(task.seed)
    return lambda observation: int(rng.integers(task.actions))


class Greedy:
    """An agent of the algorithmic test."""

    def __init__(self, actions, observations, seed):
        self.totals, self.last = [0.0] * actions, None

    def act(self, observation, reward):
        if self.last is not None:
            self.totals[self.last] += reward
        self.last = self.totals.index(max(self.totals))
        return self.last


class Mine:
    """An agent with the protocol."""

    name, learning = "mine", True

    def begin(self, task):
        self.task = task

    def start(self, observation):
        self.seen = observation

    def act(self):
        return int(self.seen.sum()) % self.task.actions

    def observe(self, reward, observation, ended):
        self.seen = observation


def beyond(task):
    return lambda observation: task.actions


def broken(task):
    return lambda observation: 1 // 0


def text(task):
    return "left"


def picky(task):
    raise InputError("I only play chess")


def faulty(task):
    raise KeyError("x")


@pytest.mark.parametrize("measure", ["algorithmic", "anytime-cups", "anytime-automata", "anytime-grid", "collectives"])
def test_a_random_agent_from_outside_has_the_score_of_random(measure):
    catalogue = Catalogue(SMALL, root=4)
    mine = cell(catalogue.agent(f"{__name__}:drawing"), catalogue.measures()[measure], 4).estimate
    own = cell(catalogue.agent("random"), catalogue.measures()[measure], 4).estimate
    assert mine.interval[0] <= 0 <= mine.interval[1]
    assert mine.interval[0] <= own.interval[1]
    assert own.interval[0] <= mine.interval[1]
    assert mine.value != own.value


def test_an_actor_has_the_score_that_its_own_test_gives():
    catalogue = Catalogue(SMALL, root=4)
    found = cell(catalogue.agent(f"actor:{__name__}:Greedy"), catalogue.measures()["algorithmic"], 4).estimate
    population = sample(SMALL.programs, 4)
    own = run_adaptive(Experiment(Outside(f"{__name__}:Greedy"), Episode(SMALL.length), 4), population, SMALL.runs)
    assert found.value == pytest.approx(quotient(own, population).estimate.value, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("beyond", "agent .*:beyond: action is 5; algorithmic has the discrete actions 0 to 4"),
        ("broken", "agent .*:broken raised ZeroDivisionError: .*; correct the agent"),
        ("text", "is str, which does not act; give a factory"),
        ("faulty", "raised KeyError: 'x' on algorithmic"),
    ],
)
def test_an_agent_that_does_not_act_is_refused_in_one_sentence(name, words):
    catalogue = Catalogue(SMALL)
    with pytest.raises(InputError, match=words) as refusal:
        cell(catalogue.agent(f"{__name__}:{name}"), catalogue.measures()["algorithmic"], 0)
    assert not isinstance(refusal.value, CannotPlay)
    assert "\n" not in str(refusal.value)


def test_an_agent_that_refuses_a_task_has_a_reason_and_no_score():
    catalogue = Catalogue(SMALL)
    found = cell(catalogue.agent(f"{__name__}:picky"), catalogue.measures()["collectives"], 0)
    assert (found.estimate, found.why) == (None, "I only play chess")


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("rando", "did you mean 'random'"),
        ("nowhere_at_all:f", "cannot be imported"),
        (f"{__name__}:nothing", "is not a callable"),
        ("sb3:PPO:gone.zip", "there is no file"),
        ("sb3:PPP:gone.zip", "names no policy"),
    ],
)
def test_unknown_agents_are_refused(word, words):
    if word.startswith("sb3"):
        pytest.importorskip("stable_baselines3")
    with pytest.raises(InputError, match=words):
        Catalogue(SMALL).agent(word)


def test_classes_with_the_protocol_are_agents_as_they_are():
    agent = outside(f"{__name__}:Mine")()
    assert isinstance(agent, Mine)
    assert adapted(agent, "x") is agent
    inner = Act(lambda task: Mine(), "made")
    inner.begin(TASK)
    inner.start(np.array([1, 1]))
    assert inner.act() == 2
    inner.observe(0.0, np.array([0, 1]), False)
    assert inner.act() == 1


def test_vectors_are_those_of_the_control_domains():
    kernel = Kernel(lambda _: None, 2, TASK.values, ("a", "b", "c"), (-1, 1), "", "", ())
    seen = np.random.default_rng(0).integers(3, size=(7, 2))
    assert np.array_equal(TASK.vector(seen), Seen(kernel, "one-hot")(seen))
    assert np.array_equal(TASK.native(seen), Seen(kernel, "native")(seen))


class Model:
    """What looks like a policy of Stable-Baselines3."""

    def __init__(self, observation_space, action_space):
        self.observation_space, self.action_space, self.got = observation_space, action_space, None

    def predict(self, observation, deterministic=True):
        self.got = observation
        return np.zeros(len(observation), np.int64), None


def test_policies_see_what_they_were_made_for():
    seen = np.array([[2, 1], [0, 0]])
    for space, shown in (
        (spaces.Discrete(9), [7, 0]),
        (spaces.Box(0, 2, (2,)), [[2, 1], [0, 0]]),
        (spaces.Box(0, 1, (6,)), [[0, 0, 1, 0, 1, 0], [1, 0, 0, 1, 0, 0]]),
    ):
        model = Model(space, spaces.Discrete(3))
        policy = Predicting(model, "p")
        policy.begin(TASK)
        assert policy.choose(seen).tolist() == [0, 0]
        assert np.array_equal(model.got, shown)
    for space, actions in ((spaces.Box(0, 1, (4,)), 3), (spaces.Discrete(8), 3), (spaces.Discrete(9), 2)):
        with pytest.raises(CannotPlay, match="the task"):
            Predicting(Model(space, spaces.Discrete(actions)), "p").begin(TASK)


def test_a_policy_of_stable_baselines3_is_loaded_and_scored(tmp_path):
    sb3 = pytest.importorskip("stable_baselines3")
    saved = tmp_path / "policy.zip"
    sb3.DQN("MlpPolicy", gymnasium.make("aiq/LambdaStar-v0", observation="one-hot"), device="cpu").save(saved)
    catalogue = Catalogue(SMALL)
    entry, measures = catalogue.agent(f"sb3:DQN:{saved}"), catalogue.measures()
    assert cell(entry, measures["collectives"], 0).estimate.interval is not None
    assert "it acts in Discrete(9)" in cell(entry, measures["algorithmic"], 0).why
    with pytest.raises(InputError, match="is no saved PPO"):
        catalogue.agent(f"sb3:PPO:{saved}")


def test_an_actor_takes_one_symbol():
    agent = FromActor(Greedy, "greedy")
    with pytest.raises(CannotPlay, match="take one symbol"):
        agent.begin(TASK)


class Counting:
    """Lanes of episodes of different lengths: lane k ends after k + 1 steps, paying 1 each."""

    numbers = 1

    def __init__(self, lanes):
        self.ticks, self.begun = np.zeros(lanes, np.int64), np.zeros(lanes, np.int64)

    def begin(self, chosen):
        self.ticks[chosen] = 0
        self.begun[chosen] += 1

    def step(self, chosen, actions):
        self.ticks[chosen] += 1
        return np.ones(len(chosen)), self.ticks[chosen] > chosen

    def observe(self, chosen):
        return self.ticks[chosen][:, None]


def test_lanes_play_their_episodes_whatever_their_lengths():
    task = Task("count", 2, 1, tuple(map(float, range(9))), (0.0, 1.0), 3)

    class Noting(Mine):
        def begin(self, task):
            super().begin(task)
            self.noted = []

        def start(self, observation):
            super().start(observation)
            self.noted.append(self.learning)

    agents = [Noting() for _ in range(5)]
    for agent in agents:
        agent.begin(task)
    found = play(agents, lanes := Counting(5), task, practice=2, scored=3)
    assert found.steps.tolist() == [[min(k + 1, 3)] * 3 for k in range(5)]
    assert np.array_equal(found.returns, found.steps)
    assert found.ended.all(axis=1).tolist() == [True, True, True, False, False]
    assert lanes.begun.tolist() == [5] * 5
    assert agents[2].noted == [True, True, False, False, False]


def test_the_planners_performance_on_games_is_the_optimum_and_no_learner_is_far_above_it():
    catalogue = Catalogue(SMALL)
    measure = Games(Plan(2, 2, 2), ("FrozenLake", "Roulette"))
    best = measure.score(catalogue.agent("planner"), 0)
    assert dict(best.performances)["FrozenLake"][0] == pytest.approx(0.744, abs=0.01)  # 100 steps on slippery ice
    assert dict(best.performances)["Roulette"] == (1.0,)
    assert set(GAMES) <= {name for name, test in SUITE.items() if test.tabled}


def test_repetitions_are_seeded_and_agents_meet_the_same_world():
    entry, tests = Catalogue(SMALL).agent("random"), {"cups": {"source": "anytime_cups", "cups": 4, "steps": 10}}
    (one,), (two,), (other,) = (played_on(entry, tests, Plan(1, 2, 3), root, {}) for root in (7, 7, 8))
    assert np.array_equal(one, two)
    assert not np.array_equal(one, other)
    assert len(set(one)) > 1


@pytest.mark.parametrize(("file", "word"), [("my_balancers", "balancer"), ("my_learner", "Averages")])
def test_the_agents_of_the_page_are_scored(file, word, tmp_path, monkeypatch):
    page = (ROOT / "docs" / "how-to" / "own-agent.md").read_text(encoding="utf-8")
    code = re.search(rf"```python\n# {file}\.py\n(.*?)```", page, re.DOTALL)[1]
    (tmp_path / f"{file}_of_the_page.py").write_text(code, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    catalogue = Catalogue(SMALL)
    found = cell(catalogue.agent(f"{file}_of_the_page:{word}"), catalogue.measures()["algorithmic"], 0).estimate
    assert (found.interval[0] > 0) == (word == "Averages")
