"""Shards made in pieces: interrupted at every checkpoint and taken up again, they are the shards of whole runs."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
import tiny

from aiq.plans.run import Run
from aiq.run import keeping
from aiq.run.keeping import KIND, Checkpoint, checkpoint_path
from aiq.run.training import trainers
from aiq.run.upkeep.submission import make_shard
from aiq.storage import hdf5
from aiq.training.device import rehearsal
from changes import flip

RAW = tiny.tiny(training__epochs=3)
SHARDS = [
    "results/tiny/trials/digits/chunks-0000-0001.h5",
    next(p for p in Run.of(RAW).plan.shards() if "/mixtures/digits/" in p),
    next(p for p in Run.of(RAW).plan.shards() if "/agents/digits/" in p),
    next(p for p in Run.of(RAW).plan.shards() if "/alone/digits/" in p),
]


class Interrupted(BaseException):
    """As SystemExit out of a signal's handler: nothing may catch it on the way."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Domains, their interface and the four shards, made without interruption by the calls that the rules make."""
    folder = tmp_path_factory.mktemp("whole")
    tiny.make(folder, RAW, only={*(p for p, (kind, _) in shards().items() if kind in ("domain", "interface")), *SHARDS})
    return folder


def shards() -> dict[str, tuple[str, str]]:
    run = Run.of(RAW)
    return run.plan.shards()


def prepared(whole: Path, folder: Path) -> Run:
    """A folder with the domains and their interface."""
    for path in [*(whole / "results/tiny/domains").glob("*.h5"), whole / "results/tiny/interface.h5"]:
        (folder / path.relative_to(whole)).parent.mkdir(parents=True, exist_ok=True)
        (folder / path.relative_to(whole)).write_bytes(path.read_bytes())
    return Run.of(RAW)


