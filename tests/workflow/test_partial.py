"""What is reduced of an unfinished suite equals what a suite of those domains gives, and is never taken for whole."""

import json
from pathlib import Path

import numpy as np
import pytest
import tiny
import yaml

from aiq import storage
from aiq.cli.main import main
from aiq.errors import StorageError
from aiq.plans.run import Run
from aiq.run.reducing.complexity import DomainComplexity
from aiq.run.reducing.partial import there
from aiq.storage import hdf5

pytestmark = pytest.mark.workflow


def test_a_part_is_reduced_marked_and_refused_elsewhere(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    tiny.make(tmp_path, tiny.TINY)
    Path("tiny.yaml").write_text(yaml.safe_dump(tiny.TINY, sort_keys=False), encoding="utf-8")
    assert main(["summary", "tiny.yaml", "--partial"]) == 2
    assert "nothing is partial" in capsys.readouterr().err
    run = Run.of(tiny.TINY)
    *kept, lost = run.configuration.domains
    victim = run.layout.trial_job(run.plan.trial_jobs(lost)[0])
    Path(victim).unlink()
    before = {path: path.read_bytes() for path in Path("results").rglob("*") if path.is_file()}
    assert main(["summary", "tiny.yaml", "--partial", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    share = f"{len(kept)} of {len(kept) + 1} domains"
    assert (told["partial"], told["share"], told["missing_domains"]) == (True, share, [lost])
    assert told["missing"] == {victim: "missing"}
    assert all(path.read_bytes() == content for path, content in before.items())  # nothing of the whole is touched
    assert all(Path(path).relative_to(run.layout.root).parts[0] == "partial" for path in told["files"])
    for path in (path for path in told["files"] if path.endswith("csv") and "missing" not in path):
        lines = Path(path).read_text("utf-8").splitlines()
        assert lines[0].endswith(",partial")
        assert all(line.endswith(share) for line in lines[1:])
    found = hdf5.read_header(run.layout.path("partial", "space.h5"), "partial space")
    assert found.provenance["partial"] == share
    assert found.fingerprint != run.plan.space()
    with pytest.raises(StorageError, match="holds partial space"):
        hdf5.read(run.layout.path("partial", "space.h5"), "space")
    Path("p.csv").write_text("agent,domain,performance\n" + "".join(f"me,{name},0.9\n" for name in kept))
    assert main(["score", run.layout.path("partial", "space.h5"), "p.csv"]) == 2
    whole = storage.read_result(run.layout.complexity(kept[0]), "complexity", DomainComplexity)
    _, part = hdf5.read(run.layout.path("partial", "complexity", f"{kept[0]}.h5"), "partial complexity")
    assert np.array_equal(part["performance"], whole.performance)
    assert part["complexity"]["estimate"]["value"] == whole.complexity.value


def test_the_domain_that_lacks_the_most_pairs_is_left_out():
    noisy = {name: {"source": "sklearn", "name": "wine", "noise": k / 10} for k, name in enumerate("abcd")}
    raw = tiny.tiny(domains=noisy, jobs={"mixtures_per_job": 1})
    plan = Run.of(raw).plan
    job = {job.pairs[0]: plan.layout.mixture_job(job) for job in plan.mixture_jobs}
    assert there(plan, {job["b", "c"]: "missing", job["a", "b"]: "corrupt"})[0] == ["a", "c", "d"]
    assert there(plan, {job["c", "c"]: "missing"})[0] == ["a", "b", "d"]
    agents = {plan.layout.agent_job(one): "missing" for one in plan.agent_jobs}
    assert there(plan, {}) == (["a", "b", "c", "d"], True)
    assert there(plan, agents) == (["a", "b", "c", "d"], False)  # a space without scores
