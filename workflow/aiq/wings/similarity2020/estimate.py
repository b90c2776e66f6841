"""What a run that measures similarities will cost: one pair, timed; or by the cost model, without any data."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from aiq.config.jobs import BUILT_IN
from aiq.domains.answered.family import Answered
from aiq.plans.cost.sizes import sizes
from aiq.plans.cost.sizing import START
from aiq.run.costing import JOB_BYTES, Cost, Report, Request, StageCost, process_start, shard_bytes, timed
from aiq.run.costs.expected import PACKED, READING, UNIT_BYTES, read_sheet
from aiq.run.estimate import cost_of
from aiq.run.training.domains import prepare_domain
from aiq.storage.records import pack
from aiq.wings.similarity2020 import plan as plans
from aiq.wings.similarity2020.plan import Merged
from aiq.wings.similarity2020.reduction import Run
from aiq.wings.similarity2020.settings import BlockNetwork, DeepQPool, PublishedAgent, Similarities
from aiq.wings.similarity2020.work import trainer

SAMPLES = 256  # of a timed training
STEPS = 400  # environment steps of one
EPOCHS = 5  # of a second timed training


def estimate(run: Run, progress: Report) -> Cost:
    """Time a shortened training of one pair, and take the others by the cost model."""
    c, plan = run.configuration, run.plan
    start = process_start("aiq.wings.similarity2020.work")
    a, b = c.chosen_pairs[0]
    progress(f"timing {a} and {b}")
    units = {name: unit for job in plan.jobs for name, unit in job.units.items()}
    with tempfile.TemporaryDirectory() as folder:
        sources = {name: str(Path(folder) / f"{name}.h5") for name in (a, b)}
        for name, path in sources.items():
            prepare_domain(Run(shortened(c), type(plan)(shortened(c)), plan.layout), name, path)
        record, once = _timed(run, shortened(c), sources)
        longer = shortened(c, EPOCHS) if isinstance(c.agent, BlockNetwork) else None
        more = None if longer is None else _timed(run, longer, sources)[1]
    whole, count = _modelled(c, units), len(units) * c.jobs.repetitions_per_chunk
    training = _whole(once, more, whole, count)
    size = shard_bytes("merged", [pack(record)], len(units), len(plan.jobs))
    jobs = len(plan.jobs)
    merged = StageCost("merged", jobs, count, training + jobs * start, training, size + jobs * JOB_BYTES)
    tests = StageCost("tests", len(c.domains), 0, len(c.domains) * start, 0.0, len(c.domains) * JOB_BYTES)
    return cost_of(run, start, (tests, merged), device=c.device, threads=c.threads)


def _timed(run: Run, short: Similarities, sources: dict[str, str]) -> tuple[Any, tuple[float, float]]:
    """Train the first pair as settings say; return its record and its seconds: those taken and those modelled."""
    quick = Run(short, type(run.plan)(short), run.plan.layout)
    train = trainer(quick, sources)
    what = next(m for m in quick.plan.merged(*run.configuration.chosen_pairs[0]))
    record = train(what, range(1), None)
    return record, (timed(lambda: train(what, range(1), None)), _modelled(short, {"timed": (what, 0)}))


def _whole(once: tuple[float, float], more: tuple[float, float] | None, modelled: float, count: int) -> float:
    """Return the seconds of all trainings from one or two that were timed, each with what the cost model says of it.

    With two of different length what every training takes whatever its length (its measurement) is told apart.
    """
    if more is None or more[0] <= once[0]:
        return once[0] / once[1] * modelled
    each = (more[0] - once[0]) / (more[1] - once[1])
    return each * modelled + max(0.0, once[0] - each * once[1]) * count


def _modelled(configuration: Similarities, units: dict[str, tuple[Merged, int]]) -> float:
    """Return the seconds of some units by the cost model, without the job's start."""
    return max(1e-9, plans.cost_of(configuration, units).seconds - START)


def shortened(c: Similarities, epochs: int = 1) -> Similarities:
    """Return settings under which a training takes seconds."""
    jobs = c.jobs.model_copy(update={"repetitions_per_chunk": 1})
    short = c.model_copy(update={"jobs": jobs, "repetitions": 1, "played": {}})
    if isinstance(c.agent, BlockNetwork):
        fewest = min(sizes(c.domains[name]).train for name in c.chosen_pairs[0])
        samples = min(SAMPLES, c.samples or fewest, fewest)
        return short.model_copy(update={"samples": samples, "agent": c.agent.model_copy(update={"epochs": epochs})})
    if isinstance(c.agent, PublishedAgent):
        return short
    training = c.agent.training
    steps = max(training.learning_starts + 1, min(training.steps, STEPS))
    evaluation = training.evaluation.model_copy(update={"every": steps, "episodes": 1, "final_episodes": 1})
    more: dict[str, object] = {"training": training.model_copy(update={"steps": steps, "evaluation": evaluation})}
    if isinstance(c.agent, DeepQPool):
        more["pool"] = c.agent.pool.model_copy(update={"size": 1})
    return short.model_copy(update={"agent": c.agent.model_copy(update=more)})


def expected(run: Run, sheet: str | Path | None = None) -> Cost:
    """Return the cost of a run; no data are read; ``sheet``: sizes of tests (see ``run.costs.expected``).

    Raises:
        InputError: the sheet cannot be read, or holds what no test has.
    """
    c, plan = run.configuration, run.plan
    asks_no_data = c.control and not any(isinstance(test, Answered) for test in c.domains.values())
    if sheet is None and asks_no_data:
        return estimate(run, lambda what: None)
    test_sizes = {name: sizes(settings) for name, settings in c.domains.items()}
    if sheet is not None:
        test_sizes |= read_sheet(sheet, test_sizes)
    start, count = BUILT_IN.start / 2, len(c.domains)
    held = sum(size.megabytes for size in test_sizes.values())
    stored = PACKED * 1e6 * held + count * JOB_BYTES
    tests = StageCost("tests", count, 0, count * start + READING * held, 0.0, stored)
    works = [plans.cost_of(c, job.units, test_sizes) for job in plan.jobs]
    trained = sum(work.seconds - START for work in works)
    units = sum(len(job.units) for job in plan.jobs)
    merged = StageCost(
        "merged",
        len(works),
        units * c.jobs.repetitions_per_chunk,
        trained + len(works) * start,
        trained,
        units * UNIT_BYTES + len(works) * JOB_BYTES,
    )
    return cost_of(
        run,
        start,
        (tests, merged),
        device=c.device,
        asked=Request.of(plan.requests(test_sizes)),
        threads=c.threads,
        assumed=tuple(name for name, size in test_sizes.items() if not size.certain),
        modelled=True,
    )
