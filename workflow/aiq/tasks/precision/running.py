"""Run a suite round by round, by repeated calls of Snakemake under one lock."""

from __future__ import annotations

from dataclasses import replace

from aiq.errors import InputError
from aiq.plans.run import AnyRun
from aiq.tasks.precision.rounds import Goal
from aiq.tasks.running.call import Snakemake
from aiq.tasks.running.controller import Held
from aiq.tasks.running.start import Start, Work, called

PARTS = {"--until", "-U", "--omit-from", "-O", "--batch", "--forcerun", "-R"}


def has_rounds(run: AnyRun, snakemake: Snakemake) -> bool:
    """Whether a call goes round by round: a goal is configured, and the arguments do not ask for a part of the suite.

    Raises:
        InputError: results lie in a storage, where no round can read them.
    """
    if getattr(run.configuration, "precision", None) is None:
        return False
    if snakemake.storage is not None:
        raise InputError(
            f"precision reads the results after every round, but they lie in the storage {snakemake.storage}; keep "
            "results in a folder that this machine sees, or leave precision out"
        )
    root = f"{run.layout.root}/"
    return not any(word.split("=")[0] in PARTS or word.startswith(root) for word in snakemake.arguments)


def in_rounds(goal: Goal) -> Work:
    """Return what runs a suite round by round until its goal is reached or its budget is used.

    What a round grows is written down before it runs, so that a call after an accident goes on with it. Rounds end with
    the scores; figures, tables and the page are made once, after the last.
    """

    def work(start: Start, forced: tuple[str, ...], lock: Held, child: list[int]) -> int:
        """Run the start, then round after round, then what draws and tabulates."""
        rounds = replace(start.snakemake, arguments=(*start.snakemake.arguments, "--", start.run.layout.scores))
        while True:
            goal.begin()
            status = called(replace(start, run=goal.run, snakemake=rounds), forced, lock, child)
            if status != 0:
                return status
            forced = ()
            done = goal.finish()
            start.say(
                f"round {len(goal.rounds.rounds) - 1}: half-width {done.half:.3g} for {done.core_hours:.3g} core-hours"
            )
            found = goal.decide()
            start.say(f"precision: {found.says}")
            if found.stop:
                return called(replace(start, run=goal.run), (), lock, child)
            goal.begin(found)

    return work
