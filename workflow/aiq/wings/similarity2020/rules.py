"""The rules of the 2020 similarity: tests, trainings on them alone and merged, their reduction."""

from __future__ import annotations

from typing import Any

from aiq.plans.cost.asked import request
from aiq.plans.named import data_files
from aiq.plans.rules import NAME, Rule, Words, always
from aiq.wings.similarity2020.cost import PREPARED, REDUCED, merged


def _tests(plan: Any, words: Words) -> dict[str, list[str]]:
    """Return the prepared tests that a job of trainings reads."""
    return {"tests": [plan.layout.domain(name) for name in plan.job(words["block"]).domains]}


RULES = (
    Rule(
        "prepare_test",
        "aiq.tasks.suite.training.domains:prepare_domain",
        lambda job: (job.words["domain"], job.makes[0]),
        makes=lambda plan: [plan.layout.domain("{domain}")],
        log=("domains", "{domain}"),
        follows=lambda plan, words: plan.domain(words["domain"]),
        asks=always(*PREPARED),
        given=lambda plan, words, apart: data_files(plan.configuration, words["domain"], apart),
        words={"domain": NAME},
    ),
    Rule(
        "train_merged",
        "aiq.wings.similarity2020.work.jobs:train_merged",
        lambda job: (job.words["block"], job.needs["tests"], job.makes[0], job.keeper),
        makes=lambda plan: [plan.layout.merged("{block}")],
        log=("merged", "{block}"),
        follows=lambda plan, words: plan.of_job(plan.job(words["block"])),
        asks=lambda plan, words: request(merged(plan.configuration, plan.job(words["block"]).units)),
        needs=_tests,
        words={"block": r"merged-[0-9a-f]{8}"},
        keeps="merged",
        trains=True,
    ),
    Rule(
        "reduce_similarity",
        "aiq.wings.similarity2020.work.reduction:reduce_similarity",
        lambda job: (job.needs["shards"], job.makes[0]),
        makes=lambda plan: [plan.layout.result],
        log=("reduce_similarity",),
        follows=lambda plan, words: plan.result(),
        asks=always(*REDUCED),
        needs=lambda plan, words: {"shards": [plan.layout.merged(job.block) for job in plan.jobs]},
    ),
)
