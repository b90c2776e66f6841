"""How much memory a training takes: one short training in a process of its own, which tells its peak.

python -m aiq.tasks.suite.costs.probe CONFIG.json DOMAIN DOMAIN.h5
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from aiq.config.reinforcement import Reinforcement
from aiq.plans.run import Run, SuiteRun
from aiq.policies import pool


def training_megabytes(run: SuiteRun, domain: str, source: Path) -> float:
    """Return the megabytes of a training process besides its data and networks, as the cost model counts those.

    Args:
        run: the suite.
        domain: the domain on which the first chunk of the pool is trained, for one epoch or few steps.
        source: the prepared domain.

    Raises:
        subprocess.CalledProcessError: the training failed.
    """
    settings = source.with_suffix(".probe.json")
    settings.write_text(run.configuration.model_dump_json(), encoding="utf-8")
    command = [sys.executable, "-m", "aiq.run.costs.probe", str(settings), domain, str(source)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    peak = float(done.stdout.split()[-1])
    costs = run.plan.sizing.costs
    return max(100.0, peak - (costs.chunk(domain).megabytes - costs.base))


def main(words: Sequence[str]) -> None:
    """Train and print the peak of this process in megabytes."""
    from aiq.run.costs.playing import shorter
    from aiq.run.training.learners import LearnerPool
    from aiq.run.training.trainers import on_domain

    settings, domain, source = words
    run: SuiteRun = Run.of(json.loads(Path(settings).read_text(encoding="utf-8")))
    c = run.configuration
    short = c.training
    short = shorter(short, 0.0) if isinstance(short, Reinforcement) else short.model_copy(update={"epochs": 1})
    if c.pool.learners is not None:
        LearnerPool(run, domain, source).chunk(0)
    else:
        on_domain(run, domain, source)(pool.chunk(c.pool, c.seed, domain, 0), short, 0)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


if __name__ == "__main__":
    main(sys.argv[1:])
