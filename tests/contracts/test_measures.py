"""Every measure, with every option: a finite record with its contract's keys, a function of its input."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, Literal, NamedTuple, get_args, get_origin

import numpy as np
import pytest

from aiq.config import measures as settings
from aiq.config.dissimilarity import Dissimilarity
from aiq.measures import apti, complexity, dissimilarity, entropy, quotient, similarity, skills, space, weighing
from aiq.measures.quotient.hull import Budget
from aiq.records.estimate import plain
from aiq.settings import Settings

RNG = np.random.default_rng(0)
P = np.linspace(0, 1, 11)
NAMES = ["a", "b", "c", "d"]
D = np.array([[0.002, 0.5, 0.6, 0.4], [0.5, 0.003, 0.7, 0.5], [0.6, 0.7, 0.002, 0.6], [0.4, 0.5, 0.6, 0.003]]) / 20
NOISE = np.abs(RNG.normal(1, 0.05, (60, 4, 4)))
INPUTS: dict[str, tuple[Any, ...]] = {
    "complexity": (RNG.uniform(0.2, 0.9, 40), RNG.uniform(4, 12, 40)),
    "local entropy": (RNG.integers(0, 255, (12, 6, 6)).astype(np.uint8), 3),
    "histogram entropy": (RNG.integers(0, 255, (12, 6, 6)).astype(np.uint8), RNG.integers(0, 3, 12)),
    "vector entropy": (RNG.normal(size=(50, 3)), 2),
    "control entropy": ([RNG.normal(size=(20, 3)) for _ in range(5)],),
    "dissimilarity": (P, 0.7 - 0.05 * 4 * P * (1 - P) + RNG.normal(0, 0.005, (4, 11))),
    "similarity": (P, 0.5 + 0.4 * P**2 + RNG.normal(0, 0.005, (4, 11))),
    "space": (NAMES, np.array([1.0, 2.0, 1.5, 1.2]), D),
    "quotient": (space.build(NAMES, [1.0, 2.0, 1.5, 1.2], D), ["x", "y"], RNG.uniform(0.3, 0.9, (2, 4))),
    "weights": (NAMES, np.array([0.5, 0.7, 0.2, 0.4]), D),
    "skills": (
        weighing.weigh(NAMES, [0.5, 0.7, 0.2, 0.4], D, length_se=[0.05] * 4),
        {"x": list(RNG.uniform(0.3, 0.9, (4, 3))), "y": list(RNG.uniform(0.3, 0.9, (4, 3)))},
    ),
    "apti": (RNG.uniform(0.3, 0.9, (4, 3)), RNG.uniform(0.2, 0.8, (4, 5))),
}
EXTRA: dict[str, dict[str, Any]] = {
    "space": {
        "complexity_replicates": RNG.uniform(1, 2, (60, 4)),
        "dissimilarity_replicates": (D + np.transpose(D)) / 2 * (NOISE + np.transpose(NOISE, (0, 2, 1))) / 2,
        "self_replicates": RNG.uniform(0.0001, 0.0002, (60, 4)),
    },
    "weights": {"length_se": np.full(4, 0.05), "dissimilarity_se": np.full((4, 4), 0.002)},
    "quotient": {"performance_replicates": RNG.uniform(0.3, 0.9, (60, 2, 4))},
}


class Measure(NamedTuple):
    """The function, JSON keys that its record has at least, option -> words to try, whether it takes a root seed."""

    function: Callable[..., Any]
    keys: tuple[str, ...]
    options: Mapping[str, tuple[Any, ...]] = {}
    seeded: bool = True


def words(function: Callable[..., Any], chosen: type[Settings], *other: str) -> dict[str, tuple[Any, ...]]:
    """Every option that is one of some words in the settings and a keyword of the function, its default first.

    ``other`` are settings that the jobs turn into something else before the function takes them.
    """
    keywords = {p.name for p in signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY} - set(other)
    fields = {key: field for key, field in chosen.model_fields.items() if key in keywords}
    said = {key: get_args(f.annotation) for key, f in fields.items() if get_origin(f.annotation) is Literal}
    return {key: tuple(sorted(found, key=lambda word: word != fields[key].default)) for key, found in said.items()}


BITS = ("mean", "total", "label_bits")
MEASURES = {
    "complexity": Measure(
        complexity.measure,
        (
            *("mccp", "mccp_k", "k", "interval", "base", "excess", "excess_interval", "relative_excess"),
            *("extrapolated_share", "bins", "n"),
        ),
        words(complexity.measure, settings.Complexity, "start") | {"value_range": ((0.0, 1.0), "observed")},
    ),
    "local entropy": Measure(entropy.local_image_entropy, BITS),
    "histogram entropy": Measure(entropy.histogram_entropy, BITS),
    "vector entropy": Measure(entropy.vector_entropy, BITS),
    "control entropy": Measure(entropy.control_entropy, BITS),
    "dissimilarity": Measure(
        dissimilarity.measure,
        ("dissimilarity", "signed", "se", "interval", "interval_plain", "crosses", "n"),
        words(dissimilarity.measure, Dissimilarity, "ends") | {"chosen": ("unbiased", "plain", "corrected", "signed")},
    ),
    "similarity": Measure(
        similarity.measure,
        ("similarity", "absolute", "interval", "sufficient", "at", "v_a", "v_b", "v_ab"),
        {"paired": (False, True)},
        seeded=False,
    ),
    "space": Measure(
        space.build,
        ("domains", "coordinates", "dimensions", "spectrum", "stress", "negative_share"),
        words(space.build, settings.Space)
        | {
            "length": space.LENGTHS,
            "dimensions": ("share", "noise", "all", 2),
            "merge": ("auto", True, False),
            "refine": (False, True),
        },
    ),
    "quotient": Measure(quotient.score, ("agents", "dimensions"), {"budget": (Budget(), Budget(facets=1))}),
    "weights": Measure(weighing.weigh, ("tests", "independent", "reason", "warnings")),
    "skills": Measure(skills.score, ("agents", "weights", "order_probabilities", "warnings"), seeded=False),
    "apti": Measure(apti.measure, ("mean", "domains")),
}


def cases() -> list[Any]:
    """Every combination of options of every measure."""
    found = []
    for name, measure in MEASURES.items():
        for values in itertools.product(*measure.options.values()):
            chosen = dict(zip(measure.options, values, strict=True))
            if name == "dissimilarity" and chosen["estimator"] == "per_repetition" and chosen["chosen"] != "plain":
                continue  # the estimator is of the plain area alone
            if name == "space" and chosen["distance"] == "relative" and chosen["anchor"] != "unit":
                continue  # these are angles
            said = ",".join(f"{key}={value}" for key, value in chosen.items())
            found.append(pytest.param(name, chosen, id=f"{name}[{said}]"))
    return found


def run(name: str, chosen: dict[str, Any], seed: int = 0) -> dict[str, Any]:
    root = {"seed": seed} if MEASURES[name].seeded else {}
    record = MEASURES[name].function(*INPUTS[name], **EXTRA.get(name, {}), **chosen, **root)
    made = record.as_dict() if hasattr(record, "as_dict") else plain(record)
    return json.loads(json.dumps(made, allow_nan=False))


def intervals(value: Any) -> list[list[float]]:
    """Every interval in a nested answer."""
    if isinstance(value, dict):
        own = [v for k, v in value.items() if k.endswith("interval") and isinstance(v, list) and len(v) == 2]
        pairs = [pair for pair in own if all(isinstance(end, float) for end in pair)]
        return pairs + [pair for item in value.values() for pair in intervals(item)]
    return [pair for item in value for pair in intervals(item)] if isinstance(value, list) else []


@pytest.mark.parametrize(("name", "chosen"), cases())
def test_a_record_keeps_its_contract_and_is_a_function_of_its_input(name: str, chosen: dict[str, Any]):
    arrays = [item for item in INPUTS[name] if isinstance(item, np.ndarray)]
    before = [array.copy() for array in arrays]
    answer = run(name, chosen)
    assert set(MEASURES[name].keys) <= set(answer)
    assert all(low <= high for low, high in intervals(answer))
    assert intervals(answer) or name == "space"
    assert run(name, chosen) == answer
    assert all(np.array_equal(a, b) for a, b in zip(before, arrays, strict=True))


@pytest.mark.parametrize(
    "name", [n for n, m in MEASURES.items() if m.seeded and n not in ("space", "quotient", "dissimilarity")]
)
def test_the_seed_moves_the_interval_and_not_the_value(name: str):
    resampled = {"estimator": "minimum"} if name == "complexity" else {}  # MCCP@k's is computed, not drawn
    one, other = run(name, resampled), run(name, resampled, seed=1)
    assert intervals(one) != intervals(other)
    if name == "weights":
        assert [test["weight"] for test in one["tests"]] == [test["weight"] for test in other["tests"]]
    else:
        key = {"complexity": "mccp"}.get(name, "mean")
        values = [answer[key]["value"] if isinstance(answer[key], dict) else answer[key] for answer in (one, other)]
        assert values[0] == values[1]
