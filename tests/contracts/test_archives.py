"""Files that earlier versions wrote stay readable, with the values they were written with."""

import importlib.util
from pathlib import Path

import h5py
import numpy as np
import pytest

from aiq.records.estimate import Estimate
from aiq.run.reducing.dissimilarity import SuiteDissimilarity
from aiq.storage import hdf5, read_domain, read_result, shards
from aiq.storage.shards import unpack_alone, unpack_mixtures, unpack_trials
from alike import described

ARCHIVES = Path(__file__).parents[1] / "data" / "archives"
VERSIONS = sorted(ARCHIVES.glob("version-*"))
KINDS = {
    **dict.fromkeys(("trials", "mixtures", "alone", "agents", "domain", "estimate"), "version-1"),
    "dissimilarity": "version-2",  # a file is of the oldest version of the format that describes it
}
HASH = "content_hash"
YOUNGER = {"dissimilarity": {"content@usual_completion", "content/pairs/columns/measured/paired"}}
"""Fields with a default that came after the file of a kind was kept: it is never written again, and stays readable."""
FINGERPRINT, UNIT_FINGERPRINT, SEED = "0123456789abcdef", "fedcba9876543210", 2025


@pytest.fixture
def folder() -> Path:
    return ARCHIVES / "version-1"


def load_script():
    spec = importlib.util.spec_from_file_location("make_archives", ARCHIVES / "make_archives.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def test_every_readable_version_is_kept():
    wanted = [f"version-{v}" for v in range(hdf5.OLDEST_READABLE, hdf5.SCHEMA_VERSION + 1)]
    assert [folder.name for folder in VERSIONS] == wanted
    assert all((ARCHIVES / version / f"{kind}.h5").stat().st_size < 60_000 for kind, version in KINDS.items())


def test_headers():
    for kind, version in KINDS.items():
        header = hdf5.read_header(ARCHIVES / version / f"{kind}.h5", kind, FINGERPRINT)
        assert (header.kind, header.fingerprint, header.seed) == (kind, FINGERPRINT, SEED)
        assert header.provenance["aiq"]


def test_trials(folder: Path):
    units = shards.read(folder / "trials.h5", "trials", FINGERPRINT)
    assert list(units) == ["chunk-000000"]
    assert units["chunk-000000"].fingerprint == UNIT_FINGERPRINT
    dense, linear, convolutional = unpack_trials(units["chunk-000000"].tree)
    assert (dense.policy.architecture.family, dense.policy.architecture.widths) == ("dense", (8, 3))
    assert dense.policy.seed == 2**63 - 1
    assert (dense.performance, dense.parameters, dense.compressed, dense.bytes) == (0.75, 123, 456, 492)
    assert (dense.epochs, dense.seconds, dense.status) == (3, 0.25, "finished")
    assert (dense.losses, dense.validation) == ((2.0, 1.0, 0.5), ())
    assert (linear.policy.architecture.widths, linear.policy.seed, linear.status) == ((), 0, "diverged")
    assert np.isnan(linear.performance)
    assert linear.losses == (np.inf,)
    architecture = convolutional.policy.architecture
    assert (architecture.family, architecture.widths) == ("convolutional", (4, 5, 6))
    assert (architecture.dense_nodes, architecture.reduction) == (100, "stride")
    assert (convolutional.performance, convolutional.status) == (1.0, "converged")
    assert convolutional.validation == (0.5, 0.625)


def test_agents(folder: Path):
    units = shards.read(folder / "agents.h5", "agents", FINGERPRINT)
    (trial,) = unpack_trials(units["small+000001"].tree)
    assert (trial.performance, trial.policy.architecture.widths) == (0.75, (8, 3))


def test_mixtures(folder: Path):
    units = shards.read(folder / "mixtures.h5", "mixtures", FINGERPRINT)
    low, middle, high = unpack_mixtures(units["a+b+000000"].tree)
    assert (low.proportion, low.first, low.second, low.status) == (0.0, 0.1, 0.9, "finished")
    assert (middle.proportion, middle.parameters, middle.seconds) == (1 / 3, 77, 0.5)
    assert middle.performance == pytest.approx(0.6 / 3 + 0.7 * 2 / 3)
    assert (high.proportion, high.repetition, high.status) == (1.0, 0, "diverged")
    assert np.isnan([high.first, high.second]).all()
    assert {low.first_told, high.second_told, middle.told} == {None}  # written before they were stored


def test_domains_alone(folder: Path):
    units = shards.read(folder / "alone.h5", "alone", FINGERPRINT)
    control, end = unpack_alone(units["a+controls+000000"].tree)
    assert (control.proportion, control.repetition, control.samples) == (1 / 3, 0, 33)
    assert (control.performance, control.told, control.status) == (0.5, 0.75, "finished")
    assert (end.proportion, end.samples, end.status) == (1.0, 100, "diverged")
    assert np.isnan([end.performance, end.told]).all()


def test_domain(folder: Path):
    domain = read_domain(folder / "domain.h5", FINGERPRINT)
    assert (domain.name, domain.label_space, domain.labels, domain.classes) == ("tiny", "npz:tiny", 3, (0, 2))
    assert domain.train_x.dtype == np.uint8
    assert np.array_equal(domain.train_x, np.arange(36).reshape(4, 1, 3, 3))
    assert np.array_equal(domain.test_x, np.arange(18).reshape(2, 1, 3, 3) * 14)
    assert (domain.train_y.tolist(), domain.test_y.tolist()) == ([0, 2, 0, 2], [2, 0])
    assert domain.sheet.description == "Täfelchen"
    assert domain.sheet.value_range == (0.0, 255.0)
    assert domain.sheet.class_names == ("null", "eins", "zwei")
    assert domain.sheet.notes == ()
    assert domain.sheet.checksums == {"x": "00"}


def test_estimate(folder: Path):
    found = read_result(folder / "estimate.h5", "estimate", Estimate, FINGERPRINT)
    assert found == Estimate(1.25, (1.0, 1.5), 8, "percentile bootstrap", 2025, 0.9)


def test_dissimilarities_as_columns():
    path, script = ARCHIVES / "version-2" / "dissimilarity.h5", load_script()
    found = read_result(path, "dissimilarity", SuiteDissimilarity, FINGERPRINT)
    assert described(found) == described(script.DISSIMILARITY)
    assert [(pair.a, pair.b, pair.measured.n_failed) for pair in found.pairs] == [
        ("a", "a", 1), ("b", "b", 1), ("a", "b", 1),
    ]  # fmt: skip
    with h5py.File(path) as file:
        columns = file["content/pairs/columns"]
        assert columns["a"].asstr()[...].tolist() == ["a", "b", "a"]
        assert columns["curves"].shape == (3, 2, 3)


def test_the_script_writes_what_is_kept(tmp_path: Path, monkeypatch):
    """The current version's files can be made again: same content, hash for hash where no field came since."""
    script = load_script()
    monkeypatch.setattr(script, "HERE", tmp_path)
    script.main()
    for kind, version in KINDS.items():
        made, kept = (entries(root / version / f"{kind}.h5") for root in (tmp_path, ARCHIVES))
        younger = YOUNGER.get(kind, set())
        assert set(made) - set(kept) == younger
        if younger:
            assert not any(np.any(made[name]) for name in younger)  # in the made file as in older ones: the default
            made, kept = ({n: v for n, v in all_.items() if n not in younger | {HASH}} for all_ in (made, kept))
        for name, value in made.items():
            np.testing.assert_array_equal(value, kept[name], err_msg=name, strict=isinstance(value, np.ndarray))
        assert list(made) == list(kept)


def entries(path: Path) -> dict[str, object]:
    """The content of a file by place, attributes as place@name, and its hash."""
    with h5py.File(path) as file:
        found: dict[str, object] = {HASH: file.attrs[HASH]}

        def look(name: str, item: h5py.Group | h5py.Dataset) -> None:
            found.update({f"{name}@{key}": value for key, value in sorted(item.attrs.items())})
            found[name] = item[()] if isinstance(item, h5py.Dataset) else None

        file.visititems(look)
        return found
