"""A store between runs: what is trained once is taken over, by what it is; nothing hangs on the store."""

from __future__ import annotations

import copy
import json
import logging
import multiprocessing
import os
import shlex
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny
import yaml

from aiq.cli.main import main
from aiq.plans.run import Run
from aiq.run.job import make as make_file
from aiq.run.keeping import keeping
from aiq.run.upkeep.sharing import SHARED, add_run, clear
from aiq.storage import hdf5
from aiq.storage.shards import Named, Store, Unit
from aiq.training import supervised

KINDS = ("trials", "agents", "mixtures", "alone")
DOMAINS = {name: tiny.TINY["domains"][name] for name in ("digits", "wine")}
FIRST = tiny.tiny(domains=DOMAINS)
OTHER = {**FIRST, "name": "second", "results": "results/second"}


def make(folder: Path, raw: dict[str, Any], store: Path | None, only: str = "") -> list[tuple[Any, ...]]:
    """Make shards that train as jobs make them, all or those of a place; return the calls of the trainers."""
    raw = raw if store is None else {**raw, "store": str(store)}
    run = Run.of(raw)
    shards, trained = run.plan.shards(), []
    with tiny.inside(folder), pytest.MonkeyPatch.context() as patch:
        for name in ("train_chunk_by_turns", "train_mixtures_by_turns", "train_alone_by_turns"):
            spy(patch, name, trained)
        work = tiny.jobs(run)
        for path in [p for p in work if shards.get(p, ("",))[0] in ("domain", "interface")]:
            work[path]()
        for path in [path for path, (kind, _) in shards.items() if kind in KINDS and only in path]:
            with keeping(run, shards[path][0], path, shards[path][1]) as kept:
                make_file(run, path, kept)
    return trained


def spy(patch: pytest.MonkeyPatch, name: str, calls: list[Any]) -> None:
    """Note the calls of a trainer."""
    real = getattr(supervised, name)

    def noted(*arguments: Any, **words: Any) -> Any:
        calls.append((name, arguments[0]))
        return real(*arguments, **words)

    patch.setattr(supervised, name, noted)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, int]:
    """A folder in which a run has filled a store, the store, and how often something was trained."""
    folder = tmp_path_factory.mktemp("filled")
    trained = make(folder / "one", FIRST, folder / "store")
    return folder / "one", folder / "store", len(trained)


def test_a_second_suite_of_another_name_trains_nothing_twice(filled, tmp_path: Path, caplog):
    one, store, trained = filled
    assert trained > 10
    with caplog.at_level(logging.INFO, "aiq"):
        assert make(tmp_path, OTHER, store) == []
    assert "units taken over from the store" in caplog.text
    ours, theirs = tiny.units(tmp_path, OTHER), tiny.units(one, FIRST)
    assert {(kind, place, name) for kind, place, name in ours} == set(theirs)
    assert tiny.differing(ours, theirs) == []  # times as well: they are those of the training


def test_a_suite_that_shares_a_domain_trains_the_rest_alone(copied_store, tmp_path: Path):
    """Pool and agents of the shared domain are taken over; the interface is another one, and so are the ends."""
    _, store = copied_store
    both = {"digits": DOMAINS["digits"], "noisy": tiny.TINY["domains"]["noisy"]}
    shared = tiny.tiny(domains=both, name="third", results="results/third", pool__size=12)
    trained = make(tmp_path, shared, store)
    names = [data.name for kind, data in trained if kind == "train_chunk_by_turns"]
    assert names.count("noisy") == 3 + 4  # chunks of a pool of 12, two repetitions of two agents
    assert names.count("digits") == 1  # the third chunk
    make(tmp_path / "alone", shared, None)
    assert tiny.differing(tiny.units(tmp_path, shared), tiny.units(tmp_path / "alone", shared)) == []


@pytest.mark.parametrize(
    "changes",
    [{"seed": 8}, {"training__epochs": 1}, {"domains__digits": {**DOMAINS["digits"], "limit": 70}}],
)
def test_another_seed_training_or_content_is_another_unit(filled, tmp_path: Path, changes):
    _, store, _ = filled
    raw = {**tiny.tiny(domains=copy.deepcopy(DOMAINS), **changes), "store": str(store)}
    run, path = Run.of(raw), "results/tiny/trials/digits/chunks-0000-0001.h5"
    kind, fingerprint = run.plan.shards()[path]
    with tiny.inside(tmp_path):
        tiny.jobs(run)["results/tiny/domains/digits.h5"]()
        with keeping(run, kind, path, fingerprint) as kept:
            kept.reads({"digits": run.layout.domain("digits")})
            assert kept.finished(dict.fromkeys(["chunk-000000", "chunk-000001"], fingerprint)) == {}


