"""What the estimate of a suite times: trainings on a share of the data or steps, evaluations in full, and memory.

Memory is the peak of a process that trains once: python -m aiq.run.playing CONFIG.json DOMAIN DOMAIN.h5
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch

from aiq import storage
from aiq.config.training import Learning, Reinforcement
from aiq.domains.base import LabelledDomain
from aiq.domains.control import ControlDomain
from aiq.plans.run import Run, SuiteRun
from aiq.policies import networks
from aiq.run.costing import Report, clock
from aiq.run.training.domains import prepared
from aiq.training.data import LabelledData
from aiq.training.playing import evaluate

REPEATS = 2  # timings of each size, one size after the other
STEPS = 60  # optimiser steps of the larger timing
ACTED = 450  # environment steps of the larger timing
PART = 3  # the smaller timing has so many times fewer
WATCHED = 64  # episodes that are played to time an evaluation


@dataclass(frozen=True)
class Timing:
    """What the timings share: the run, where its domains lie prepared, seconds of a process start, the clock.

    ``episodes`` keeps the seconds of an episode by domain and number of worlds.
    """

    run: SuiteRun
    folder: Path
    start: float
    progress: Report
    episodes: dict[tuple[str, int], float] = field(default_factory=dict)

    @property
    def now(self) -> Callable[[], float]:
        """The clock of the device."""
        return clock(self.run.configuration.device)

    def source(self, domain: str) -> Path:
        """Where a domain lies prepared."""
        return self.folder / f"{domain}.h5"

    def domain(self, name: str) -> LabelledDomain:
        """A prepared labelled domain."""
        return storage.read_domain(self.source(name), self.run.plan.domain(name))


def extrapolated(work: Callable[[float], object], small: float, large: float, now: Callable[[], float]) -> float:
    """Return the seconds that ``work(1.0)`` would take, from two shares of it.

    The line through both shares is evaluated at 1. Each is timed more than once, one after the other, so that a
    machine whose speed changes slows both.
    """
    work(small)  # warm up
    seconds = dict.fromkeys((small, large), 0.0)
    for _ in range(REPEATS):
        for share in seconds:
            begun = now()
            work(share)
            seconds[share] += (now() - begun) / REPEATS
    if large <= small:
        return seconds[large]
    slope = max(0.0, (seconds[large] - seconds[small]) / (large - small))
    return seconds[large] + slope * (1 - large)


def whole(
    timing: Timing,
    work: Callable[[float], object],
    samples: int,
    settings: Learning,
    names: Sequence[str],
    policies: int,
    costs: float = 1.0,
) -> float:
    """Return the seconds of ``work(1.0)``, ``costs`` times, and of all evaluations of its policies on some domains."""
    if isinstance(settings, Reinforcement):
        large = min(1.0, ACTED / settings.steps)
    else:
        large = min(1.0, STEPS / (max(1, samples // settings.batch_size) * settings.epochs))
    trained = extrapolated(work, large / PART, large, timing.now)
    return costs * trained + _evaluated(timing, names, policies, settings)


def shorter(settings: Reinforcement, share: float) -> Reinforcement:
    """Return the settings with a share of the steps, and next to no evaluation."""
    least = max(settings.learning_starts, settings.batch_size) + 1
    steps = least + max(0, round((settings.steps - least) * share))
    evaluation = settings.evaluation.model_copy(update={"every": steps, "episodes": 1, "final_episodes": 1})
    return settings.model_copy(update={"steps": steps, "evaluation": evaluation})


def _evaluated(timing: Timing, names: Sequence[str], policies: int, settings: Learning) -> float:
    """Return the seconds of all evaluations of some policies on control domains; 0 where nothing is played.

    A step is timed in episodes of random actions. Episodes are taken to last as long as they may: those of a policy
    that has learnt do in many domains, and how long the others last is known only afterwards.
    """
    if not isinstance(settings, Reinforcement):
        return 0.0
    looked = settings.evaluation
    episodes = policies * (looked.episodes * (settings.steps // looked.every) + looked.final_episodes)
    seconds = 0.0
    for name in names:
        lanes = min(WATCHED, policies * looked.episodes)
        if (name, lanes) not in timing.episodes:
            timing.episodes[name, lanes] = _episode(timing, prepared(timing.run, name, timing.source(name)), lanes)
        seconds += episodes * timing.episodes[name, lanes]
    return seconds


def _episode(timing: Timing, world: ControlDomain, lanes: int) -> float:
    """Return the seconds of a whole episode in one of some worlds that are played at the same time."""
    random = torch.Generator().manual_seed(0)

    def act(observations: torch.Tensor) -> torch.Tensor:
        return torch.randint(world.actions, (len(observations),), generator=random).to(observations.device)

    times = []
    for _ in range(2):  # the first builds what the second plays in
        begun = timing.now()
        plays = evaluate(world, act, seeds=range(lanes), device=timing.run.configuration.device)
        times.append((timing.now() - begun) / plays.lengths.sum())
    return float(times[-1]) * world.horizon


def cut(data: LabelledData, share: float, batch: int) -> LabelledData:
    """Return a share of the data, at least one batch; labels that no longer occur stay outputs."""
    train, test = (min(len(y), max(batch, round(share * len(y)))) for y in (data.train_y, data.test_y))
    order = torch.randperm(len(data.train_y), generator=torch.Generator().manual_seed(0))[:train]
    return replace(
        data,
        train_x=data.train_x[order],
        train_y=data.train_y[order],
        test_x=data.test_x[:test],
        test_y=data.test_y[:test],
    )


def training_megabytes(run: SuiteRun, domain: str, source: Path) -> float:
    """Return the megabytes of a training process besides its data and networks, as the cost model counts those."""
    settings = source.with_suffix(".probe.json")
    settings.write_text(run.configuration.model_dump_json(), encoding="utf-8")
    command = [sys.executable, "-m", "aiq.run.playing", str(settings), domain, str(source)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    peak = float(done.stdout.split()[-1])
    costs = run.plan.sizing.costs
    return max(100.0, peak - (costs.chunk(domain).megabytes - costs.base))


def main(words: Sequence[str]) -> None:
    """Train and print the peak of this process in megabytes."""
    from aiq.run.training.trainers import on_domain
    from aiq.run.training.trials import LearnerPool

    settings, domain, source = words
    run: SuiteRun = Run.of(json.loads(Path(settings).read_text(encoding="utf-8")))
    c = run.configuration
    short = c.training
    short = shorter(short, 0.0) if isinstance(short, Reinforcement) else short.model_copy(update={"epochs": 1})
    if c.pool.learners is not None:
        LearnerPool(run, domain, source).chunk(0)
    else:
        on_domain(run, domain, source)(networks.chunk(c.pool, c.seed, domain, 0), short, 0)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


if __name__ == "__main__":
    main(sys.argv[1:])
