"""Results folders of earlier code are complete and readable: no training of a finished run is ever lost.

``tests/data/finished`` holds the HDF5 files of one tiny finished run per measure and their configurations, as the
code wrote them before stages had versions of their own. A stage whose version was raised may find its own files and
those of later stages stale; nothing else may change here, and the archive is never written anew.
"""

from pathlib import Path

import pytest

from aiq import storage
from aiq.config.load import read
from aiq.plans.run import Run
from aiq.records.domains import BaselinePlay, Entropy
from aiq.records.space import Space
from aiq.run.reducing.baselines import AptiScores
from aiq.run.reducing.complexity import DomainComplexity
from aiq.run.reducing.dissimilarity import SuiteDissimilarity
from aiq.run.reducing.space import AgentScores
from aiq.run.upkeep.audit import audit
from aiq.storage import hdf5, shards
from aiq.wings.algorithmic.equations.estimation import Quotients
from aiq.wings.anytime.work import ClassResult
from aiq.wings.collectives.work import CollectivesResult

RUNS = ("suite", "control", "algorithmic", "anytime", "collectives")
RECORDS = {
    "complexity": DomainComplexity,
    "entropy": Entropy,
    "play": BaselinePlay,
    "dissimilarity": SuiteDissimilarity,
    "space": Space,
    "scores": AgentScores,
    "apti": AptiScores,
    "quotients": Quotients,
    "anytime result": ClassResult,
    "collectives": CollectivesResult,
}


@pytest.fixture(params=RUNS)
def run(request, finished_runs: Path, monkeypatch) -> Run:
    """A run of the archive; the mixtures of suites had ends of their own then, which is one key away."""
    monkeypatch.chdir(finished_runs / request.param)
    raw = read("tiny.yaml")
    if request.param in ("suite", "control"):
        raw["dissimilarity"]["ends"] = "pair"
        raw["known_baselines"] = {"when": "never"}  # younger than the archive
    return Run.of(raw)


def test_every_shard_is_complete(run: Run):
    audited = audit(run)
    assert len(audited.shards) >= 3
    assert (audited.bad, audited.superseded) == ((), ())


def test_every_unit_is_read(run: Run):
    for path, (kind, fingerprint) in run.plan.shards().items():
        if kind in ("domain", "program sample"):
            assert hdf5.read(path, kind, fingerprint)[1]
        else:
            assert shards.read(path, kind, fingerprint)


def test_every_result_is_read(run: Run):
    results = run.plan.results()
    for path, (kind, fingerprint) in results.items():
        raised = any(version > 1 for version in fingerprint.versions.values())
        assert storage.read_result(path, kind, RECORDS[kind], None if raised else fingerprint)
    stored = {str(path) for path in Path(run.layout.root).rglob("*.h5")}
    assert stored == {*run.plan.shards(), *results}
