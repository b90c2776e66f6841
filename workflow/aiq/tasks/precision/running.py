"""Run a suite round by round, by repeated calls of Snakemake under one lock."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from aiq.errors import InputError, StorageError
from aiq.plans.run import AnyRun, SuiteRun
from aiq.storage.glance import glance
from aiq.tasks.precision.rounds import Goal
from aiq.tasks.running.call import Snakemake
from aiq.tasks.running.controller import Held
from aiq.tasks.running.redone import MOST
from aiq.tasks.running.start import Start, Work, called

REDUCED = ("complexity", "dissimilarity", "space", "scores")
"""Kinds of results that rest on what grows."""
PARTS = {"--until", "-U", "--omit-from", "-O", "--batch", "--forcerun", "-R"}
ANEW = {"--forceall", "-F", "--force", "-f"}
"""Words that make everything anew: they are for the first call, whose work the rounds then keep."""


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
        snakemake = start.snakemake
        while True:
            goal.begin()
            run = goal.run
            again = tuple(dict.fromkeys((*forced, *outgrown(run))))
            rounds = replace(snakemake, arguments=(*snakemake.arguments, "--", run.layout.scores))
            status = called(replace(start, run=run, snakemake=rounds), again, lock, child)
            if status != 0:
                return status
            forced = ()
            snakemake = replace(snakemake, arguments=tuple(word for word in snakemake.arguments if word not in ANEW))
            done = goal.finish()
            start.say(
                f"round {len(goal.rounds.rounds) - 1}: half-width {done.half:.3g} for {done.core_hours:.3g} core-hours"
            )
            found = goal.decide()
            start.say(f"precision: {found.says}")
            if found.stop:
                return called(replace(start, run=goal.run, snakemake=snakemake), (), lock, child)
            goal.begin(found)

    return work


def outgrown(run: SuiteRun) -> tuple[str, ...]:
    """Return the results up to the scores that are there and rest on fewer trainings than are now planned.

    Snakemake sees this by what it remembers of a folder. Where it remembers nothing (results that were copied) they are
    named to it. In a suite of very many tests they are too many for a command; then its memory is relied on.
    """
    wanted = run.plan.results()
    stale = [
        path
        for path, (kind, print_) in wanted.items()
        if kind in REDUCED and Path(path).exists() and _says(path, kind) != str(print_)
    ]
    return tuple(stale) if sum(map(len, stale)) < MOST else ()


def _says(path: str, kind: str) -> str | None:
    """Return the fingerprint of a file; None where it is damaged, so that it is made again."""
    try:
        return glance(path, kind)
    except StorageError:
        return None
