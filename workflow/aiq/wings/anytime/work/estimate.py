"""What a run of anytime tests will cost: one test of every agent in every class, shorter where it is long."""

from __future__ import annotations

from dataclasses import replace

from aiq.plans.cost.asked import START
from aiq.tasks.shell.costing import (
    JOB_BYTES,
    LONGEST,
    SHORTEST,
    Cost,
    Report,
    Request,
    StageCost,
    outputs,
    process_start,
    products,
    shard_bytes,
    timed,
)
from aiq.wings.anytime import cost
from aiq.wings.anytime.run import AnytimeRun as Run
from aiq.wings.anytime.settings import Interactions, Seconds
from aiq.wings.anytime.storage import pack_test
from aiq.wings.anytime.work.jobs import Examination


def estimate(run: Run, progress: Report) -> Cost:
    """Time one test of every agent in every class, with a smaller budget where it is large."""
    c = run.configuration
    start = process_start("aiq.wings.anytime.work.jobs")
    seconds, modelled, size = 0.0, 0.0, 0.0
    for name, agent in c.pairs:
        progress(f"timing {agent} in {name}")
        jobs = sum(job.environments == name and job.agent == agent for job in run.plan.jobs)
        told = cost.tests(c, c.classes[name], 1).seconds - START
        share = min(1.0, LONGEST / told)
        test = c.test
        if isinstance(test, Interactions):
            short = max(min(test.budget, SHORTEST), round(test.budget * share))
            share = short / test.budget
            budget: float = short
        else:
            budget = test.budget * share
        cut = c.model_copy(update={"test": test.model_copy(update={"budget": budget})})
        examination = Examination(replace(run, configuration=cut), name, agent)
        found = []
        processor = timed(lambda examination=examination, found=found: found.append(examination.administer(0)))
        waiting = isinstance(test, Seconds) and test.action is None  # it lasts as long as its budget says
        seconds += c.repetitions * (test.budget if waiting else processor / share)
        modelled += c.repetitions * told
        size += shard_bytes("anytime", [pack_test(found[-1])], c.repetitions, jobs) / share
    jobs, classes = len(run.plan.jobs), len(run.plan.classes)
    tests = StageCost(
        "tests", jobs, len(c.pairs) * c.repetitions, seconds + jobs * start, seconds, size + jobs * JOB_BYTES
    )
    rest = products(classes + 2, 3, start, (classes + 2) * JOB_BYTES)
    factors, plan = {"tests": seconds / modelled}, run.plan
    return Cost((tests, rest), start, factors=factors, asked=Request.of(plan.requests()), outputs=outputs(plan))
