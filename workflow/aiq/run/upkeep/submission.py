"""Make missing shards outside the workflow's controller: an array of long jobs that go on after an interruption.

A job calls what the rule's script calls, so that the shard is the one that the rule would leave; besides, it keeps
what it has reached (``resumable``) and removes that when the shard is complete.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiq.errors import AiqError, StorageError
from aiq.execution import Array, Outcome, Place
from aiq.plans.run import SuiteRun as Run
from aiq.run.job import LOGGER, USER_ERROR, job, make
from aiq.run.keeping import PATIENCE, checkpoint_path, keeping
from aiq.run.upkeep.audit import audit
from aiq.storage import hdf5

MEASURE = "aiq"  # only its jobs are submitted
KINDS = ("trials", "mixtures", "alone", "agents")


class JobFailedError(AiqError):
    """A submitted job failed for a reason that a person can mend; its log says which."""


@dataclass(frozen=True)
class MakeShard:
    """One job: what submitit pickles and calls, again after each interruption.

    Args:
        raw: the raw configuration.
        folder: working folder, absolute; paths of results are relative to it.
        shard: path of the shard.
        every: seconds between two checkpoints at least; None: as the configuration says.
        patience: seconds after which a job that is told to end does so though nothing could be kept.
    """

    raw: Mapping[str, Any]
    folder: str
    shard: str
    every: float | None = None
    patience: float = PATIENCE

    def __call__(self) -> None:
        """Make the shard, or what is left of it."""
        with contextlib.chdir(self.folder):
            log = Run.of(self.raw, MEASURE).layout.log_of(self.shard)
            try:
                with job(self.raw, log, MEASURE, append=True) as run:
                    make_shard(run, self.shard, self.every, self.patience)
            except SystemExit as stop:
                if stop.code != USER_ERROR:
                    raise
                reason = Path(log).read_text("utf-8").splitlines()[-1].split(" ERROR ")[-1]
                raise JobFailedError(reason) from None


def make_shard(run: Run, shard: str, every: float | None = None, patience: float = PATIENCE) -> None:
    """Make one shard, going on from its checkpoint if there is one, and remove the checkpoint.

    A job that was requeued although it had just finished finds its shard complete and leaves it.
    """
    kind, fingerprint = run.plan.shards()[shard]
    with keeping(run, kind, shard, fingerprint, every, patience) as kept:
        try:
            hdf5.read_header(shard, kind, fingerprint)
            LOGGER.info("%s is complete already", shard)
        except StorageError:
            make(run, shard, kept)


@dataclass(frozen=True)
class Submission:
    """What was submitted: the shards in the order of the jobs, and the array."""

    shards: tuple[str, ...]
    array: Array

    def outcomes(self) -> Iterator[tuple[str, Outcome]]:
        """Yield each shard with how its job ended, as they end."""
        for outcome in self.array.outcomes():
            yield self.shards[outcome.index], outcome


def missing(run: Run, kinds: Sequence[str] = KINDS) -> list[str]:
    """Return the shards that train and are missing, stale or corrupt; make the domains they read; sweep.

    Domains are prepared here, where downloads are likely to be possible. Checkpoints of shards that are complete
    are removed.
    """
    audited = audit(run)
    for domain in run.configuration.domains:
        path = run.layout.domain(domain)
        if audited.shards[path] != "complete":
            LOGGER.info("preparing %s", domain)
            make(run, path)
    if run.plan.ends.measured and audited.shards[run.layout.interface] != "complete":
        make(run, run.layout.interface)
    for path, state in audited.shards.items():
        if state == "complete":
            checkpoint_path(run, path).unlink(missing_ok=True)
    return [path for path in audited.bad if audited.kinds[path] in kinds]


def submit(raw: Mapping[str, Any], place: Place, shards: Sequence[str], every: float | None = None) -> Submission:
    """Submit one job a shard."""
    patience = min(PATIENCE, place.grace / 3)
    works = [MakeShard(dict(raw), str(Path.cwd()), shard, every, patience) for shard in shards]
    return Submission(tuple(shards), Array(place, works))
