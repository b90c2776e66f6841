"""The rules of a run that measures collectives: episodes, and their reduction."""

from __future__ import annotations

from typing import Any

from aiq.plans.cost.asked import request
from aiq.plans.rules import Rule, Words, always
from aiq.wings.collectives.cost import REDUCED, episodes

JOBS = "aiq.wings.collectives.work.jobs"


def _episodes_work(plan: Any, words: Words) -> tuple[int, int]:
    """Return what a shard of episodes asks for."""
    job, size = plan.job(words["test"], words["block"]), plan.configuration.jobs.episodes_per_block
    return request(episodes(plan.configuration, len(job.kinds), (job.last - job.first + 1) * size))


RULES = (
    Rule(
        "run_episodes",
        f"{JOBS}:run_episodes",
        lambda job: (job.words["test"], job.words["block"], job.makes[0]),
        makes=lambda plan: [plan.layout.episodes("{test}", "{block}")],
        log=("episodes", "{test}", "{block}"),
        follows=lambda plan, words: plan.of_job(plan.job(words["test"], words["block"])),
        asks=_episodes_work,
        words={"test": r"side-\d+|complexity-(segment|walk)", "block": r"episodes-[0-9a-f]{8}"},
    ),
    Rule(
        "reduce_episodes",
        f"{JOBS}:reduce_episodes",
        lambda job: (job.needs["shards"], job.makes[0]),
        makes=lambda plan: [plan.layout.result],
        log=("reduce_episodes",),
        follows=lambda plan, words: plan.result(),
        asks=always(*REDUCED),
        needs=lambda plan, words: {"shards": [plan.layout.job(job) for job in plan.jobs]},
    ),
)
