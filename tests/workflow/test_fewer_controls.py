"""From eight domains on a suite trains fewer controls: nothing is lost on the way there, and no distance moves."""

import copy
import logging
import shutil
from pathlib import Path

import numpy as np
import pytest
import tiny

from aiq import storage
from aiq.plans.run import Run
from aiq.records.space import Space
from aiq.run.reducing.dissimilarity import SuiteDissimilarity
from aiq.run.training import trials
from aiq.storage.hdf5 import glance

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

KINDS = ("domain", "interface", "alone")


def suite(count: int, **dissimilarity) -> dict:
    """Noisy copies of the tiny suite's digits, five repetitions that train together."""
    raw = copy.deepcopy(tiny.TINY)
    digits = raw["domains"]["digits"]
    raw["domains"] = {f"d{k}": {**digits, "noise": k / 10} for k in range(count)}
    raw["dissimilarity"] |= {"repetitions": 5, "repetitions_per_chunk": 5, **dissimilarity}
    raw["jobs"]["alone_per_job"] = 1
    return raw


def made_before(path: Path, kind: str, fingerprint: str) -> bool:
    """Whether a file is there and fresh, so that no rule would make it again."""
    return path.exists() and glance(path, kind) == fingerprint


def alone_of(folder: Path, raw: dict) -> list[tuple[str, list]]:
    """Train what a suite needs of its domains alone; return the domains and places that were trained."""
    trained: list[tuple[str, list]] = []
    made = trials.on_alone

    def watched(run, domain, source, interface):
        learn = made(run, domain, source, interface)

        def train(places, memory=None):
            trained.append((domain, list(places)))
            return learn(places, memory)

        return train

    trials.on_alone = watched
    try:
        run = Run.of(raw)
        shards = {path: what for path, what in run.plan.shards().items() if what[0] in KINDS}
        tiny.make(folder, raw, only=[path for path, what in shards.items() if not made_before(folder / path, *what)])
    finally:
        trials.on_alone = made
    return trained


def controls(folder: Path, raw: dict) -> dict[str, dict]:
    """The rows of all controls of each domain."""
    units = tiny.units(folder, raw, ["alone"])
    return {place: tiny.numbers(units["alone", place, name]) for _, place, name in units if "+controls+" in name}


def test_the_eighth_domain_takes_over_all_controls_that_are_there(tmp_path: Path, caplog):
    """Of the seven other domains nothing is trained; the rows are those that a suite of eight trains by itself."""
    caplog.set_level(logging.INFO)
    seven, eight = suite(7), suite(8)
    before = alone_of(tmp_path / "grown", seven)
    assert sorted(len(places) for _, places in before) == 7 * [5] + 7 * [15]
    kept = tiny.units(tmp_path / "grown", seven, ["alone"])
    caplog.clear()
    grown = alone_of(tmp_path / "grown", eight)
    assert grown == [("d7", [(0.5, 0), (0.5, 1), (0.5, 2)]), ("d7", [(1.0, r) for r in range(15)])]
    assert tiny.differing(kept, tiny.units(tmp_path / "grown", seven, ["alone"])) == []  # nothing is overwritten
    sentence = "d0: 5 repetitions of its controls are there, of which this suite uses 3; dissimilarity.control_rep"
    assert [message.startswith(sentence) for message in caplog.messages].count(True) == 1
    assert sum("3 of 3 trainings taken over from other chunks" in message for message in caplog.messages) == 7

    alone_of(tmp_path / "fresh", eight)
    one, other = controls(tmp_path / "grown", eight), controls(tmp_path / "fresh", eight)
    for domain in one:
        for column in ("proportion", "repetition", "samples", "performance", "told"):
            assert one[domain][column] == pytest.approx(other[domain][column], abs=1 / 60)  # a sample, by rounding

    assert alone_of(tmp_path / "grown", suite(8, control_repetitions=5)) == [("d7", [(0.5, 3), (0.5, 4)])]
    assert alone_of(tmp_path / "grown", suite(8, control_repetitions=2)) == []
    more = alone_of(tmp_path / "grown", suite(8, repetitions=10, end_repetitions=15))
    assert more == [(f"d{k}", [(0.5, 5)]) for k in range(8)]


def test_controls_of_other_trainings_are_not_taken_over(tmp_path: Path):
    alone_of(tmp_path, suite(7))
    raw = suite(8)
    raw["dissimilarity"]["network"] = {"layers": 1, "width": 9}
    assert sum(len(places) for _, places in alone_of(tmp_path, raw)) == 8 * (3 + 15)


def test_fewer_controls_move_no_distance_and_widen_intervals_of_parts(tmp_path: Path):
    few, many = suite(8), suite(8, control_repetitions=5)
    tiny.make(tmp_path / "many", many)
    shutil.copytree(tmp_path / "many", tmp_path / "few")
    run = Run.of(few)
    made = [path for path, (kind, _) in run.plan.shards().items() if kind == "alone"]
    tiny.make(tmp_path / "few", few, only=[*made, run.layout.dissimilarity, run.layout.space])

    found = []
    for folder, raw in ((tmp_path / "few", few), (tmp_path / "many", many)):
        plan, layout = Run.of(raw).plan, Run.of(raw).layout
        measured = storage.read_result(
            folder / layout.dissimilarity, "dissimilarity", SuiteDissimilarity, plan.dissimilarity()
        )
        found.append((measured, storage.read_result(folder / layout.space, "space", Space, plan.space())))
    (less, space), (full, whole) = found
    assert np.array_equal(less.matrix, full.matrix)
    assert np.array_equal(space.coordinates, whole.coordinates)
    assert {len(one.controls) for one in less.alone} == {3}
    assert {len(one.controls) for one in full.alone} == {5}
    for a, b in zip(less.pairs, full.pairs, strict=True):
        assert a.measured.signed == b.measured.signed
        assert a.measured.parts.confusion.estimate == b.measured.parts.confusion.estimate
        assert a.measured.parts.transfer.own == b.measured.parts.transfer.own
        total = sum(getattr(a.measured.parts, name).estimate.value for name in ("starvation", "confusion", "transfer"))
        assert total == pytest.approx(a.measured.signed.value, abs=1e-12)
        assert a.measured.parts.starvation.estimate.n == 3
        assert b.measured.parts.starvation.estimate.n == 5
    widths = [
        np.mean([np.ptp(pair.measured.parts.starvation.estimate.interval) for pair in one.pairs])
        for one in (less, full)
    ]
    assert widths[0] > widths[1]
