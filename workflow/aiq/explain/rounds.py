"""Precision as a goal: see what a round came to, decide what the next one grows, run it, write it down."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from aiq.config.measures import Precision
from aiq.errors import InputError, StorageError
from aiq.explain.finished import FinishedRun
from aiq.explain.sensitivity import hours_by_kind
from aiq.explain.sources import Sources, half_of
from aiq.explain.spending import next_round, overhead, prices, reached, squares, stalled
from aiq.plans import growth
from aiq.plans.run import AnyRun, Run, SuiteRun
from aiq.records.variance import Growth, Round, Rounds, Source
from aiq.run.call import Snakemake
from aiq.run.controller import Held
from aiq.run.products import benchmarks
from aiq.run.resume import MOST
from aiq.run.start import Locked, Start, called
from aiq.storage.files import clock, replacing
from aiq.storage.hdf5 import glance

REPLICATES = 1000


class Goal:
    """A suite with ``precision``: its rounds so far, and what comes next.

    Args:
        raw: the raw configuration, as a person wrote it.
        origin: its name in refusals.

    Raises:
        InputError: it has no precision.
        ConfigurationError: it is wrong, or the record of its rounds cannot be read.
    """

    def __init__(self, raw: Mapping[str, Any], origin: str = "configuration") -> None:
        self.raw, self.origin = raw, origin
        run: SuiteRun = Run.of(raw, "aiq", origin)
        if run.configuration.precision is None:
            raise InputError(
                f"{origin} has no precision; add for example precision: {{value: 0.02, budget: 50 core-hours}}"
            )
        self.settings: Precision = run.configuration.precision
        self._path = run.layout.precision

    @property
    def run(self) -> SuiteRun:
        """The run as its rounds have grown it so far."""
        run: SuiteRun = Run.of(self.raw, "aiq", self.origin)
        return run

    @property
    def rounds(self) -> Rounds:
        """The rounds so far; none where another suite than today's was grown, whose numbers are then the start."""
        start: SuiteRun = Run.of({**self.raw, "precision": None}, "aiq", self.origin)
        suite, record = str(start.plan.scores()), growth.read(self._path)
        if record is None or record.suite != suite:
            record = Rounds(suite, 0.0, 0.0, ())
        return replace(record, goal=self.settings.goal, budget=self.settings.core_hours)

    @property
    def quantity(self) -> str:
        """Whose half-widths are the goal."""
        return "volume" if self.settings.per_dimension is not None else self.run.configuration.value

    # ---- one round ---------------------------------------------------------------------------------

    def begin(self, grown: Growth | None = None) -> Round:
        """Write down that a round begins, before anything of it runs; one that was cut off goes on as it was.

        ``grown``: what it grows; None for the start, or for what was cut off.
        """
        record = self.rounds
        if grown is None and record.rounds:
            return record.rounds[-1]
        place = Path(self._path).parent
        place.mkdir(parents=True, exist_ok=True)
        numbers = growth.numbers(self.run.configuration)
        if grown is None:
            begun = Round(numbers, 0.0)
        else:
            begun = Round({**numbers, **grown.numbers}, clock(place), grown.core_hours, grown.half)
        self._write(replace(record, rounds=(*record.rounds, begun), stop="", says=""))
        return begun

    def finish(self) -> Round:
        """Write down what the last round came to; refused where no agent has an interval."""
        record = self.rounds
        last = record.rounds[-1]
        if last.half is not None:
            return last
        run = self.run
        half, dimensions = seen(run, self.quantity)
        jobs = benchmarks(run.layout, run.configuration.threads, last.begun)
        spent = {stage: hours for stage, _, _, hours in jobs}
        done = replace(last, spent=spent, half=half, dimensions=dimensions)
        self._write(replace(record, rounds=(*record.rounds[:-1], done)))
        return done

    def decide(self) -> Growth:
        """Return what the next round grows, or why there is none; written down where there is none.

        Raises:
            StorageError: the last round is not finished.
        """
        record, limit = self.rounds, self.settings.rounds
        grown, parts = self._next(record)
        rounds = record.rounds
        if parts:
            rounds = (*rounds[:-1], replace(rounds[-1], parts=parts))
        if not grown.stop and len(rounds) > limit:
            grown = replace(grown, stop="rounds", says=_enough(limit))
        self._write(replace(record, rounds=rounds, stop=grown.stop, says=grown.says if grown.stop else ""))
        return grown

    def _next(self, record: Rounds) -> tuple[Growth, dict[str, float]]:
        """Return the next growth and the shares that it rests on; no shares where the goal is reached."""
        run, goal, last = self.run, self.settings.goal, record.finished[-1]
        half = float(last.half or 0.0)
        have, step = growth.numbers(run.configuration), growth.steps(run.configuration)
        if half <= goal:
            return reached(have, half, goal), {}
        halves, predicted = ([getattr(round_, key) for round_ in record.finished] for key in ("half", "predicted"))
        if why := stalled(halves, predicted[1:]):
            return Growth(have, half, 0.0, "nothing", why), {}
        sources = Sources(run, REPLICATES, self.quantity)
        names = [name for name in have if name in sources.of_run]

        def halves_of(held: Collection[str]) -> dict[str, float]:
            """Return half-widths by agent with some sources held, of the agents those whose repetitions can grow."""
            return {agent: half for agent, (_, half) in sources.intervals(held, sources.repeated_here).items()}

        shares, rest = squares(halves_of, names)
        spent: Counter[str] = Counter()
        for round_ in record.finished:
            spent.update(round_.spent)
        costs = prices(self.raw, run, spent)
        if sources.grown_together:
            costs["mixtures"] += costs["ends"] * have["ends"] / have["mixtures"]
        growing = [Source(name, have[name], step[name], shares[name] * half**2, costs[name]) for name in names]
        left = self.settings.core_hours - record.spent
        grown = next_round(growing, rest * half**2, goal, left, overhead(last.spent))
        if sources.grown_together and not grown.stop:
            ends = growth.in_proportion(run.configuration, grown.numbers["mixtures"])
            grown = replace(grown, numbers={**have, **grown.numbers, "ends": ends})
        return grown, {**shares, "rest": rest}

    def _write(self, rounds: Rounds) -> None:
        with replacing(self._path) as temporary:
            temporary.write_text(json.dumps(rounds.as_dict(), indent=2) + "\n", encoding="utf-8")

    def ahead(self) -> str:
        """Say what the next call of ``aiq run`` begins with, and what it costs; nothing runs and nothing is written.

        Raises:
            StorageError: results of a finished round are missing.
        """
        record = self.rounds
        if not record.finished:
            start = sum(hours_by_kind(None, self.run).values())
            return (
                f"next is the start as it is configured, {start:.3g} core-hours of trainings by the cost model, of a "
                f"budget of {self.settings.core_hours:.3g}; what the first round grows is decided after it"
            )
        if len(record.finished) < len(record.rounds):
            return f"round {len(record.rounds) - 1} was begun and is not finished; the next call goes on with it"
        grown, _ = self._next(record)
        if grown.stop:
            return f"no further round: {grown.says}"
        if len(record.rounds) > self.settings.rounds:
            return f"no further round: {_enough(self.settings.rounds)}"
        return f"next is round {len(record.rounds)}: {grown.says}"


