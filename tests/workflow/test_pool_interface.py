"""The pool under the interface of its suite: what is trained, and what complexities lose by it."""

import itertools
from pathlib import Path

import numpy as np
import pytest
import tiny
import tiny_control

from aiq import storage
from aiq.plans.run import Run
from aiq.run.reducing.complexity import DomainComplexity
from aiq.run.upkeep.audit import audit
from aiq.storage import shards
from aiq.storage.shards import unpack_trials

pytestmark = [pytest.mark.workflow, pytest.mark.slow]


def trials_of(folder: Path, run: Run, domain: str) -> list:
    with tiny.inside(folder):
        found = []
        for job in run.plan.trial_jobs(domain):
            units = shards.read(run.layout.trial_job(job), "trials", run.plan.trials(domain))
            found += [trial for name in sorted(units) for trial in unpack_trials(units[name].tree)]
        return found


def wanted(run: Run, *kinds: str) -> list[str]:
    return [path for path, (kind, _) in (run.plan.shards() | run.plan.results()).items() if kind in kinds]


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("labelled")
    for raw in (tiny.tiny(), tiny.tiny(pool__interface="suite")):
        tiny.make(folder, raw, only=wanted(Run.of(raw), "domain", "interface", "trials", "complexity"))
    return folder


def test_every_network_of_the_pool_has_the_inputs_and_outputs_of_the_suite(labelled: Path):
    run = Run.of(tiny.tiny(pool__interface="suite"))
    for domain in run.configuration.domains:
        for trial in trials_of(labelled, run, domain):
            nodes = [64, *trial.policy.architecture.widths, 6]  # 8x8 pixels; three labels of digits, three of wine
            assert trial.parameters == sum((one + 1) * two for one, two in itertools.pairwise(nodes))
            assert trial.status == "finished"
    narrow = Run.of(tiny.tiny())
    assert {t.parameters for t in trials_of(labelled, narrow, "wine")} != {
        t.parameters for t in trials_of(labelled, run, "wine")
    }


def test_base_is_that_of_the_pool_alone(labelled: Path):
    """What any network costs differs between domains by their own interfaces, and not under one of the suite."""
    bases = {}
    for where in ("domain", "suite"):
        run = Run.of(tiny.tiny(pool__interface=where))
        with tiny.inside(labelled):
            tiny.make(labelled, tiny.tiny(pool__interface=where), only=wanted(run, "complexity"))
            for name in run.configuration.domains:
                path, fingerprint = run.layout.complexity(name), run.plan.complexity(name)
                record = storage.read_result(path, "complexity", DomainComplexity, fingerprint).complexity
                assert record.best_of_k is not None
                bases[where, name] = record.best_of_k.base.value
    # the pool has the same architectures on every domain
    spread = {where: np.ptp([bases[where, n] for n in ("digits", "noisy", "wine")]) for where in ("domain", "suite")}
    assert spread["domain"] > 1.0
    assert spread["suite"] < 1e-12


def test_neither_way_overwrites_the_other(labelled: Path):
    with tiny.inside(labelled):
        for where in ("domain", "suite"):
            run = Run.of(tiny.tiny(pool__interface=where))
            states = audit(run).shards
            assert {states[path] for path in wanted(run, "trials", "interface", "domain")} == {"complete"}


def test_units_are_taken_over_where_the_interface_stays(labelled: Path, caplog):
    """A fourth domain that is no wider makes new shards of the old units."""
    raw = tiny.tiny(pool__interface="suite")
    more = {**raw, "domains": {**raw["domains"], "again": {**raw["domains"]["digits"], "noise": 0.1}}}
    run = Run.of(more)
    job = run.plan.trial_jobs("wine")[0]
    assert not (labelled / run.layout.trial_job(job)).exists()
    with caplog.at_level("INFO", "aiq"):
        only = [*wanted(run, "domain", "interface"), run.layout.trial_job(job)]
        tiny.make(labelled, more, only=only)
    assert "2 of 2 units taken over" in caplog.text
    # the other tests read the interface of three domains
    tiny.make(labelled, raw, only=[run.layout.interface])


def test_control_domains_are_padded_and_play_as_before(tmp_path: Path):
    """Under the widest interface a domain that is the widest itself gives the very same trials."""
    domains = {
        "cartpole": {"source": "cartpole", "steps": 60},
        "acrobot": {"source": "gymnasium", "id": "Acrobot-v1", "bounds": [-500, 0]},
    }
    own, suite = (
        tiny_control.control(domains=domains, agents={}, pool__interface=where, pool__size=2)
        for where in ("domain", "suite")
    )
    for raw in (own, suite):
        run = Run.of(raw)
        with tiny.inside(tmp_path):
            for path, work in tiny.jobs(run).items():
                if path in wanted(run, "domain", "interface", "trials"):
                    work()
    found = {where: Run.of(raw) for where, raw in (("own", own), ("suite", suite))}
    wide = [t.performance for t in trials_of(tmp_path, found["suite"], "acrobot")]
    assert wide == [t.performance for t in trials_of(tmp_path, found["own"], "acrobot")]
    for where, inputs, actions in (("own", 4, 2), ("suite", 6, 3)):
        for trial in trials_of(tmp_path, found[where], "cartpole"):
            nodes = [inputs, *trial.policy.architecture.widths, actions]
            assert trial.parameters == sum((one + 1) * two for one, two in itertools.pairwise(nodes))
            assert np.isfinite(trial.performance)


def test_snakemake_finds_the_interface_before_the_pool(tmp_path: Path):
    for ends in ("domain", "pair"):
        raw = tiny.tiny(pool__interface="suite", dissimilarity__ends=ends)
        run = Run.of(raw)
        target = run.layout.trial_job(run.plan.trial_jobs("wine")[0])
        jobs = tiny.planned(tmp_path / ends, raw, target)
        assert jobs["measure_interface"] == {run.layout.interface}
        assert jobs["train_trials"] == {target}
        assert len(jobs["prepare_domain"]) == 3
    alone = tiny.planned(tmp_path / "own", tiny.tiny(), run.layout.trials("wine", "0000-0001"))
    assert "measure_interface" not in alone
