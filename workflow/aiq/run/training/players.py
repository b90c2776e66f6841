"""The baseline of control domains (3.4.3) trains and plays; agents from outside play, or learn labelled domains.

What goes wrong with an agent from outside is counted and stops nobody else.
"""

from __future__ import annotations

import operator
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from aiq import seeding, storage
from aiq.config.agents import OutsidePlayer, load_factory
from aiq.domains.control import ControlDomain
from aiq.errors import AiqError, DomainError, InputError, TrainingError, reason
from aiq.measures import entropy
from aiq.plans.run import SuiteRun as Run
from aiq.policies import networks
from aiq.records.domains import BaselinePlay, OutsidePlay
from aiq.records.estimate import Floats
from aiq.records.trial import LOST, Policy
from aiq.run.job import FORGETFUL, LOGGER, Keeper, take_over
from aiq.run.reducing.baselines import Weights, read_baseline
from aiq.run.training.domains import episode_seeds, prepared
from aiq.run.training.trainers import labelled_training, training_seed
from aiq.storage import shards
from aiq.storage.records import pack
from aiq.storage.shards import pack_trials
from aiq.training import reinforcement
from aiq.training.data import LabelledData
from aiq.training.learners import learn
from aiq.training.playing import evaluate, greedy, play


def train_baseline(run: Run, domain: str, source: str | Path, target: str | Path, keeper: Keeper = FORGETFUL) -> None:
    """Train all repetitions of the baseline on one domain and keep their weights."""
    c = run.configuration
    settings = run.plan.the_baseline
    world = prepared(run, domain, source)
    architecture = networks.from_network(settings.network)
    keys = {f"{r:06d}": r for r in range(settings.repetitions)}
    wanted = dict.fromkeys(keys, run.plan.baseline(domain))

    def train(unit: str) -> shards.Unit:
        key = ("baseline", domain, keys[unit])
        policy = Policy(architecture, seeding.integer(c.seed, *key, "weights"))
        options = {"seeds": [training_seed(policy)], "device": c.device, "threads": c.threads}
        options["memory"] = keeper.memory(unit, wanted[unit])
        (agent,) = reinforcement.train_agents(world, [policy], settings.training, **options)
        trial, weights = agent.trial, () if agent.trial.status in LOST else agent.weights
        LOGGER.info(
            "%s: training %s of the baseline %s, performance %.3f", domain, unit, trial.status, trial.performance
        )
        kept = {f"{k:03d}": tensor.cpu().float().numpy() for k, tensor in enumerate(weights)}
        return shards.Unit(wanted[unit], {**pack_trials([trial]), "weights": kept})

    keeper.reads({domain: source})
    units = take_over(target, "baseline", wanted, train, keeper)
    shards.write(target, "baseline", run.plan.of_baseline(domain), c.seed, units)


def play_baseline(
    run: Run, domain: str, source: str | Path, trained: str | Path, target: str | Path, entropies: str | Path
) -> None:
    """Let every repetition of the trained baseline play a domain; the best one's episodes give the entropy.

    Raises:
        TrainingError: every training was lost.
        InputError: the domain has other observations or actions than the one that the baseline was trained on.
    """
    c, settings = run.configuration, run.plan.the_baseline
    home = run.plan.trained_on(domain)
    world = prepared(run, domain, source)
    trainings = read_baseline(run, home, trained)
    finished = [k for k, training in enumerate(trainings) if training.weights]
    if not finished:
        raise TrainingError(
            f"every training of the baseline on {home} diverged or failed; {run.layout.log('baseline', home)} says "
            "why; where they diverged, lower the learning rate"
        )
    best = max(finished, key=lambda k: trainings[k].trial.performance)
    seeds = episode_seeds(c.seed, domain, range(settings.episodes))
    scores, lengths = (np.full((len(trainings), settings.episodes), np.nan) for _ in range(2))
    seen: list[Floats] = []
    for k in finished:
        _check_sizes(world, home, trainings[k].weights)
        act = greedy([torch.from_numpy(tensor) for tensor in trainings[k].weights])
        plays = evaluate(world, act, seeds=seeds, observations=k == best)
        for sentence in plays.failures.values():
            raise DomainError(sentence)
        scores[k] = [world.performance(total) for total in plays.returns[:, 0]]
        lengths[k] = plays.lengths[:, 0]
        if k == best:
            seen = [plays.observations[plays.episode == number] for number in range(settings.episodes)]
    record = BaselinePlay(domain, home, scores, lengths, best, len(trainings) - len(finished))
    storage.write_result(target, "play", record, run.plan.play(domain), c.seed)
    measured = entropy.control_entropy(seen, bins=c.entropy.bins, resamples=c.entropy.resamples, seed=c.seed)
    storage.write_result(entropies, "entropy", measured, run.plan.entropy(domain), c.seed)
    LOGGER.info("%s: baseline %.3f, entropy %.2f bits", domain, record.kept.mean(), measured.mean.value)


def _check_sizes(world: ControlDomain, home: str, weights: Weights) -> None:
    sizes = (weights[0].shape[1], len(weights[-1]))
    if sizes != (world.observations, world.actions):
        raise InputError(
            f"domain {world.name} has {world.observations} observations and {world.actions} actions, {home} has "
            f"{sizes[0]} and {sizes[1]}: the baseline cannot play it, set baseline.trained_on to null"
        )


