"""Every record that a task stores comes back, whatever its optional parts hold."""

import dataclasses
import math
import types
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from aiq.records.domains import BaselinePlay, Entropy, OutsidePlay
from aiq.records.estimate import Estimate
from aiq.records.space import Space
from aiq.run.reducing.comparison import AptiScores
from aiq.run.reducing.complexity import DomainComplexity
from aiq.run.reducing.dissimilarity import SuiteDissimilarity
from aiq.run.reducing.space import AgentScores
from aiq.storage import files, read_result, write_result
from aiq.storage.records import pack
from aiq.wings.similarity2020.reduction import SimilarityResult
from alike import described

RESULTS = (
    *(DomainComplexity, Entropy, SuiteDissimilarity, Space, AgentScores),
    *(Estimate, BaselinePlay, OutsidePlay, AptiScores, SimilarityResult),
)


@pytest.fixture(autouse=True)
def _unsynced(monkeypatch):
    """Nothing is lost here if the machine stops; hundreds of synced files take minutes on a slow disk."""
    monkeypatch.setattr(files, "_sync", lambda path: None)


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
