"""The rules of a run of anytime tests: administered tests, and their reduction by class."""

from __future__ import annotations

from typing import Any

from aiq.plans.cost.asked import request
from aiq.plans.rules import NAME, Rule, Words, always
from aiq.wings.anytime.cost import REDUCED, tests

JOBS = "aiq.wings.anytime.work.jobs"


def _tests_work(plan: Any, words: Words) -> tuple[int, int]:
    """Return what a shard of tests asks for."""
    environments = plan.configuration.classes[words["environments"]]
    return request(tests(plan.configuration, environments, int(words["last"]) - int(words["first"]) + 1))


RULES = (
    Rule(
        "administer_anytime",
        f"{JOBS}:administer_tests",
        lambda job: (
            *(job.words["environments"], job.words["agent"]),
            *(int(job.words["first"]), int(job.words["last"]), job.makes[0]),
        ),
        makes=lambda plan: [plan.layout.tests("{environments}", "{agent}", "{first}", "{last}")],
        log=("tests", "{environments}", "{agent}", "tests-{first}-{last}"),
        follows=lambda plan, words: plan.test(words["environments"], words["agent"]),
        asks=_tests_work,
        code=lambda plan, words: list(plan.configuration.agents[words["agent"]].files),
        words={"environments": NAME, "agent": NAME, "first": r"\d+", "last": r"\d+"},
    ),
    Rule(
        "reduce_anytime",
        f"{JOBS}:reduce_tests",
        lambda job: (job.words["environments"], job.needs["shards"], job.makes[0]),
        makes=lambda plan: [plan.layout.result("{environments}")],
        log=("anytime", "{environments}"),
        follows=lambda plan, words: plan.result(words["environments"]),
        asks=always(*REDUCED),
        needs=lambda plan, words: {"shards": [plan.layout.job(job) for job in plan.of_class(words["environments"])]},
        words={"environments": NAME},
    ),
)