def first_array(tree: dict[str, Any]) -> np.ndarray:
    """Return an array of numbers in a tree."""
    for item in tree.values():
        if isinstance(item, dict):
            return first_array(item)
        if isinstance(item, np.ndarray) and item.dtype.kind in "uif":
            return item
    raise LookupError("there is none")


def test_other_data_under_the_same_settings_are_another_unit(filled, tmp_path: Path):
    """Files of data sets are named by their paths in fingerprints; two users may have unlike files there."""
    one, store, _ = filled
    run = Run.of({**FIRST, "store": str(store)})
    path = "results/tiny/trials/digits/chunks-0000-0001.h5"
    kind, fingerprint = run.plan.shards()[path]
    source = one / run.layout.domain("digits")
    header, tree = hdf5.read(source, "domain")
    first_array(tree).flat[0] += 1
    hdf5.write(tmp_path / "other.h5", header, tree)
    for content, count in ((source, 2), (tmp_path / "other.h5", 0)):
        with tiny.inside(tmp_path), keeping(run, kind, path, fingerprint) as kept:
            kept.reads({"digits": content})
            assert len(kept.finished(dict.fromkeys(["chunk-000000", "chunk-000001"], fingerprint))) == count


def test_no_fingerprint_knows_of_the_store_or_of_checkpoints():
    kept = {**FIRST, "store": "here", "jobs": {**FIRST["jobs"], "checkpoints": "there", "checkpoint_seconds": 3}}
    plain, other = Run.of(FIRST), Run.of(kept)
    assert plain.plan.shards() == other.plan.shards()
    assert plain.plan.results() == other.plan.results()


@pytest.mark.parametrize("how", ["damaged", "read-only", "a file"])
def test_no_run_hangs_on_the_store(filled, tmp_path: Path, how, caplog):
    one, _, _ = filled
    store, only = tmp_path / "store", "agents/wine"
    if how == "a file":
        store.write_text("no folder")
    else:
        assert make(tmp_path / "before", FIRST, store, only)
        for path in store.rglob("*.h5"):
            path.write_bytes(path.read_bytes()[:-50])
        if how == "read-only":
            (store / "units").rename(store / "gone")
            (store / "units").write_text("no folder")
    with caplog.at_level(logging.WARNING, "aiq"):
        assert len(make(tmp_path / "after", FIRST, store, only)) == 4
    assert ("a unit of the store is left aside" if how == "damaged" else "not put into the store") in caplog.text
    (shard,) = one.rglob(f"{only}/*.h5")
    made = hdf5.read(tmp_path / "after" / shard.relative_to(one), "agents")[1]
    assert tiny.same(tiny.numbers(made), tiny.numbers(hdf5.read(shard, "agents")[1]))
    if how == "damaged":  # what was damaged has been put anew
        assert make(tmp_path / "again", OTHER, store, only) == []


def test_the_environment_names_a_store(filled, tmp_path: Path, monkeypatch):
    monkeypatch.setenv("AIQ_STORE", str(filled[1]))
    assert make(tmp_path, OTHER, None, "agents") == []


# ---- many at once --------------------------------------------------------------------------------

UNITS = 40


def put_all(folder: Path, worker: int, ready: Any) -> None:
    """Put the same units as the other processes, in an order of one's own, and take each at once."""
    store, order = Store(folder), np.random.default_rng(worker).permutation(UNITS)
    ready.wait()
    for number in order.tolist():
        unit = Unit("f", {"values": np.full(1000, number)})
        store.put(Named("trials", f"{number}", "f"), ["data"], unit, 7)
        found = store.find(Named("trials", f"{number}", "f"), ["data"])
        if found is None or found.tree["values"].tolist() != [number] * 1000:
            os._exit(3)


def test_processes_that_write_at_once_lose_nothing(tmp_path: Path):
    context = multiprocessing.get_context("fork")
    ready = context.Barrier(4)
    workers = [context.Process(target=put_all, args=(tmp_path / "store", k, ready)) for k in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0, 0, 0]
    store = Store(tmp_path / "store")
    assert len(list(store.entries())) == UNITS
    assert store.unfinished() == []
    for number in range(UNITS):
        found = store.find(Named("trials", f"{number}", "f"), ["data"])
        assert found is not None
        assert found.tree["values"].tolist() == [number] * 1000


def test_folders_of_the_store_have_the_rights_of_the_store(tmp_path: Path):
    store = tmp_path / "store"
    store.mkdir()
    store.chmod(0o2775)
    Store(store).put(Named("trials", "a", "f"), [], Unit("f", {"x": 1}), 7)
    for folder in [path for path in store.rglob("*") if path.is_dir()]:
        assert folder.stat().st_mode & 0o7777 == 0o2775


# ---- the verb ------------------------------------------------------------------------------------


