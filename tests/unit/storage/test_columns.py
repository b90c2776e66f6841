"""Records as columns: what goes in comes out, whatever varies between the records; files of groups stay readable."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiq.storage import AS_COLUMNS, hdf5, read_result, write_result
from aiq.storage.records import pack
from aiq.storage.tree import pack_columns, unpack_columns
from alike import described

HASH = "0" * 16

LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**63), 2**64 - 1), st.floats(),
    st.text(max_size=3).filter(lambda text: "\0" not in text),
    st.builds(lambda n, m: np.arange(n * m, dtype=np.float64).reshape(n, m), st.integers(0, 3), st.integers(1, 2)),
    st.builds(np.arange, st.integers(0, 3)),
    st.lists(st.sampled_from("ab"), min_size=1, max_size=2).map(lambda words: np.array(words, dtype=object)),
)  # fmt: skip
TREES = st.recursive(LEAVES, lambda inner: st.dictionaries(st.sampled_from("xyz"), inner, max_size=3), max_leaves=6)


@settings(max_examples=150, deadline=None)
@given(st.lists(TREES, min_size=1, max_size=5))
def test_trees_come_back_from_columns_and_from_a_file(trees: list[Any]):
    packed = pack_columns(trees)
    assert [described(tree) for tree in unpack_columns(packed)] == [described(tree) for tree in trees]
    with h5py.File("columns.h5", "w", driver="core", backing_store=False) as file:
        hdf5.write_group(file, packed)
        read = unpack_columns(hdf5.read_group(file))
        assert [described(tree) for tree in read] == [described(tree) for tree in trees]


@dataclass(frozen=True, eq=False)
class One:
    name: str
    draws: np.ndarray
    known: float | None


@dataclass(frozen=True, eq=False)
class Plain:
    ones: tuple[One, ...]
    draws: np.ndarray


@dataclass(frozen=True, eq=False)
class Columns(Plain):
    ones: tuple[One, ...] = field(metadata=AS_COLUMNS)


def records(count: int) -> tuple[One, ...]:
    return tuple(One(f"n{k}", np.full(4, float(k)), None if k % 3 else 0.5 * k) for k in range(count))


@pytest.mark.parametrize("count", [0, 1, 7])
def test_groups_and_columns_are_read_as_the_same_record(tmp_path: Path, count: int):
    for kind in (Plain, Columns):
        write_result(tmp_path / f"{kind.__name__}.h5", "made", kind(records(count), np.zeros((4, 2))), HASH, 1)
    versions, found = [], []
    for name in ("Plain", "Columns"):
        with h5py.File(tmp_path / f"{name}.h5") as file:
            versions.append(int(file.attrs["schema_version"]))
        found.append([described(pack(one)) for one in read_result(tmp_path / f"{name}.h5", "made", Columns).ones])
    assert versions == [1, 2 if count else 1]
    assert found[0] == found[1] == [described(pack(one)) for one in records(count)]


@pytest.mark.parametrize("kind", [Plain, Columns])
def test_draws_that_are_not_needed_stay_in_the_file(tmp_path: Path, kind: type):
    write_result(tmp_path / "r.h5", "made", kind(records(5), np.ones((4, 2))), HASH, 1)
    lean = read_result(tmp_path / "r.h5", "made", kind, without=("draws", "ones.draws"))
    assert lean.draws.shape == (0, 2)
    assert [one.draws.shape for one in lean.ones] == [(0,)] * 5
    assert [(one.name, one.known) for one in lean.ones] == [(one.name, one.known) for one in records(5)]
    half = read_result(tmp_path / "r.h5", "made", kind, without=("ones.draws",))
    assert half.draws.shape == (4, 2)


def test_columns_of_wrong_length_and_names_of_parts_are_refused():
    packed = pack_columns([{"x": 1.0, "y": None}, {"x": 2.0, "y": 3.0}])
    with pytest.raises(ValueError, match="2 rows where 3 belong"):
        list(unpack_columns({**packed, "rows": 3}))
    packed["columns"]["y"].popitem()
    with pytest.raises(ValueError, match="do not make 2 rows"):
        list(unpack_columns(packed))
    with pytest.raises(TypeError, match="begin with @"):
        pack_columns([{"@x": 1.0}])
    with pytest.raises(TypeError, match="complex"):
        pack_columns([1j, 2j])
