"""One job of a rule that a plan declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module

from aiq.plans.rules import Job
from aiq.plans.run import AnyRun
from aiq.tasks.shell.keeping import keeping


def do(run: AnyRun, rule: str, words: Mapping[str, str], makes: Sequence[str], fingerprint: str) -> None:
    """Do one job.

    Args:
        run: the run of any measure.
        rule: the rule's name.
        words: the job's wildcards.
        makes: the files that it writes.
        fingerprint: of what it makes.
    """
    (declared,) = (one for one in run.plan.rules if one.name == rule)
    module, _, name = declared.does.partition(":")
    function = getattr(import_module(module), name)
    needs = declared.needs(run.plan, words)
    if not declared.keeps:
        function(run, *declared.arguments(Job(words, needs, makes)))
        return
    with keeping(run, declared.keeps, makes[0], fingerprint) as keeper:
        function(run, *declared.arguments(Job(words, needs, makes, keeper)))