def interrupt_after(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """Interrupt right after so many checkpoints have been written."""
    real, written = hdf5.write, []

    def write(path, header, tree, **how):
        real(path, header, tree, **how)
        if header.kind == KIND:
            written.append(path)
            if len(written) == count:
                raise Interrupted

    monkeypatch.setattr(keeping.hdf5, "write", write)


def same_shard(one: Path, other: Path, shard: str) -> bool:
    """Whether two shards have one header (but for the software's host) and the same numbers."""
    kind, fingerprint = shards()[shard]
    (a, tree_a), (b, tree_b) = (hdf5.read(folder / shard, kind, fingerprint) for folder in (one, other))
    return (a.kind, a.fingerprint, a.seed) == (b.kind, b.fingerprint, b.seed) and tiny.same(
        tiny.numbers(tree_a), tiny.numbers(tree_b)
    )


@pytest.mark.parametrize("shard", SHARDS, ids=["trials", "mixtures", "agents", "alone"])
def test_interrupted_after_every_checkpoint(whole: Path, tmp_path: Path, shard: str, monkeypatch):
    run = prepared(whole, tmp_path)
    with tiny.inside(tmp_path):
        checkpoint = checkpoint_path(run, shard)
        interruptions = 0
        while True:
            with monkeypatch.context() as patched:
                interrupt_after(patched, 1)
                try:
                    make_shard(run, shard, every=0)
                    break
                except Interrupted:
                    interruptions += 1
                    assert checkpoint.exists()
                    assert not Path(shard).exists()
                    assert interruptions < 100
        units = len(hdf5.read(shard, shards()[shard][0])[1])
        assert interruptions > 2 * units  # an epoch's end each, and the end of each unit
        assert not checkpoint.exists()
    assert same_shard(whole, tmp_path, shard)


@pytest.mark.parametrize("shard", SHARDS, ids=["trials", "mixtures", "agents", "alone"])
def test_several_trainings_side_by_side_are_each_taken_up_where_they_were(
    whole: Path, tmp_path: Path, shard, monkeypatch
):
    """As on a GPU, on tensors of the CPU: interrupted after every checkpoint, and not at all."""
    monkeypatch.setattr(trainers, "room", lambda device, share: 10**12)
    found = []
    for number, interrupted in enumerate((False, True)):
        folder = tmp_path / str(number)
        folder.mkdir()
        run = prepared(whole, folder)
        with tiny.inside(folder), rehearsal():
            interruptions, done = 0, False
            while not done:
                with monkeypatch.context() as patched:
                    if interrupted:
                        interrupt_after(patched, 1)
                    try:
                        make_shard(run, shard, every=0)
                        done = True
                    except Interrupted:
                        interruptions += 1
                        assert interruptions < 200
            found.append(folder)
    assert interruptions > 2 * len(hdf5.read(folder / shard, shards()[shard][0])[1])
    assert same_shard(*found, shard)


@pytest.mark.parametrize("count", [2, 4])
def test_interrupted_once_and_nothing_done_twice(whole: Path, tmp_path: Path, count: int, monkeypatch, caplog):
    run, shard = prepared(whole, tmp_path), SHARDS[0]
    with tiny.inside(tmp_path):
        with monkeypatch.context() as patched:
            interrupt_after(patched, count)
            with pytest.raises(Interrupted):
                make_shard(run, shard, every=0)
        with caplog.at_level(logging.INFO, "aiq"):
            make_shard(run, shard, every=0)
    said = caplog.text
    assert ("1 of 2 units taken over from the checkpoint" in said) == (count == 4)
    assert ("goes on where it was interrupted" in said) == (count == 2)
    assert same_shard(whole, tmp_path, shard)


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def foreign(path: Path) -> None:
    path.unlink()
    Checkpoint(path, "another shard", 7, every=0)._write(dict)


def no_checkpoint(path: Path) -> None:
    path.write_text("hello")


@pytest.mark.parametrize("spoil", [truncate, flip, foreign, no_checkpoint])
def test_a_bad_checkpoint_is_left_aside_and_said(whole: Path, tmp_path: Path, spoil, monkeypatch, caplog):
    run, shard = prepared(whole, tmp_path), SHARDS[0]
    with tiny.inside(tmp_path):
        with monkeypatch.context() as patched:
            interrupt_after(patched, 3)
            with pytest.raises(Interrupted):
                make_shard(run, shard, every=0)
        spoil(checkpoint_path(run, shard))
        with caplog.at_level(logging.WARNING, "aiq"):
            make_shard(run, shard, every=0)
        assert not checkpoint_path(run, shard).exists()
    (record,) = caplog.records
    assert record.getMessage().startswith("a checkpoint is left aside, its work starts anew: results/tiny/checkpoints/")
    assert "snakemake" not in record.getMessage()
    assert same_shard(whole, tmp_path, shard)


def test_another_torch_starts_anew(tmp_path: Path, monkeypatch, caplog):
    path = tmp_path / "c.h5"
    Checkpoint(path, "shard", 7, every=0)._write(dict)
    Checkpoint(path, "shard", 7)
    assert not caplog.records
    monkeypatch.setattr(keeping.metadata, "version", lambda name: "0.0")
    Checkpoint(path, "shard", 7)
    assert "made by another configuration" in caplog.text


def test_writing_keeps_its_distance_and_its_share(tmp_path: Path, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(keeping.time, "monotonic", lambda: now[0])
    written = []

    def slow(path, header, tree, **how):
        written.append(now[0])
        now[0] += 4.0  # seconds that a writing takes

    monkeypatch.setattr(keeping.hdf5, "write", slow)
    checkpoint = Checkpoint(tmp_path / "c.h5", "shard", 7, every=30)
    while now[0] < 1300:
        checkpoint._write(dict)
        now[0] += 1.0
    assert written == pytest.approx([30, 434, 838, 1242])  # 400 s after a writing of 4 s: a hundredth


def test_a_checkpoint_that_cannot_be_written_does_not_stop_the_work(tmp_path: Path, caplog):
    (tmp_path / "file").write_text("in the way of a folder")
    Checkpoint(tmp_path / "file" / "c.h5", "shard", 7, every=0)._write(dict)
    assert "no checkpoint: " in caplog.text
