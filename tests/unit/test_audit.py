"""The audit at scale and for every measure; what a quick look sees and what it does not."""

import json
import shlex
from pathlib import Path

import numpy as np
import pytest
import yaml
from command_line import Aiq, record

from aiq.cli.upkeep import NAMED as SHOWN
from aiq.errors import StorageError
from aiq.plans.run import Run
from aiq.run.upkeep import audit as module
from aiq.run.upkeep.audit import audit
from aiq.storage import hdf5
from aiq.storage.hdf5 import glance, names
from changes import flip

ROOT = Path(__file__).parents[2]
CONFIGURATIONS = ("quickstart", "algorithmic-quickstart", "anytime-quickstart", "collectives-quickstart")


def write(path: str | Path, kind: str, fingerprint: str, value: float = 1.0) -> None:
    hdf5.write(path, hdf5.Header(kind, fingerprint, 1), {"unit": {"x": np.full(40, value)}})


@pytest.fixture
def made(tmp_path: Path, monkeypatch, request):
    """A configuration with every shard written, of content that no audit looks at."""
    monkeypatch.chdir(tmp_path)
    raw = yaml.safe_load((ROOT / "config" / f"{request.param}.yaml").read_text("utf-8"))
    run = Run.of({**raw, "results": "r"})
    for path, (kind, fingerprint) in run.plan.shards().items():
        write(path, kind, fingerprint)
    (tmp_path / "c.yaml").write_text(yaml.safe_dump({**raw, "results": "r"}, sort_keys=False))
    return run


@pytest.mark.parametrize("made", CONFIGURATIONS, indirect=True)
def test_shards_of_every_measure_are_audited(made, aiq: Aiq):
    planned = made.plan.shards()
    assert len(planned) > 3
    assert aiq("shards", "c.yaml")[0] == 0
    victims = list(planned)[-3:]
    Path(victims[0]).unlink()
    write(victims[1], planned[victims[1]][0], "0" * 16)
    whole = Path(victims[2]).read_bytes()
    Path(victims[2]).write_bytes(whole[:-1])
    beside = Path(victims[0]).with_name("earlier.h5")
    write(beside, planned[victims[0]][0], "1" * 16)
    left = beside.with_name(".earlier.h5.12-ab.part")
    left.write_bytes(b"half")
    assert aiq("shards", "c.yaml")[0] == 1
    for deep in (True, False):
        found = audit(made, deep=deep)
        assert [found.shards[path] for path in victims] == ["missing", "stale", "corrupt"]
        assert set(found.bad) == set(victims)
        assert set(found.reasons) == set(victims[1:])  # why; a missing file needs no reason
        assert found.count("complete") == len(planned) - 3
        assert found.count("stale", planned[victims[1]][0]) == 1
        assert (found.superseded, found.temporary) == ((str(beside),), (str(left),))


@pytest.fixture
def many(tmp_path: Path, monkeypatch):
    """A configuration of so many shards that no command names them all; none is there."""
    monkeypatch.chdir(tmp_path)
    raw = yaml.safe_load((ROOT / "config" / "anytime-quickstart.yaml").read_text("utf-8"))
    raw |= {"results": "r", "jobs": {"repetitions_per_job": 1}, "repetitions": 10}
    Path("c.yaml").write_text(yaml.safe_dump(raw, sort_keys=False))
    return len(Run.of(raw).plan.shards())


def test_an_audit_of_what_is_not_there_writes_nothing(many, tmp_path: Path, aiq: Aiq):
    told = json.loads(aiq("shards", "c.yaml", "--json")[1])
    assert len(told["missing"]) == many
    assert told["redo"] == "aiq run c.yaml --resume"
    assert [path.name for path in tmp_path.iterdir()] == ["c.yaml"]


def test_one_command_makes_however_many_again_and_no_list_is_written(many, tmp_path: Path, aiq: Aiq):
    shards = Run.of(yaml.safe_load(Path("c.yaml").read_text("utf-8"))).plan.shards()
    assert len(shards) == many > 100
    for path, (kind, fingerprint) in list(shards.items())[1:]:
        write(path, kind, fingerprint[::-1])
    before = sorted(tmp_path.rglob("*"))
    status, out, err = aiq("shards", "c.yaml", "--json")
    found = json.loads(out)
    assert (len(found["missing"]), len(found["stale"])) == (1, many - 1)
    assert found["redo"] == "aiq run c.yaml --resume --yes"  # all of it is of another configuration
    assert (status, err) == (1, "")
    assert sorted(tmp_path.rglob("*")) == before
    said = aiq("shards", "c.yaml")[1]
    assert said.endswith("make them again and go on with the run: aiq run c.yaml --resume --yes\n")
    assert f"and {many - 1 - SHOWN} more; --json tells all" in said


def test_the_command_can_be_typed_as_it_stands_and_is_there_only_where_something_is_bad(many, aiq: Aiq):
    name = "it's my config.yaml"
    Path("c.yaml").rename(name)
    assert shlex.split(json.loads(aiq("shards", name, "--json")[1])["redo"]) == ["aiq", "run", name, "--resume"]
    for path, (kind, fingerprint) in Run.of(yaml.safe_load(Path(name).read_text("utf-8"))).plan.shards().items():
        write(path, kind, fingerprint)
    assert record(aiq("shards", name, "--json"))["redo"] is None
    assert "aiq run" not in aiq("shards", name)[1]


@pytest.mark.parametrize("made", ["anytime-quickstart"], indirect=True)
def test_many_shards_are_judged_in_batches_by_processes_with_the_same_result(made, monkeypatch):
    path = next(iter(made.plan.shards()))
    Path(path).write_bytes(b"broken")
    alone = audit(made, processes=1)
    monkeypatch.setattr(module, "BATCH", 3)
    seen: list[tuple[int, int]] = []
    shared = audit(made, processes=2, progress=lambda done, total: seen.append((done, total)))
    assert shared == alone
    total = len(alone.shards)
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})
    assert seen[-1] == (total, total)
    assert len(seen) == -(-total // 3)


def test_a_quick_look_sees_length_kind_and_configuration_but_no_flipped_bit(tmp_path: Path):
    path = tmp_path / "a.h5"
    write(path, "trials", "f" * 16)
    assert glance(path, "trials") == "f" * 16
    with pytest.raises(StorageError, match="holds trials, not agents"):
        glance(path, "agents")
    flip(path, -200)
    assert glance(path, "trials") == "f" * 16
    with pytest.raises(StorageError, match="checksum"):
        hdf5.read_header(path, "trials")
    for text in (b"", path.read_bytes()[:-1], b"x" * 700):
        path.write_bytes(text)
        with pytest.raises(StorageError, match="foreign or incomplete"):
            glance(path, "trials")
    with pytest.raises(StorageError, match="cannot be read"):
        glance(tmp_path / "none.h5", "trials")


def test_names_are_read_from_whole_files_only(tmp_path: Path):
    path = tmp_path / "a.h5"
    write(path, "trials", "f" * 16)
    assert names(path) == {"unit"}
    flip(path, -200)
    assert names(path) is None  # HDF5 never sees a damaged file
