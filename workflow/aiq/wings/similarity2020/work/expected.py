"""What a run that measures similarities will cost, without any data.

Of tests with data the cost model tells it; played tests read none, so a short part of the work is timed.
"""

from __future__ import annotations

from pathlib import Path

from aiq.config.calibration import BUILT_IN
from aiq.domains.answered.family import Answered
from aiq.plans.cost.asked import START
from aiq.plans.cost.sizes import sizes
from aiq.tasks.shell.costing import JOB_BYTES, Cost, Request, StageCost, outputs, products
from aiq.tasks.suite.costs.expected import PACKED, READING, UNIT_BYTES, read_sheet
from aiq.wings.similarity2020 import cost
from aiq.wings.similarity2020.run import SimilarityRun as Run
from aiq.wings.similarity2020.settings import Similarities
from aiq.wings.similarity2020.work.estimate import estimate

REDUCTIONS = 3  # jobs that reduce, draw and tabulate


def expected(run: Run, sheet: str | Path | None = None) -> Cost:
    """Return the cost of a run; no data are read.

    Args:
        run: the run.
        sheet: a table of sizes for tests whose source does not tell them (see ``tasks.suite.costs.expected``).

    Raises:
        InputError: the sheet cannot be read, or holds what no test has.
    """
    c, plan = run.configuration, run.plan
    if sheet is None and _reads_nothing(c):
        return estimate(run, lambda what: None)
    known = {name: sizes(settings) for name, settings in c.domains.items()}
    if sheet is not None:
        known |= read_sheet(sheet, known)
    start, count = BUILT_IN.start / 2, len(c.domains)
    held = sum(found.megabytes for found in known.values())
    stored = PACKED * 1e6 * held + count * JOB_BYTES
    tests = StageCost("tests", count, 0, count * start + READING * held, 0.0, stored)
    works = [cost.merged(c, job.units, known) for job in plan.jobs]
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
    figures = sum(len(made.figure_names(plan)) for made in plan.products())
    return Cost(
        (tests, merged, products(REDUCTIONS, figures, start, REDUCTIONS * JOB_BYTES)),
        start,
        device=c.device,
        asked=Request.of(plan.requests(known)),
        outputs=outputs(plan),
        threads=c.threads,
        assumed=tuple(name for name, found in known.items() if not found.known),
        modelled=True,
    )


def _reads_nothing(configuration: Similarities) -> bool:
    """Whether the tests are played and none of them asks about a data set."""
    return configuration.control and not any(isinstance(one, Answered) for one in configuration.domains.values())
