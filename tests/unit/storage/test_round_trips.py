"""What was stored comes back: trees, units of trials and mixtures, domains, files of before."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from aiq.domains.base import DataSheet, LabelledDomain
from aiq.errors import StorageError
from aiq.measures import complexity
from aiq.records.complexity import PoolSizeCurve
from aiq.records.estimate import Estimate
from aiq.records.trial import AloneResult, Architecture, MixtureResult, Policy, Trial
from aiq.run.reducing.complexity import DomainComplexity
from aiq.storage import hdf5, read_domain, read_result, shards, write_domain
from aiq.storage.records import pack
from aiq.storage.shards import pack_alone, pack_mixtures, pack_trials, unpack_alone, unpack_mixtures, unpack_trials
from alike import described

QUICK = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


pytestmark = pytest.mark.usefixtures("unsynced")


words = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0"), max_size=6)
names = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0/."), min_size=1, max_size=6)
floats = st.floats()
integers = st.integers(-(2**63), 2**63 - 1)


def tuples(items, **how):
    return st.lists(items, max_size=4, **how).map(tuple)


# ---- trees ---------------------------------------------------------------------------------------

leaves = (
    st.none() | st.booleans() | integers | floats | words
    | hnp.arrays(st.sampled_from([np.uint8, np.int64, np.float32, np.float64, np.bool_]),
                 hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3))
    | st.lists(words, max_size=3).map(lambda w: np.array(w, dtype=object))
)  # fmt: skip
trees = st.dictionaries(
    names, st.recursive(leaves, lambda inner: st.dictionaries(names, inner, max_size=3)), max_size=4
)


@QUICK
@given(tree=trees)
def test_any_tree_comes_back(tmp_path: Path, tree):
    hdf5.write(tmp_path / "t.h5", hdf5.Header("tree", "f" * 16, 2**63 - 1, {"aiq": "0"}), tree)
    header, read = hdf5.read(tmp_path / "t.h5", "tree")
    assert header == hdf5.Header("tree", "f" * 16, 2**63 - 1, {"aiq": "0"})
    assert described(read) == described(tree)


def test_large_arrays_are_compressed_and_come_back(tmp_path: Path):
    tree = {"x": np.zeros((1000, 100)), "y": np.arange(300_000, dtype=np.int64)}
    hdf5.write(tmp_path / "t.h5", hdf5.Header("tree", "f" * 16, 0), tree)
    assert (tmp_path / "t.h5").stat().st_size < 1_000_000
    assert described(hdf5.read(tmp_path / "t.h5", "tree")[1]) == described(tree)


def test_the_same_content_gives_the_same_file(tmp_path: Path):
    header = hdf5.Header("tree", "f" * 16, 5, {"aiq": "0"})
    for name, tree in (("a", {"x": np.arange(3), "y": 1}), ("b", {"y": 1, "x": np.arange(3)}), ("c", {"y": 1.0})):
        hdf5.write(tmp_path / name, header, tree)
    a, b, c = ((tmp_path / name).read_bytes() for name in "abc")
    assert a != c
    assert len(a) == len(b)


# ---- units ---------------------------------------------------------------------------------------

widths = st.lists(st.integers(1, 64), max_size=4).map(tuple)
architectures = st.builds(Architecture, family=st.just("dense"), widths=widths) | st.builds(
    Architecture,
    family=st.just("convolutional"),
    widths=st.lists(st.integers(1, 64), min_size=1, max_size=4).map(tuple),
    dense_nodes=st.integers(1, 99),
    reduction=st.sampled_from(["pooling", "stride"]),
)


def units(kind, accuracies, **fields):
    """Results of a kind; their accuracies are NaN where a training diverged."""
    fields |= {"parameters": st.integers(1, 2**40), "seconds": st.floats(0, 1e6)}

    def ended(status):
        accuracy = st.just(math.nan) if status == "diverged" else st.floats(0, 1)
        return st.builds(kind, status=st.just(status), **fields, **dict.fromkeys(accuracies, accuracy))

    return st.sampled_from(["finished", "converged", "diverged"]).flatmap(ended)


trials = units(
    Trial, ("performance",), policy=st.builds(Policy, architectures, st.integers(0, 2**63 - 1)),
    compressed=st.integers(1, 2**40), epochs=st.integers(0, 99),
    losses=tuples(floats), validation=tuples(st.floats(0, 1)),
)  # fmt: skip


def mixtures(told):
    accuracies = ("first", "second", *(("first_told", "second_told") if told else ()))
    return units(MixtureResult, accuracies, proportion=st.floats(0, 1), repetition=st.integers(0, 99))


def alones(told):
    accuracies, rest = ("performance", "told") if told else ("performance",), {} if told else {"told": st.none()}
    rest |= {"proportion": st.floats(0, 1, exclude_min=True), "repetition": st.integers(0, 99)}
    return units(AloneResult, accuracies, samples=st.integers(1, 2**40), **rest)


def either(units):
    """Lists of units that all have performances of being told, or none."""
    return st.booleans().flatmap(lambda told: st.lists(units(told=told), max_size=4))


@pytest.mark.parametrize(
    ("kind", "lists", "packed", "unpacked"),
    [
        ("trials", st.lists(trials, max_size=4), pack_trials, unpack_trials),
        ("mixtures", either(mixtures), pack_mixtures, unpack_mixtures),
        ("alone", either(alones), pack_alone, unpack_alone),
    ],
)
@QUICK
@given(data=st.data())
def test_units_come_back(tmp_path: Path, kind, lists, packed, unpacked, data):
    stored = data.draw(lists)
    shards.write(tmp_path / "s.h5", kind, "b" * 16, 1, {"a+000000": shards.Unit("a" * 16, packed(stored))})
    unit = shards.read(tmp_path / "s.h5", kind, "b" * 16)["a+000000"]
    assert unit.fingerprint == "a" * 16
    assert described(unpacked(unit.tree)) == described(stored)


def test_a_unit_has_performances_of_being_told_throughout_or_none():
    one = MixtureResult(0.5, 0, 0.5, 0.5, 9, 0.1, "finished")
    other = MixtureResult(0.5, 1, 0.5, 0.5, 9, 0.1, "finished", 0.75, 1.0)
    assert "first_told" not in pack_mixtures([one])
    assert unpack_mixtures(pack_mixtures([one])) == [one]
    assert unpack_mixtures(pack_mixtures([other])) == [other]
    with pytest.raises(ValueError, match="others have none"):
        pack_mixtures([one, other])
    nothing = {"proportion": np.zeros(1)}
    for unpacked, tree in ((unpack_trials, {}), (unpack_mixtures, nothing), (unpack_alone, nothing)):
        with pytest.raises(StorageError, match="cannot understand"):
            unpacked(tree)


# ---- domains and results -------------------------------------------------------------------------


def domain(**change) -> LabelledDomain:
    rng = np.random.default_rng(0)
    return LabelledDomain(**{
        "name": "tiny",
        "train_x": rng.integers(0, 256, (4, 1, 3, 3), dtype=np.uint8),
        "train_y": np.array([0, 2, 0, 2]),
        "test_x": rng.integers(0, 256, (2, 1, 3, 3), dtype=np.uint8),
        "test_y": np.array([2, 0]),
        "label_space": "npz:tiny",
        "labels": 3,
        "sheet": DataSheet("Tiny.", "made here", "CC0", (0.0, 255.0), ("null", "eins", "zwei"), (), {"a/b": "00"}),
        **change,
    })  # fmt: skip


@pytest.mark.parametrize("x", [np.uint8, np.float32])
def test_domains_come_back(tmp_path: Path, x):
    stored = domain() if x is np.uint8 else domain(train_x=np.eye(4, dtype=x), test_x=np.eye(4, dtype=x)[:2])
    write_domain(tmp_path / "d.h5", stored, "c" * 16, 9)
    assert described(read_domain(tmp_path / "d.h5", "c" * 16)) == described(stored)


def test_a_domain_that_cannot_be_measured_is_one_sentence(tmp_path: Path):
    write_domain(tmp_path / "d.h5", domain(), "c" * 16, 9)
    header, tree = hdf5.read(tmp_path / "d.h5", "domain")
    hdf5.write(tmp_path / "d.h5", header, {**tree, "train": {**tree["train"], "y": np.zeros(4, np.int64)}})
    with pytest.raises(StorageError, match="class 2") as error:
        read_domain(tmp_path / "d.h5")
    assert "redo it" in str(error.value)


def test_a_complexity_from_before_the_best_of_k_comes_back(tmp_path: Path):
    """As it was written until November 2026: the minimum alone, and its growth with the pool."""
    performance, size, chunk = np.array([0.2, 0.6, 0.9]), np.array([3.0, 5.0, 9.0]), np.arange(3)
    new = complexity.measure(performance, size, resamples=20, estimator="minimum")
    point = Estimate(4.0, None, 3, "mean over subsamples", 0)
    growth = PoolSizeCurve((3,), (point,), np.array([0.1]), 200)
    tree = pack(DomainComplexity("tiny", "log2", new, growth, size, performance, chunk, 1.5))
    for name in ("estimator", "best_of_k"):
        del tree["complexity"][name]
    del tree["by_k"]
    hdf5.write(tmp_path / "c.h5", hdf5.Header("complexity", "d" * 16, 4), tree)
    found = read_result(tmp_path / "c.h5", "complexity", DomainComplexity)
    assert found.complexity.value == found.complexity.minimum == new.value
    assert (found.complexity.estimator, found.complexity.best_of_k, found.by_k) == ("minimum", None, None)
    assert found.growth == growth or found.growth.units == (3,)
    assert found.complexity.as_dict()["mccp_k"] is None
