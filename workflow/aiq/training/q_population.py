"""Train agents until each has used up its steps, converged, diverged or failed; measure the best of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.config.training import Reinforcement
from aiq.domains.control import ControlDomain, Worlds
from aiq.domains.control.mixed_worlds import MixedDomain
from aiq.records.trial import Architecture
from aiq.training.checkpoints import Curve, Memory, State, going_on
from aiq.training.flat import Weights
from aiq.training.playing import performances, play_worlds
from aiq.training.q_learners import PopulationLearner, world_seed
from aiq.training.q_networks import Greedy, QNets

BLOCK = 256
"""Steps whose random numbers are drawn at a time."""


@dataclass(eq=False)
class Member:
    """An agent to train: ``seed`` names all that is random in its training but the initial weights.

    ``shares``: of the tested domains, in the episodes and in the score that chooses the best checkpoint; they sum to 1.
    ``weights``: initial ones, on the device and in the precision of the computation.
    """

    architecture: Architecture
    weights_seed: int
    seed: int
    shares: tuple[float, ...] = (1.0,)
    weights: Weights = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Trained:
    """What came of an agent: its curve, the weights of the best checkpoint (the last ones where there is none).

    ``performances``: mean on each tested domain, in [0, 1]; NaN where it diverged or failed.
    """

    curve: Curve
    weights: Weights
    performances: tuple[float, ...]


def train(
    members: Sequence[Member],
    domain: ControlDomain,
    tests: Sequence[ControlDomain],
    settings: Reinforcement,
    memory: Memory | None = None,
) -> list[Trained]:
    """Train agents side by side and measure the best checkpoint of each on fresh episodes of the tested domains.

    With a memory the training goes on where an interrupted one was kept, and is offered to be kept every few hundred
    steps, after every evaluation and at its end; worlds that cannot tell their state keep the end alone.

    Returns:
        Outcomes in the order of the members.
    """
    order = sorted(range(len(members)), key=lambda i: -len(members[i].architecture.widths))
    kept = memory or Memory()
    name = kept.population()

    def begun(active: Sequence[int] | None = None) -> _Run:
        return _Run([members[i] for i in order], domain, tests, settings, active)

    def resumed(state: State) -> _Run:
        run = begun([int(i) for i in state["active"]])
        try:
            run.restore(state)
        except BaseException:
            run.close()
            raise
        return run

    run = going_on(kept.take(name), resumed) or begun()
    try:
        while run.active:
            run.period(lambda: kept.keep(name, run.state, False))
        trained = run.finish()
        kept.keep(name, run.state, True)
    finally:
        run.close()
    return [trained[order.index(i)] for i in range(len(members))]


class _Run:
    """A training under way: ``active`` are the members that still train, in the order of the learner's agents."""

    def __init__(
        self,
        members: Sequence[Member],
        domain: ControlDomain,
        tests: Sequence[ControlDomain],
        settings: Reinforcement,
        active: Sequence[int] | None,
    ) -> None:
        self._members, self._tests, self._settings = members, tests, settings
        self._device = members[0].weights[0].device
        self._curves = [Curve(settings.convergence) for _ in members]
        self._open: list[Worlds] = []
        self._playing: list[Worlds] = []
        self._step = self._left = 0
        self._performances: npt.NDArray[np.float64] | None = None
        self.active = list(range(len(members)) if active is None else active)
        on = [members[i] for i in self.active]
        if not on:
            return
        world = domain.at([member.shares[0] for member in on]) if isinstance(domain, MixedDomain) else domain
        self._open.append(world.worlds([world_seed(member.seed) for member in on], device=str(self._device)))
        try:
            agents = ([m.architecture for m in on], [m.weights for m in on], [m.seed for m in on])
            self._learner = PopulationLearner(*agents, domain, settings, self._open[0])
        except BaseException:
            self.close()
            raise

    def period(self, offer: Callable[[], None]) -> None:
        """Train until the next evaluation, evaluate, and go on without the members that end here.

        ``offer`` is called where the training may be kept.
        """
        self._left = self._left or min(self._settings.evaluation.every, self._settings.steps - self._step)
        while self._left:
            began, count = time.perf_counter(), min(BLOCK, self._left)
            self._learner.advance(count)
            self._step += count
            self._left -= count
            self._spend(self.active, time.perf_counter() - began)
            if self._left:
                offer()
        began, took_part = time.perf_counter(), list(self.active)
        each = zip(self.active, self._learner.losses(), self._learner.finite(), strict=True)
        failures = self._open[0].failures
        for place, (i, loss, finite) in enumerate(each):
            self._curves[i].train(loss, finite, failures.get(place))
        self._drop()
        if self.active:
            self._evaluate()
            self._drop()
        self._spend(took_part, time.perf_counter() - began)
        offer()

    def _evaluate(self) -> None:
        episodes = self._settings.evaluation.episodes
        weights = [self._learner.weights(place) for place in range(len(self.active))]
        if not self._playing:
            self._playing = self._make(self.active, episodes, "evaluation")
        scores, failures = self._play(self.active, weights, self._playing, episodes, 1)
        last = self._step >= self._settings.steps
        for place, i in enumerate(self.active):
            if place in failures:
                self._curves[i].fail(failures[place])
            elif self._curves[i].evaluated(float(np.dot(self._members[i].shares, scores[place])), last):
                self._curves[i].weights = weights[place]

    def _make(self, members: Sequence[int], episodes: int, purpose: str) -> list[Worlds]:
        playing = []
        for number, test in enumerate(self._tests):
            seeds = [
                seeding.integer(self._members[i].seed, purpose, number, episode)
                for i in members
                for episode in range(episodes)
            ]
            playing.append(test.measured.worlds(seeds, device=str(self._device)))
            self._open.append(playing[-1])
        return playing

    def _play(
        self, members: Sequence[int], weights: Sequence[Weights], worlds: Sequence[Worlds], lanes: int, total: int
    ) -> tuple[npt.NDArray[np.float64], dict[int, str]]:
        """Return performances (members, tests) of greedy episodes, and places whose world raised.

        Each member plays in ``lanes`` worlds of each test, ``total`` episodes in each world.
        """
        nets = QNets([self._members[i].architecture for i in members], weights)
        act = Greedy(nets, lanes)
        scores: list[npt.NDArray[np.float64]] = []
        failures: dict[int, str] = {}
        for test, played in zip(self._tests, worlds, strict=True):
            plays = play_worlds(played, lambda seen, _: act(seen), total, self._device)
            failures |= {lane // lanes: sentence for lane, sentence in plays.failures.items()}
            scores.append(performances(test, plays.returns.reshape(len(members), -1)))
        return np.stack(scores, 1), failures

    def _drop(self) -> None:
        kept = [place for place, i in enumerate(self.active) if self._curves[i].status is None]
        if len(kept) == len(self.active):
            return
        for place, i in enumerate(self.active):
            if self._curves[i].status is not None:
                self._curves[i].last = self._learner.weights(place)
        self.active = [self.active[place] for place in kept]
        if kept:
            self._learner.keep(kept)
            lanes = self._settings.evaluation.episodes
            for worlds in self._playing:
                worlds.keep([place * lanes + lane for place in kept for lane in range(lanes)])

    def finish(self) -> list[Trained]:
        """Play fresh episodes with the best checkpoint of every member that has a performance, unless it was done."""
        self.close()
        curves = self._curves
        if self._performances is None:
            self._performances = self._final()
        each = zip(curves, self._performances.tolist(), strict=True)
        return [Trained(curve, curve.weights or curve.last, tuple(row)) for curve, row in each]

    def _final(self) -> npt.NDArray[np.float64]:
        """Return performances (members, tests) of the best checkpoints; NaN where there is none."""
        began = time.perf_counter()
        rule, curves = self._settings.evaluation, self._curves
        sound = [i for i, curve in enumerate(curves) if curve.status in ("finished", "converged")]
        scores = np.full((len(curves), len(self._tests)), np.nan)
        if sound:
            lanes = _lanes(rule.final_episodes, rule.episodes)
            worlds = self._make(sound, lanes, "final")
            weights = [curves[i].weights or curves[i].last for i in sound]
            scores[sound], failures = self._play(sound, weights, worlds, lanes, rule.final_episodes // lanes)
            for place, sentence in failures.items():
                curves[sound[place]].fail(sentence)
                scores[sound[place]] = np.nan
        self._spend(sound, time.perf_counter() - began)
        return scores

    def state(self) -> State:
        """Return everything on which the rest depends: all of it between two blocks of steps, or at the end.

        Raises:
            NotKeptError: the worlds cannot tell where they are.
        """
        return {
            "step": self._step,
            "left": self._left,
            "active": np.array(self.active, np.int64),
            "curves": {f"{i:06d}": curve.state() for i, curve in enumerate(self._curves)},
            "learner": self._learner.state() if self.active else {},
            "playing": {str(n): worlds.state() for n, worlds in enumerate(self._playing)} if self.active else {},
            "performances": None if self._performances is None else self._performances.copy(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a state of the same training, of whose active members this one was made."""
        if len(state["curves"]) != len(self._members):
            raise ValueError(f"it has {len(state['curves'])} members, this training {len(self._members)}")
        for i, (curve, member) in enumerate(zip(self._curves, self._members, strict=True)):
            curve.restore(state["curves"][f"{i:06d}"], member.weights)
        self._step, self._left = int(state["step"]), int(state["left"])
        if self.active:
            self._learner.restore(state["learner"])
            if state["playing"]:
                self._playing = self._make(self.active, self._settings.evaluation.episodes, "evaluation")
                for number, worlds in enumerate(self._playing):
                    worlds.restore(state["playing"][str(number)])
        kept = state["performances"]
        self._performances = None if kept is None else np.array(kept, np.float64)

    def _spend(self, members: Sequence[int], seconds: float) -> None:
        """Share time among members: they act in lockstep, so each costs about the same."""
        for i in members:
            self._curves[i].seconds += seconds / len(members)

    def close(self) -> None:
        while self._open:
            self._open.pop().close()


def _lanes(total: int, most: int) -> int:
    """Return the largest number of worlds, at most so many, of which each plays the same share of the episodes."""
    return max(lanes for lanes in range(1, min(total, most) + 1) if total % lanes == 0)