@dataclass(frozen=True)
class Description:
    """What a factory is told of the domain that its agent will play.

    Attributes:
        name: name in the suite.
        observations: numbers in an observation, a vector of float32.
        actions: number of actions; an action is an integer from 0 to ``actions`` - 1.
        horizon: longest episode in steps.
        bounds: smallest and largest return of an episode: performance 0 and 1.
        seed: root of all randomness of this agent, another one for every episode.
        text: what the domain is, in words.
    """

    name: str
    observations: int
    actions: int
    horizon: int
    bounds: tuple[float, float]
    seed: int
    text: str


class OutsidePolicy:
    """Agents of one factory in one series of episodes (each with a seed), as what chooses in ``training.playing``."""

    def __init__(self, agent: OutsidePlayer, domain: ControlDomain, seeds: list[int]) -> None:
        self._agent, self._domain, self._seeds = agent, domain, seeds
        self._factory = load_factory(agent.factory)
        self._acts: dict[int, Callable[[Any], Any]] = {}

    def __call__(self, observations: npt.NDArray[np.float32], episodes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return an action for each running episode."""
        each = zip(episodes, observations, strict=True)
        return self._checked([self._call(self._act(int(number)), row.copy()) for number, row in each])

    def _act(self, episode: int) -> Callable[[Any], Any]:
        if episode not in self._acts:
            d, seed = self._domain, self._seeds[episode]
            description = Description(d.name, d.observations, d.actions, d.horizon, d.bounds, seed, d.sheet.description)
            try:
                made = self._factory(description, **self._agent.arguments)
            except Exception as error:
                raise InputError(
                    f"agent {self._agent.name}: the factory {self._agent.factory} raised {reason(error)}; "
                    "it is called as factory(domain, **arguments)"
                ) from error
            if not callable(made):
                raise InputError(
                    f"agent {self._agent.name}: the factory {self._agent.factory} returned {made!r}; it must return a "
                    "function of the observation"
                )
            self._acts[episode] = made
        return self._acts[episode]

    def _call(self, act: Callable[[Any], Any], observation: npt.NDArray[np.float32]) -> Any:
        try:
            return act(observation)
        except Exception as error:
            raise InputError(f"agent {self._agent.name} raised {reason(error)} on {self._domain.name}") from error

    def _checked(self, answers: Sequence[Any]) -> npt.NDArray[np.int64]:
        actions = np.empty(len(answers), np.int64)
        for k, answer in enumerate(answers):
            try:
                action = operator.index(answer)
            except TypeError:
                action = -1
            if isinstance(answer, bool) or not 0 <= action < self._domain.actions:
                raise InputError(
                    f"agent {self._agent.name} returned the action {answer!r} on {self._domain.name}; allowed are "
                    f"integers from 0 to {self._domain.actions - 1}"
                )
            actions[k] = action
        return actions


def play_outside(
    run: Run, domain: str, name: str, source: str | Path, target: str | Path, keeper: Keeper = FORGETFUL
) -> None:
    """Let one agent from outside play one domain, every repetition by itself."""
    c = run.configuration
    agent = next(agent for agent in c.agents.outside if agent.name == name)
    world = prepared(run, domain, source)

    def one(repetition: int) -> OutsidePlay:
        """Return one repetition; a failure of the agent or of the environment is a record too."""
        begun = time.perf_counter()
        keys = range(repetition * agent.episodes, (repetition + 1) * agent.episodes)
        own = [seeding.integer(c.seed, "outside", domain, name, k) for k in keys]
        try:
            episodes = play(world, episode_seeds(c.seed, domain, keys), OutsidePolicy(agent, world, own))
        except AiqError as error:
            return OutsidePlay(float("nan"), np.zeros(0), time.perf_counter() - begun, "failed", str(error))
        performance = world.performance(float(episodes.returns.mean()))
        return OutsidePlay(performance, episodes.returns, time.perf_counter() - begun, "finished")

    _outside_units(run, domain, name, target, one, keeper)


def _outside_units(
    run: Run, domain: str, name: str, target: str | Path, play: Callable[[int], OutsidePlay], keeper: Keeper
) -> None:
    """Write what every repetition of an agent from outside gave, and say what went wrong with it."""
    keys = {f"{name}+{r:06d}": r for r in range(run.configuration.agents.repetitions)}
    wanted = dict.fromkeys(keys, run.plan.outside(domain, name))

    def work(unit: str) -> shards.Unit:
        result = play(keys[unit])
        if result.reason:
            LOGGER.warning("%s", result.reason)
        return shards.Unit(wanted[unit], pack(result))

    units = take_over(target, "outside", wanted, work, keeper)
    shards.write(target, "outside", run.plan.of_outside(domain, name), run.configuration.seed, units)


def learn_outside(
    run: Run, domain: str, name: str, source: str | Path, target: str | Path, keeper: Keeper = FORGETFUL
) -> None:
    """Let one agent made elsewhere learn one labelled domain, every repetition by itself."""
    c, settings = run.configuration, labelled_training(run.configuration.agent_training)
    agent = next(agent for agent in c.agents.outside if agent.name == name)
    data = LabelledData.of(storage.read_domain(source, run.plan.domain(domain)))

    def play(repetition: int) -> OutsidePlay:
        options = {"device": c.device, "threads": c.threads}
        options["seed"] = seeding.integer(c.seed, "outside", domain, name, repetition)
        lesson = learn(name, load_factory(agent.factory), agent.arguments, data, settings, **options)
        return OutsidePlay(lesson.performance, np.zeros(0), lesson.seconds, lesson.status, lesson.reason)

    _outside_units(run, domain, name, target, play, keeper)