def said(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> dict[str, Any]:
    assert main(["store", *words, "--json"]) == status
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def copied_store(filled, tmp_path: Path) -> tuple[Path, Path]:
    """A copy of the store, and the folder of the run with its configuration."""
    one, store, _ = filled
    for path in store.rglob("*.h5"):
        (tmp_path / "store" / path.relative_to(store)).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "store" / path.relative_to(store)).write_bytes(path.read_bytes())
    (one / "tiny.yaml").write_text(yaml.safe_dump(FIRST), encoding="utf-8")
    return one, tmp_path / "store"


def test_what_a_store_holds_and_whether_it_is_whole(copied_store, capsys, monkeypatch):
    one, store = copied_store
    units = tiny.units(one, FIRST)
    found = said(capsys, "show", "--store", str(store))
    assert found["units"] == len(units) == sum(kind["units"] for kind in found["kinds"].values())
    assert found["bytes"] == sum(path.stat().st_size for path in store.rglob("*.h5"))
    assert set(found["kinds"]) == set(KINDS) < set(SHARED)
    assert said(capsys, "audit", "--store", str(store)) == {
        "store": str(store), "whole": len(units), "damaged": [], "removed": False,
    }  # fmt: skip
    bad = next(store.rglob("*.h5"))
    bad.write_bytes(bad.read_bytes().replace(b"\0", b"\1", 1))
    assert said(capsys, "audit", "--store", str(store), status=1)["damaged"] == [str(bad)]
    assert said(capsys, "audit", "--store", str(store), "--remove")["damaged"] == [str(bad)]
    assert not bad.exists()
    monkeypatch.setenv("AIQ_STORE", str(store))
    for words in (["show"], ["audit"]):
        assert main(["store", *words]) == 0
        assert str(len(units) - 1) in capsys.readouterr().out
    monkeypatch.delenv("AIQ_STORE")
    assert main(["store", "show"]) == 2
    assert "no store is named" in capsys.readouterr().err
    assert main(["store", "show", "--store", str(store / "nowhere")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_run_without_a_store_is_added_to_one(copied_store, tmp_path: Path, capsys):
    one, store = copied_store
    units = len(tiny.units(one, FIRST))
    with tiny.inside(one):
        found = said(capsys, "add", "tiny.yaml", "--store", str(store))
        assert (found["added"], found["known"]) == (0, units)
        found = said(capsys, "add", "tiny.yaml", "--store", str(tmp_path / "new"))
        assert (found["added"], found["known"]) == (units, 0)
    assert {p.name for p in (tmp_path / "new").rglob("*.h5")} == {p.name for p in store.rglob("*.h5")}
    assert make(tmp_path / "two", OTHER, tmp_path / "new") == []


def test_what_nothing_names_is_cleared(copied_store, tmp_path: Path, capsys):
    one, store = copied_store
    units = len(tiny.units(one, FIRST))
    run = Run.of(FIRST)
    with tiny.inside(one):
        kept = clear(Store(store), [run], days=0)
        assert (kept.removed, kept.named) == (0, units)
        found = said(capsys, "clear", "tiny.yaml", "--store", str(store))
        assert (found["removed"], found["named"], found["recent"]) == (0, units, 0)
        less = Run.of(tiny.tiny(domains=DOMAINS, pool__size=4))
        dry = clear(Store(store), [less], days=0, dry_run=True)
        assert (dry.removed, dry.named) == (2, units - 2)  # a chunk of the pool on either domain
        assert len(list(store.rglob("*.h5"))) == units
        recent = clear(Store(store), [less], days=1)
        assert (recent.removed, recent.recent) == (0, 2)
        assert clear(Store(store), [less], days=0).removed == 2
        assert add_run(run, Store(store)) == (2, units - 2)
    with tiny.inside(tmp_path):  # here the interface has not been found
        found = clear(Store(store), [run], days=0, dry_run=True)
        assert found.removed == 0
    old = time.time() - 40 * 86_400
    for path in store.rglob("*.h5"):
        os.utime(path, (old, old))
    assert clear(Store(store), [], days=30).removed == units


def test_the_examples_of_the_verb_run(copied_store, capsys):
    one, store = copied_store
    (one / "my-suite.yaml").write_text(yaml.safe_dump(FIRST), encoding="utf-8")
    for verb in ([], ["show"], ["audit"], ["add"], ["clear"]):
        assert main(["store", *verb, "--help"]) == 0
        help_text = capsys.readouterr().out
        example = next(line for line in help_text.splitlines() if line.strip().startswith("aiq store"))
        words = shlex.split(example.replace("~/aiq-store", str(store)))[1:]
        with tiny.inside(one):
            assert main(words) == 0, words
        out, err = capsys.readouterr()
        assert (len(out) > 20, err) == (True, "")
