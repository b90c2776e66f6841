"""Records come back as they were stored: records of every shape, every result of a task, records as columns."""

import dataclasses
import math
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import h5py
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiq.errors import StorageError
from aiq.records.domains import BaselinePlay, Entropy, OutsidePlay
from aiq.records.estimate import Estimate
from aiq.records.space import Space
from aiq.run.reducing.baselines import AptiScores
from aiq.run.reducing.complexity import DomainComplexity
from aiq.run.reducing.dissimilarity import SuiteDissimilarity
from aiq.run.reducing.space import AgentScores
from aiq.storage import AS_COLUMNS, hdf5, read_result, write_result
from aiq.storage.records import pack, unpack
from aiq.storage.tree import pack_columns, unpack_columns
from aiq.wings.similarity2020.reduction import SimilarityResult
from alike import described

HASH = "0" * 16


pytestmark = pytest.mark.usefixtures("unsynced")


@dataclass(frozen=True)
class Inner:
    number: float
    word: str
    maybe: int | None


@dataclass(frozen=True)
class Other:
    flag: bool
    text: str


@dataclass(frozen=True, eq=False)
class Outer:
    array: npt.NDArray[np.float64]
    inner: Inner
    optional: Inner | None
    many: tuple[Inner, ...]
    maybe_many: tuple[Inner | None, ...]
    pair: tuple[str, float]
    interval: tuple[float, float] | None
    ranges: tuple[float, float] | Literal["observed"]
    either: Inner | Other
    words: tuple[str, ...]
    names: tuple[tuple[str, str], ...]
    counts: tuple[int, ...]
    flags: tuple[bool, ...]
    ragged: tuple[tuple[int, ...], ...]
    arrays: tuple[npt.NDArray[np.int64], ...]
    by_name: Mapping[str, Inner]
    by_number: dict[int, float]
    plain: Mapping[str, str]
    listed: list[float]
    kind: Literal["a", "b"]
    flag: bool
    default: int = 3
    factory: tuple[str, ...] = field(default_factory=tuple)


def test_a_mapping_with_other_keys_is_refused():
    for keys in ((1.5,), (("a", "b"),), (True,)):
        with pytest.raises(TypeError, match="words or integers"):
            pack(Inner(dict.fromkeys(keys, 1.0), "", None))


@dataclass(frozen=True)
class Newer:
    x: float
    added: tuple[str, ...] = ("none",)


@pytest.mark.parametrize(
    ("tree", "reason"),
    [({}, "field x of Newer is missing"), ({"x": 1.0, "y": 2}, "unknown field y"), ({"x": 1.0, "z": None}, "unknown")],
)
def test_a_record_that_does_not_fit_is_one_sentence(tmp_path: Path, tree, reason):
    assert unpack(Newer, {"x": 1.0}) == Newer(1.0)  # as older files, which lack a field
    hdf5.write(tmp_path / "r.h5", hdf5.Header("newer", "0" * 16, 3), tree)
    with pytest.raises(StorageError, match=reason) as error:
        read_result(tmp_path / "r.h5", "newer", Newer)
    assert "r.h5" in str(error.value)
    assert "redo it" in str(error.value)


def test_a_record_that_breaks_its_invariants_is_one_sentence(tmp_path: Path):
    tree = {**pack(Estimate(1.0, (0.0, 2.0), 3, "by hand")), "n": -1}
    hdf5.write(tmp_path / "r.h5", hdf5.Header("estimate", "0" * 16, 3), tree)
    with pytest.raises(StorageError, match="cannot rest on -1 units"):
        read_result(tmp_path / "r.h5", "estimate", Estimate)


# ---- every result of a task ----------------------------------------------------------------------


RESULTS = (
    *(DomainComplexity, Entropy, SuiteDissimilarity, Space, AgentScores),
    *(Estimate, BaselinePlay, OutsidePlay, AptiScores, SimilarityResult, Outer),
)


def example(hint: Any, variant: int) -> Any:
    """A value of a type: variants choose the parts of unions and the lengths of sequences in turn."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if dataclasses.is_dataclass(hint):
        record = object.__new__(hint)
        for name, inner in typing.get_type_hints(hint).items():
            if name in {field.name for field in dataclasses.fields(hint)}:
                object.__setattr__(record, name, example(inner, variant))
        return record
    if origin in (typing.Union, types.UnionType):
        return example(arguments[variant % len(arguments)], variant)
    if origin is Literal:
        return arguments[variant % len(arguments)]
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        return tuple(example(arguments[0], variant + i) for i in range(variant % 3))
    if origin is list:
        return [example(arguments[0], variant + i) for i in range(variant % 3)]
    if origin is tuple:
        return tuple(example(inner, variant) for inner in arguments)
    if origin is np.ndarray:
        (dtype,) = typing.get_args(arguments[1]) or (np.float64,)
        return np.arange(6).reshape(2, 3).astype(np.float64 if isinstance(dtype, typing.TypeVar) else dtype)
    if isinstance(origin, type) and issubclass(origin, typing.Mapping):
        return {example(arguments[0], k): example(arguments[1], variant) for k in range(variant % 3)}
    plain = {int: variant, float: [0.5, math.nan, -math.inf][variant % 3], bool: variant % 2 == 0}
    plain[str] = f"wörd {variant}"
    return None if hint is type(None) else plain[hint]


def classes(hint: Any) -> Iterator[type]:
    """Every dataclass in a type."""
    if dataclasses.is_dataclass(hint):
        yield hint
        for inner in typing.get_type_hints(hint).values():
            yield from classes(inner)
    for inner in typing.get_args(hint):
        yield from classes(inner)


@pytest.mark.parametrize("variant", range(6))
@pytest.mark.parametrize("record", RESULTS, ids=lambda record: record.__name__)
def test_a_result_comes_back(tmp_path: Path, monkeypatch, record: type, variant: int):
    for inner in set(classes(record)):  # the examples keep to the types, not to what the numbers mean
        monkeypatch.setattr(inner, "__post_init__", lambda self: None, raising=False)
    stored = example(record, variant)
    write_result(tmp_path / "r.h5", "result", stored, "0" * 16, 3)
    assert described(read_result(tmp_path / "r.h5", "result", record, "0" * 16)) == described(stored)
    packed = set(pack(stored))
    left_out = [field for field in dataclasses.fields(record) if field.name not in packed]
    assert packed <= {field.name for field in dataclasses.fields(record)}
    assert [field.name for field in left_out if getattr(stored, field.name) != field.default] == []


# ---- columns -------------------------------------------------------------------------------------


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