def seen(run: SuiteRun, value: str) -> tuple[float, int]:
    """Return the mean half-width of the agents' intervals, and the dimensions of the space.

    ``value``: whose intervals, ``skills`` or ``volume``.

    Raises:
        StorageError: nobody is scored yet.
        InputError: no agent has an interval.
    """
    scores = FinishedRun(run).scores.scores
    estimates = [agent.per_dimension if value == "volume" else agent.headline for agent in scores.agents]
    halves = [half_of(estimate)[1] for estimate in estimates if estimate.interval is not None]
    if not halves:
        raise InputError(
            f"{run.configuration.name}: no agent has an interval, so precision has no goal to reach; give agents at "
            "least two repetitions on each domain, or a larger pool where no test is shown to be hard"
        )
    return float(np.mean(halves)), scores.dimensions


def _enough(limit: int) -> str:
    return f"there have been {limit} rounds, the most that there are"


REDUCED = ("complexity", "dissimilarity", "space", "scores")
"""Kinds of results that rest on what grows."""
PARTS = {"--until", "-U", "--omit-from", "-O", "--batch", "--forcerun", "-R"}
ANEW = {"--forceall", "-F", "--force", "-f"}
"""Words that make everything anew: they are for the first call, whose work the rounds then keep."""


def has_rounds(run: AnyRun, snakemake: Snakemake) -> bool:
    """Whether a call goes round by round: a goal is configured, and the arguments do not ask for a part of the suite.

    Results in a storage are refused, as no round can read them there.
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


def in_rounds(goal: Goal) -> Locked:
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
            grown = goal.decide()
            start.say(f"precision: {grown.says}")
            if grown.stop:
                return called(replace(start, run=goal.run, snakemake=snakemake), (), lock, child)
            goal.begin(grown)

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
