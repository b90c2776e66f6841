"""Learners made elsewhere: agents on labelled domains, and pools; what goes wrong with one stops nobody else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from aiq import seeding, storage
from aiq.config.training import Training, load_factory
from aiq.errors import AiqError
from aiq.plans.run import SuiteRun as Run
from aiq.policies import learners
from aiq.records.domains import OutsidePlay
from aiq.records.trial import Policy, Trial
from aiq.run.job import LOGGER
from aiq.run.units import FORGETFUL, Keeper, take_over
from aiq.storage import shards
from aiq.storage.records import pack
from aiq.training.data import LabelledData
from aiq.training.learners import Lesson, compressed, learn


def outside_units(
    run: Run, domain: str, name: str, target: str | Path, play: Callable[[int], OutsidePlay], keeper: Keeper = FORGETFUL
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
    c, settings = run.configuration, _labelled_training(run.configuration.agent_training)
    agent = next(agent for agent in c.agents.outside if agent.name == name)
    data = _data(run, domain, source)

    def play(repetition: int) -> OutsidePlay:
        options = {"device": c.device, "threads": c.threads}
        options["seed"] = seeding.integer(c.seed, "outside", domain, name, repetition)
        lesson = learn(name, load_factory(agent.factory), agent.arguments, data, settings, **options)
        return OutsidePlay(lesson.performance, np.zeros(0), lesson.seconds, lesson.status, lesson.reason)

    outside_units(run, domain, name, target, play, keeper)


class LearnerPool:
    """The pool of learners of a suite on one domain."""

    def __init__(self, run: Run, domain: str, source: str | Path) -> None:
        self._run, self._domain, self._data = run, domain, _data(run, domain, source)
        self._settings = _labelled_training(run.configuration.training)

    def chunk(self, number: int) -> list[Trial]:
        """Return the trials of one chunk; a learner that fails is a trial too."""
        c = self._run.configuration
        return [self._trial(*pair) for pair in learners.chunk(c.pool, c.seed, self._domain, number)]

    def _trial(self, policy: Policy, member: learners.Member) -> Trial:
        c = self._run.configuration
        options = {"seed": policy.seed, "device": c.device, "threads": c.threads}
        lesson = learn(member.name, member.factory, member.arguments, self._data, self._settings, **options)
        size, reason = 1, lesson.reason
        if not reason:
            try:
                size = learners.size_of(member, lesson.learner)
            except AiqError as error:
                reason = f"learner {member.name} on {self._domain}: {error}"
        if reason:
            LOGGER.warning("%s", reason)
        return _trial(policy, lesson, size, reason)


def _trial(policy: Policy, lesson: Lesson, size: int, reason: str) -> Trial:
    """Return the record of a learner; without a size it counts as failed."""
    failed = bool(reason)
    return Trial(
        policy=policy,
        performance=float("nan") if failed else lesson.performance,
        parameters=size,
        compressed=0 if failed else compressed(lesson.learner),
        epochs=len(lesson.losses),
        seconds=lesson.seconds,
        status="failed" if failed and lesson.status != "diverged" else lesson.status,
        losses=lesson.losses,
        validation=lesson.validation,
        reason=reason,
    )


def _data(run: Run, domain: str, source: str | Path) -> LabelledData:
    return LabelledData.of(storage.read_domain(source, run.plan.domain(domain)), outputs=run.configuration.pool.outputs)


def _labelled_training(settings: object) -> Training:
    if not isinstance(settings, Training):
        raise TypeError("learners are trained on labelled domains only")
    return settings
