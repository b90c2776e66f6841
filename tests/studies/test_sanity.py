"""A small part of the sanity suite, with real trainings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from aiq.measures import dissimilarity
from aiq.records.dissimilarity import Alone
from studies import sanity, sanity_domains, sanity_trainings


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty store of trainings."""
    monkeypatch.setattr(sanity_trainings, "STORE", tmp_path)
    return tmp_path


def test_what_the_quick_part_looks_at(store: Path):
    rows = {row["what"]: row for row in sanity.run(quick=True)}
    assert rows["one label for all samples: excess, bits"]["number"] == pytest.approx(0, abs=1e-9)
    assert rows["30 % labels random: relative excess, change"]["passed"] == "passed"
    assert rows["digits at 16x16: MCCP@16, bits, change"]["low"] > 0.5
    alike = [row for what, row in rows.items() if "against wine" in what]
    assert len(alike) == 2
    assert all(row["passed"] == "passed" for row in alike)


def test_trainings_are_kept_and_not_done_again(store: Path, monkeypatch: pytest.MonkeyPatch):
    wine = sanity_domains.plain("wine")
    first = sanity_trainings.pool(wine, size=8, epochs=1)
    monkeypatch.setattr(sanity_trainings, "train_chunk", lambda *_, **__: pytest.fail("trained again"))
    again = sanity_trainings.pool(wine, size=8, epochs=1)
    assert (first.performance == again.performance).all()
    assert first.largest >= first.parameters.max()


def test_variants_change_what_they_say_and_nothing_else():
    digits = sanity_domains.plain("digits")
    a, b = (sanity_domains.half(digits, i) for i in (0, 1))
    assert len(a.train_y) + len(b.train_y) == len(digits.train_y)
    assert {x.tobytes() for x in a.test_x}.isdisjoint({x.tobytes() for x in b.test_x})
    larger = sanity_domains.upscaled(digits, 16)
    blocks = larger.train_x.reshape(-1, 8, 2, 8, 2).mean(axis=(2, 4)).reshape(len(larger.train_x), -1)
    assert np.corrcoef(blocks.ravel(), digits.train_x.ravel())[0, 1] > 0.97
    permuted = sanity_domains.permuted(digits, "p", own_labels=False)
    assert (np.sort(permuted.test_x, axis=1) == np.sort(digits.test_x, axis=1)).all()
    assert (sanity_domains.duplicated(digits).train_x[: len(digits.train_x)] == digits.train_x).all()
    share = np.mean(sanity_domains.wrong_labels(digits, 0.3).train_y != digits.train_y)
    assert share == pytest.approx(0.27, abs=0.04)


def test_one_interface_for_all():
    digits, wine = sanity_domains.plain("digits"), sanity_domains.plain("wine")
    interface = sanity_domains.Interface.of([digits, sanity_domains.renamed(digits, "copy"), wine])
    assert (interface.features, interface.outputs) == (64, 13)
    assert interface.own(wine) == slice(10, 13)
    data = interface.mixed(digits, wine)
    assert data.second.train_x.shape[1] == 64
    assert int(data.second.train_y.min()) == 10


def test_the_squared_distance_by_transfer_is_twice_the_area_when_told():
    """The controls cancel, so no part of what fewer samples cost is taken off: see the decision on lengths."""
    rng = np.random.default_rng(2)
    p = np.arange(11) / 10
    ends = rng.uniform(0.7, 0.9, size=(2, 4))
    inner = rng.uniform(0.5, 0.9, size=(3, 9))
    alone = [Alone(p[1:-1], rng.uniform(0.2, 0.8, size=(3, 9))) for _ in range(2)]
    pairs = {
        (0, 0): (np.tile(ends[0].mean(), (3, 9)), [alone[0]], [ends[0]]),
        (1, 1): (np.tile(ends[1].mean(), (3, 9)), [alone[1]], [ends[1]]),
        (0, 1): (inner, alone, list(ends)),
    }
    area = np.zeros((2, 2))
    for (i, j), (told, controls, own) in pairs.items():
        parts = dissimilarity.decompose(p, told * 0.9, told=told, alone=controls, ends=own)
        area[i, j] = area[j, i] = parts.transfer.estimate.value
    square = dissimilarity.transfer_geometry(area, np.zeros((2, 2))).squares[0, 1]
    told_area = dissimilarity.measure(p, inner, ends=list(ends), resamples=0).signed.value
    assert square == pytest.approx(2 * told_area)
